"""What the embedded judge does on sentences that no rule was written in view of (`unseen/`)."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

from summeval_pytest.judges.offline.support import support_sentences
from summeval_pytest.suite.marking import cut
from summeval_pytest.suite.suite import load_suite

UNSEEN = Path(__file__).with_name("unseen")


def test_it_finds_wrong_numbers_and_little_else() -> None:
    """The figures of the docs: a rule that is changed has to say what becomes of them."""
    suite = load_suite(UNSEEN)
    labelled: Counter[str] = Counter()
    condemned: Counter[str] = Counter()
    for label in suite.labels.values():
        pair = suite.pair(label.paper, label.system)
        source = tuple(s for section in pair.paper.source for s in cut(section.text))
        checks = support_sentences(cut(pair.summary), source)
        for sentence in label.sentences or ():
            kind = sentence.error or "faithful"
            labelled[kind] += 1
            condemned[kind] += not checks[sentence.index].supported
    assert labelled.pop("faithful") == 110
    assert condemned.pop("faithful") == 6
    assert (labelled.pop("number"), condemned.pop("number")) == (6, 6)
    assert (labelled.total(), condemned.total()) == (40, 4)
