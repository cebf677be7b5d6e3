"""The LLM judge: questions as prompts, replies read strictly, quotes verified."""
