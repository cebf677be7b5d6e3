"""The LLM judge: questions as prompts and schemas, replies read strictly, quotes verified."""

from __future__ import annotations

from summeval_pytest.judges.llm.judge import LlmJudge
from summeval_pytest.judges.llm.rating import Style

__all__ = ["LlmJudge", "Style"]
