from __future__ import annotations

from typing import TYPE_CHECKING, Final

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from summeval_pytest.verdict import equal_scores
from summeval_pytest.verdict.equivalence import decide_equivalence
from tests.noisy_judge import NoisyJudge, asked, noisy_tasks, write_noisy_suite
from tests.verdict.asked_items import item, pair

if TYPE_CHECKING:
    from collections.abc import Iterator
    from random import Random

    from summeval_pytest.evaluation import AskedItem, PairInWays, Task
    from summeval_pytest.evaluation.items import ItemKind

NOISE: Final = 0.005
"""Of two answers, 1 % differ by noise; at 2 % the bound on single pairs refuses most runs."""


@pytest.fixture(scope="module", autouse=True)
def few_resamples() -> Iterator[None]:
    """Intervals have tests of their own."""
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(equal_scores, "RESAMPLES", 20)
        yield


values = st.one_of(st.none(), st.integers(0, 1))
scores = st.sampled_from([None, 0.0, 0.25, 0.5, 1.0])


@st.composite
def items(draw: st.DrawFn) -> AskedItem:
    """An item with any answers."""
    single, batched, again, turned = (draw(values) for _ in range(4))
    front = draw(st.sampled_from([None, True, False]))
    kinds: list[ItemKind] = ["fact", "sentence"]
    kind = draw(st.sampled_from(kinds))
    return item(single, batched, again=again, turned=turned, is_front=front, kind=kind)


@st.composite
def pairs(draw: st.DrawFn) -> PairInWays:
    """A pair of one of two systems and four papers, with any scores."""
    ways = [{"facet": draw(scores), "eva": draw(scores)} for _ in range(3)]
    paper, system = draw(st.sampled_from("abcd")), draw(st.sampled_from(["good", "bad"]))
    return pair(paper, ways[0], ways[1], again=ways[2], system=system)


@settings(deadline=None, max_examples=40)
@given(st.lists(items(), max_size=12), st.lists(pairs(), max_size=8), st.randoms())
def test_the_order_of_items_and_pairs_does_not_matter(
    held: list[AskedItem], scored: list[PairInWays], random: Random
) -> None:
    """A replay brings them in the same order, and a suite with its lines sorted anew does not."""
    scored = list({(each.paper, each.system): each for each in scored}.values())
    found = decide_equivalence(held, scored)
    random.shuffle(held)
    random.shuffle(scored)
    assert decide_equivalence(held, scored) == found


@settings(deadline=None, max_examples=40)
@given(
    st.lists(st.integers(0, 1), min_size=1, max_size=30),
    st.lists(st.floats(0, 1), min_size=2, max_size=9),
    st.data(),
)
def test_identical_answers_are_always_equivalent(
    answers: list[int], values_: list[float], data: st.DataObject
) -> None:
    """Whatever they are, and however few: there is no way of asking that is better than this."""
    system = st.sampled_from(["good", "bad", "middling"])
    front = st.sampled_from([None, True, False])
    held = [item(answer, answer, is_front=data.draw(front)) for answer in answers]
    scored = [
        pair(f"moss-{n}", {"eva": value}, {"eva": value}, system=data.draw(system))
        for n, value in enumerate(values_)
    ]
    assert decide_equivalence(held, scored).is_equivalent


def test_nothing_asked_shows_nothing() -> None:
    """A suite of refused summaries must not pass a judge."""
    found = decide_equivalence([], [pair("moss-01", {}, {})])
    assert not found.is_equivalent
    assert (found.n_items, found.criteria) == (0, ())


def test_one_criterion_refuses() -> None:
    """However many others are met."""
    scored = [pair(f"moss-{n}", {"eva": 0.5}, {"eva": 0.5}) for n in range(4)]
    found = decide_equivalence([item(1, 1), item(0, 0), item(1, 0)], scored)
    assert not found.is_equivalent
    assert [(each.of, each.name) for each in found.unmet] == [
        ("sentence", "another answer"),
        ("sentence", "kappa"),
        ("sentence", "turned round"),
    ]


def test_items_are_counted_by_kind_and_way() -> None:
    """How many of how many: what is missing is said, with one reason."""
    found = decide_equivalence([item(1, None), item(0, 0, again=None), item(1, 1)], [])
    (count,) = found.items
    assert (count.kind, count.n_items, count.n_answered) == ("sentence", 3, (3, 2, 2, 2))
    assert count.fault == "torn"


def test_small_samples_are_told_from_those_that_the_protocol_wants() -> None:
    """At least 60 pairs and 600 items (metrics.md, section 3.4)."""
    many = [pair(f"moss-{n}", {}, {}) for n in range(60)]
    assert not decide_equivalence([item(1, 1)] * 600, many).is_small
    assert decide_equivalence([item(1, 1)] * 599, many).is_small
    assert decide_equivalence([item(1, 1)] * 600, many[:59]).is_small


@pytest.fixture(scope="module")
def tasks(tmp_path_factory: pytest.TempPathFactory) -> list[Task]:
    """60 pairs with 2,160 items."""
    return noisy_tasks(write_noisy_suite(tmp_path_factory.mktemp("noisy") / "lots"))


def test_noise_alone_is_equivalent(tasks: list[Task]) -> None:
    """Of four runs, at most one is refused by chance; `tests.benchmarks.equivalence` has 200."""
    found = [asked(NoisyJudge(seed=seed, noise=NOISE), tasks) for seed in range(4)]
    assert not any(each.is_small for each in found)
    assert sum(each.is_equivalent for each in found) >= 3
    floors = [c.floor for each in found for c in each.criteria if c.name == "another answer"]
    known = [floor for floor in floors if floor is not None]
    # 2 * .005 * .995, over 4 runs of 240, 1,200 and 720 items: within a third
    assert sum(known) / len(known) == pytest.approx(0.00995, rel=0.34)


@pytest.mark.parametrize(
    ("judge", "unmet"),
    [
        (NoisyJudge(noise=NOISE, more=0.1), ("fact", "another answer")),
        (NoisyJudge(noise=NOISE, harsh=0.05), ("fact", "direction")),
        (NoisyJudge(noise=NOISE, first=0.1), ("sentence", "first to last")),
        (NoisyJudge(noise=NOISE, silent=0.08), ("rating", "answered")),
    ],
    ids=["more noise", "one-sided", "position", "silent"],
)
def test_what_asking_together_adds_is_refused(
    tasks: list[Task], judge: NoisyJudge, unmet: tuple[str, str]
) -> None:
    """10 points of noise, 5 % of yes lost, the front half favoured, 8 % without an answer."""
    found = asked(judge, tasks)
    assert not found.is_equivalent
    assert unmet in {(each.of, each.name) for each in found.unmet}
