"""The LLM judge: questions as prompts and schemas, replies read strictly, quotes verified."""
