"""The embedded judge: answers by computation, in numpy only, for use without key and network."""

from __future__ import annotations

from summeval_pytest.judges.offline.embedded import OfflineJudge

__all__ = ["OfflineJudge"]
