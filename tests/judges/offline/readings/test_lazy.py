from __future__ import annotations

from summeval_pytest.judges.offline.readings.lazy import lazy


def test_value_is_computed_once_for_each_instance() -> None:
    """A sentence is compared often and read once."""
    seen: list[str] = []

    class Sentence:
        def __init__(self, text: str) -> None:
            self.text = text

        @lazy
        def words(self) -> tuple[str, ...]:
            seen.append(self.text)
            return tuple(self.text.split())

    one, other = Sentence("a b"), Sentence("c")

    assert (one.words, one.words, other.words) == (("a", "b"), ("a", "b"), ("c",))
    assert seen == ["a b", "c"]
