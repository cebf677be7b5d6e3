"""Which sentences of an abstract state background, method, result and conclusion.

A sentence goes to the facet that is most likely for it (`roles`). A facet that no sentence got
shares the sentences for which it is likely enough: "we gave 40 mice zinc, and survival rose" is
both. Where labels such as "Methods:" stand, they decide, and nothing is shared. A facet that is
still empty gets the sentences that it has once any one sentence is left out.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from summeval_pytest.judges.offline.facets.labels import label_evidence, pieces_of
from summeval_pytest.judges.offline.facets.roles import roles_of
from summeval_pytest.questions import FACETS, Facet, FacetSegments

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy as np
    from numpy.typing import NDArray

    from summeval_pytest.judges.offline.facets.roles import Roles

MOST: Final = 40
"""In a longer text no hidden facet is looked for: a summary is shorter."""
LIKELY: Final = 0.15
"""From this posterior on, a facet without a sentence of its own shares one.

Low, because a text that states a facet in passing is more often judged to have it than not.
"""


def facet_rows(roles: NDArray[np.float64], *, shared: bool = True) -> tuple[tuple[int, ...], ...]:
    """For each facet, the sentences (rows) that state it.

    Args:
        roles: The posterior of each facet, (sentences, 4).
        shared: Whether a facet that is no sentence's best may share those it is `LIKELY` for.
    """
    best = roles.argmax(axis=1)
    chosen = []
    for column in range(len(FACETS)):
        rows = tuple(int(row) for row in (best == column).nonzero()[0])
        if not rows and shared:
            rows = tuple(int(row) for row in (roles[:, column] >= LIKELY).nonzero()[0])
        chosen.append(rows)
    return tuple(chosen)


def segment(text: str, roles: Roles = roles_of) -> FacetSegments:
    """The sentences of each facet, joined in order.

    Args:
        text: An abstract or a summary.
        roles: From sentences in order to the probability of each facet, one row a sentence.
    """
    sentences = pieces_of(text)
    shared = not label_evidence(sentences).any()
    rows = facet_rows(roles(sentences), shared=shared)
    if shared and not all(rows) and 1 < len(sentences) <= MOST:
        rows = _with_hidden(rows, sentences, roles)
    segments: dict[Facet, str] = {
        facet: _joined(sentences, chosen) for facet, chosen in zip(FACETS, rows, strict=True)
    }
    return FacetSegments(**segments)


def _with_hidden(
    rows: tuple[tuple[int, ...], ...], sentences: tuple[str, ...], roles: Roles
) -> tuple[tuple[int, ...], ...]:
    """Fill each empty facet with the rows that it has once one sentence is left out.

    The role of a sentence depends on its neighbours; this way one more sentence hides no facet.
    """
    found = list(rows)
    for left_out in reversed(range(len(sentences))):
        kept = [place for place in range(len(sentences)) if place != left_out]
        others = facet_rows(roles(tuple([sentences[place] for place in kept])))
        for column, chosen in enumerate(others):
            found[column] = found[column] or tuple(kept[row] for row in chosen)
    return tuple(found)


def _joined(sentences: Sequence[str], rows: Sequence[int]) -> str:
    return " ".join(sentences[row] for row in rows)
