"""Speaking to an OpenAI-compatible endpoint: who, how fast, at what price, and what went wrong."""
