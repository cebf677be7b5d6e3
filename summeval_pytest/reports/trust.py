"""How far the judge of a run may be trusted, in the words that every report has for it."""

from __future__ import annotations

from typing import Final

UNMEASURED: Final = "agreement with labels not measured in this run"
"""A run says what its judge thinks; what people think of the judge, `summeval agree` measures."""
TRUST_LINE: Final = f"judge: {UNMEASURED}; see 'summeval agree'"
