"""Models of this machine in ONNX, read by onnxruntime and tokenizers (the extra ``onnx``).

Three files are read: ``config.json``, ``tokenizer.json`` and one ONNX file, whose weights may lie
in files beside it. Nothing else is opened, except to hash it: no pickle, no code, no library of
operators. onnxruntime refuses weights outside the ONNX file's folder. Nothing is downloaded. What
is wrong with a user's model or package is an `OptionError` that names the option.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from functools import cached_property
from importlib.metadata import version
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from summeval_pytest.errors import OptionError
from summeval_pytest.text.printing import one_line

CONFIG: Final = "config.json"
TOKENIZER: Final = "tokenizer.json"
_PACKAGES: Final = ("onnxruntime", "tokenizers")
_FROM_PADDING: Final = frozenset({"roberta", "xlm-roberta", "camembert"})
"""Models whose positions begin behind the padding's."""


@contextmanager
def needed_for(option: str, extra: str) -> Iterator[None]:
    """Say which extra to install where an import inside fails."""
    try:
        yield
    except ModuleNotFoundError as error:
        raise OptionError(
            f"{option}: the package {error.name!r} is not installed; install it with:"
            f" pip install 'summeval-pytest[{extra}]'"
        ) from None


class OnnxModel:
    """A tokenizer and a network. Both are loaded when they are used first.

    It reads one text, or one pair, at a time. In a batch, the numbers of a quantized model would
    depend on the other texts. ``threads`` is how many compute; 0 leaves it to onnxruntime.

    Attributes:
        what: The option and the model's name, for messages.
        config: What ``config.json`` says.
        fingerprint: 12 hex digits over the names and bytes of the folder's files.
    """

    def __init__(self, name: str, *, option: str, threads: int = 0) -> None:
        self.what = f"{option}={name}"
        with needed_for(option, "onnx"):
            for package in _PACKAGES:
                if find_spec(package) is None:
                    raise ModuleNotFoundError(name=package)
        self.folder = _folder(name, option)
        self.config = read_json(self.folder / CONFIG, self.what)
        self._weights = _weights(self.folder, self.what)
        if not (self.folder / TOKENIZER).is_file():
            raise OptionError(
                f"{self.what}: {self.folder} holds no {TOKENIZER}; add the one of this model"
            )
        self.fingerprint = _fingerprint(self.folder, self.what)
        self._threads = threads

    @property
    def signature(self) -> str:
        """The model by its content, and the packages that read it."""
        packages = " ".join(f"{package}={version(package)}" for package in _PACKAGES)
        return f"model={self.fingerprint} {packages}"

    @contextmanager
    def _reading(self) -> Iterator[None]:
        try:
            yield
        except Exception as error:  # what both packages raise has no other class in common
            message = one_line(f"{type(error).__name__}: {error}", 400)  # it begins with a path
            raise OptionError(
                f"{self.what}: this model cannot be read, {message}; name another folder"
            ) from error

    @cached_property
    def _tokenizer(self) -> Any:  # the package's types say less than its pages
        from tokenizers import Tokenizer

        with self._reading():
            tokenizer = Tokenizer.from_file(str(self.folder / TOKENIZER))
            tokenizer.no_padding()
            tokenizer.no_truncation()
        return tokenizer

    @cached_property
    def _session(self) -> Any:  # the package has no types
        import onnxruntime

        onnxruntime.disable_telemetry_events()
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = self._threads
        options.log_severity_level = 4  # what is wrong is raised
        with self._reading():
            return onnxruntime.InferenceSession(
                str(self._weights), options, providers=["CPUExecutionProvider"]
            )

    @cached_property
    def _marks(self) -> re.Pattern[str]:
        tokens = self._tokenizer.get_added_tokens_decoder().values()
        marks = [re.escape(token.content) for token in tokens if token.special]
        return re.compile("|".join(marks) or "(?!)", re.IGNORECASE)

    def plain(self, text: str) -> str:
        """The text with spaces for all that the tokenizer would take for a mark of its own."""
        text = text.encode("utf-8", "replace").decode()  # of half a character, a question mark
        return self._marks.sub(lambda mark: " " * len(mark[0]), text)

    def count(self, text: str, *, marks: bool = False) -> int:
        """How many tokens a text has, with the marks around it or without them."""
        return len(self._tokenizer.encode(text, add_special_tokens=marks).ids)

    def run(
        self, text: str, other: str | None = None, *, most: int, cut: str = "right"
    ) -> tuple[Any, NDArray[np.float64]]:
        """The tokens of a text, or of a pair, and the network's first output for them.

        Of more than ``most`` tokens the end of the first text is cut, or its beginning (``left``).
        """
        tokenizer, session = self._tokenizer, self._session
        with self._reading():
            tokenizer.enable_truncation(most, strategy="only_first", direction=cut)
            tokens = tokenizer.encode(text, other)
            tokenizer.no_truncation()
            known = {
                "input_ids": tokens.ids,
                "attention_mask": tokens.attention_mask,
                "token_type_ids": tokens.type_ids,
            }
            names = [each.name for each in session.get_inputs()]
            inputs = {name: np.array([known[name]], dtype=np.int64) for name in names}
            output = session.run(None, inputs)[0][0].astype(np.float64)
        if not np.isfinite(output).all():
            raise OptionError(f"{self.what}: this model gives no numbers; name another")
        return tokens, output


