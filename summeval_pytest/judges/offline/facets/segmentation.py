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
    import numpy as np
    from numpy.typing import NDArray

    from summeval_pytest.judges.offline.facets.roles import Roles

MOST: Final = 40
"""In a longer text no hidden facet is looked for: a summary is shorter."""
LIKELY: Final = 0.5
"""From this posterior on, a facet without a sentence of its own shares one. Of .15 to .5 it agrees
best with people on papers that the roles were not learned from."""


def segment(text: str, roles: Roles = roles_of) -> FacetSegments:
    """The sentences of each facet, joined in order.

    Args:
        text: An abstract or a summary.
        roles: From sentences in order to the probability of each facet, one row a sentence.
    """
    sentences = pieces_of(text)
    best = roles(sentences).argmax(axis=1)
    rows = [(best == column).nonzero()[0].tolist() for column in range(len(FACETS))]
    if not all(rows) and sentences and not label_evidence(sentences).any():
        likely = _likely(sentences, roles)
        rows = [own or likely[:, column].nonzero()[0].tolist() for column, own in enumerate(rows)]
    segments: dict[Facet, str] = {
        facet: " ".join(sentences[row] for row in chosen)
        for facet, chosen in zip(FACETS, rows, strict=True)
    }
    return FacetSegments(**segments)


def _likely(sentences: tuple[str, ...], roles: Roles) -> NDArray[np.bool_]:
    """Whether each sentence is `LIKELY` to state each facet, (sentences, 4), wherever a text ends.

    What a sentence is read as depends on its neighbours and on its place. So the text is read with
    its first sentences only, and with its last: one more sentence hides no facet then.
    """
    n = len(sentences)
    found = roles(sentences)[:MOST] >= LIKELY
    for cut in range(1, min(n, MOST)):
        found[:cut] |= roles(sentences[:cut]) >= LIKELY
        found[cut:] |= roles(sentences[cut:n])[: len(found) - cut] >= LIKELY
    return found
