"""Where the labelled sets lie: beside the checkout, or where SUMMEVAL_SHARED says.

Their licences keep them out of this repository. A test that needs them takes `shared_data` or
`release_file` (tests/conftest.py), which skip it where they are not; `-m shared_data` chooses it.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import Final

DATA: Final = Path(os.environ.get("SUMMEVAL_SHARED", Path(__file__).parents[2] / "shared")) / "data"
RELEASE: Final = DATA / "scholarsum/pubmed.json"
"""The PubMed half of ScholarSum."""