def _weights(folder: Path, what: str) -> Path:
    """The folder's ONNX file, which may lie in its ``onnx``; of several ``model.onnx``."""
    files = [file for place in ("*.onnx", "onnx/*.onnx") for file in sorted(folder.glob(place))]
    usual = [file for file in files if file.name == "model.onnx"]
    if len(usual or files) == 1:
        return (usual or files)[0]
    names = one_line(", ".join(file.relative_to(folder).as_posix() for file in files))
    raise OptionError(
        f"{what}: {folder} holds {names or 'no ONNX file'}, and one ONNX file is needed; export the"
        " model with: optimum-cli export onnx --model NAME FOLDER"
    )


def _folder(name: str, option: str) -> Path:
    """The absolute folder of that name, else of that model in this user's cache of Hugging Face."""
    folder = Path(name).expanduser()
    if folder.is_dir():
        return folder.absolute()
    with needed_for(option, "onnx"):
        from huggingface_hub import snapshot_download
    fetch = ""
    try:
        return Path(snapshot_download(name, local_files_only=True))
    except ValueError:  # no name that Hugging Face could have
        pass
    except OSError:
        fetch = f", or fetch it beforehand: hf download {name}"
    raise OptionError(
        f"{option}={name}: there is no such folder, and no model of that name in this user's cache"
        f" of Hugging Face; a run downloads nothing, so name the folder of a model{fetch}"
    )


def _fingerprint(folder: Path, what: str) -> str:
    """Over all files by their names inside and their bytes; hidden files and prose do not count."""
    whole = hashlib.sha256()
    for file in sorted(folder.rglob("*"), key=lambda path: path.relative_to(folder).as_posix()):
        inside = file.relative_to(folder)
        is_hidden = any(part.startswith(".") for part in inside.parts)
        if is_hidden or file.is_dir() or file.suffix == ".md":
            continue
        try:
            with file.open("rb") as opened:
                content = hashlib.file_digest(opened, "sha256").hexdigest()
        except OSError as error:
            raise OptionError(f"{what}: {error.filename}: {error.strerror}") from None
        whole.update(f"{inside.as_posix()}\0{content}\n".encode())
    return whole.hexdigest()[:12]


def most_tokens(config: Mapping[str, Any]) -> int | None:
    """How many tokens a model has places for, marks included; None if it does not say."""
    most = config.get("max_position_embeddings")
    if not isinstance(most, int) or config.get("relative_attention"):
        return None
    padding = config.get("pad_token_id")
    if config.get("model_type") in _FROM_PADDING and isinstance(padding, int):
        most -= padding + 1
    return most


def read_json(file: Path, what: str) -> dict[str, Any]:
    """The JSON object in a file of a model's folder."""
    try:
        content = json.loads(file.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        content = None
    if not isinstance(content, dict):
        raise OptionError(
            f"{what}: {file.parent} holds no {file.name} with a JSON object; name the folder of a"
            " model, the one with its configuration and weights"
        )
    return content
