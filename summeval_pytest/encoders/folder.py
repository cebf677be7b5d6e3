"""From what a user names to a model's folder on this machine, and what the folder holds."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from summeval_pytest.encoders.packages import needed_for
from summeval_pytest.errors import OptionError

CONFIG: Final = "config.json"
_MODULES: Final = "modules.json"
_VOCABULARIES: Final = ("tokenizer.json", "vocab.txt", "vocab.json", "*.model")
"""What holds a tokenizer's words; where none is there, one without any is made up in silence."""
_UNREAD: Final = frozenset({".h5", ".md", ".msgpack", ".onnx", ".ot"})
"""Endings of files that are not read here: prose, and the weights of other runtimes."""
_OTHER_RUNTIMES: Final = frozenset({"onnx", "openvino"})


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelFolder:
    """A model on this machine.

    Attributes:
        name: As the user gave it.
        path: The folder, absolute.
        fingerprint: 12 hex digits over the names and bytes of the files that make the model.
    """

    name: str
    path: Path
    fingerprint: str


def find_model(name: str, *, option: str, extra: str) -> ModelFolder:
    """The model's folder: the one of that name, else that of Hugging Face's cache.

    Args:
        name: A folder, or a model's name at Hugging Face if this machine has fetched it before.
        option: Who names it, for messages: an option or a key.
        extra: The extra of this package that reads such models.

    Raises:
        OptionError: if neither is there (nothing is fetched), or the folder holds no model.
    """
    folder = Path(name).expanduser()
    path = folder.absolute() if folder.is_dir() else _cached(name, option, extra)
    if not any((path / file).is_file() for file in (CONFIG, _MODULES)):
        raise OptionError(
            f"{option}={name}: {path} holds no {CONFIG}; name the folder of a model, the one with"
            " its configuration and weights"
        )
    if not any(file.match(one) for file in path.rglob("*") for one in _VOCABULARIES):
        raise OptionError(
            f"{option}={name}: {path} holds no vocabulary ({', '.join(_VOCABULARIES)}), and without"
            " one every word would be the same; add the files of its tokenizer"
        )
    try:
        return ModelFolder(name=name, path=path, fingerprint=_fingerprint(path))
    except OSError as error:
        raise OptionError(f"{option}={name}: {error.filename}: {error.strerror}") from None


def _cached(name: str, option: str, extra: str) -> Path:
    with needed_for(option, extra):
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


def _fingerprint(folder: Path) -> str:
    """Over what can move a number: not where the folder is, nor what is only told of it."""
    whole = hashlib.sha256()
    for file in sorted(folder.rglob("*"), key=lambda path: path.relative_to(folder).as_posix()):
        inside = file.relative_to(folder)
        hidden = any(part.startswith(".") for part in inside.parts)
        if hidden or file.suffix in _UNREAD or _OTHER_RUNTIMES & set(inside.parts):
            continue
        if not file.is_dir():
            with file.open("rb") as opened:
                content = hashlib.file_digest(opened, "sha256").hexdigest()
            whole.update(f"{inside.as_posix()}\0{content}\n".encode())
    return whole.hexdigest()[:12]
