"""OpenAI-compatible endpoints: requests, limits, prices and faults."""
