from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from summeval_pytest.judges.offline.lexicon import learned
from tests.fitting import presence
from tests.fitting.presence import asked, examples, fit

if TYPE_CHECKING:
    from pathlib import Path

FACTS = ("Kites rose.", "Ferries sank.", "Roofs shone.", "Bells rang.")


def test_weights_are_those_of_the_recipe(shared_data: Path) -> None:
    """Whoever runs the command again gets the weights that ship."""
    data = examples(asked(shared_data))
    intercept, slopes = fit(data.signs, data.labels, presence.shares(data))
    assert learned("presence")["intercept"] == pytest.approx(intercept, abs=2e-3)
    assert learned("presence")["slopes"] == pytest.approx(slopes, abs=2e-3)
