"""What diskcache may write and read: texts in the database, and nothing else.

Its own disks unpickle what a row asks them to, and read or delete any file that a row names
(CVE-2025-69872); its JSON disk does so too. This one takes text, gives text, and refuses the rest.
"""

from __future__ import annotations

from functools import cache
from typing import Final, NoReturn

from summeval_pytest.errors import StoreError
from summeval_pytest.store.place import ELSEWHERE

_RAW: Final = 1
"""diskcache's mode of a value that stands in its row as it is."""


@cache
def text_disk() -> type:
    """The class of disks to open a `diskcache.Cache` with; made when first wanted."""
    from diskcache import Disk  # type: ignore[import-untyped]  # it ships no types

    class TextDisk(Disk):  # type: ignore[misc]  # its base has no types
        """Texts in, texts out."""

        _directory: str

        def put(self, key: object) -> tuple[str, bool]:
            """A key's column and its mark as raw."""
            return _text(key, "key", self._directory), True

        def get(self, key: object, raw: object) -> str:
            """The key that a row has."""
            return _text(key if raw else None, "key", self._directory)

        def store(
            self, value: object, read: object, key: object = None
        ) -> tuple[int, int, None, str]:
            """A value's columns: size of its file, mode, name of its file, and the text."""
            del key
            return 0, _RAW, None, _text(None if read else value, "value", self._directory)

        def fetch(self, mode: object, filename: object, value: object, read: object) -> str:
            """The text that a row holds."""
            if filename is not None:
                _refuse("a value in a file", self._directory)
            is_raw = mode == _RAW and not read
            return _text(value if is_raw else None, "value", self._directory)

        def filename(self, key: object = None, value: object = None) -> NoReturn:
            """No value is ever in a file."""
            del key, value
            _refuse("a value in a file", self._directory)

        def remove(self, file_path: object) -> NoReturn:
            """No file is ever removed."""
            del file_path
            _refuse("a value in a file", self._directory)

    return TextDisk


def _text(value: object, role: str, directory: str) -> str:
    if type(value) is not str:
        _refuse(f"a {role} that is no text", directory)
    return value


def _refuse(what: str, directory: str) -> NoReturn:
    raise StoreError(
        f"the store {directory!r} has a row with {what}, which this package never writes;"
        f" somebody else wrote it, so do not trust this store: move it away, or {ELSEWHERE}"
    )
