"""Judges: the protocol, the embedded judge, LLM judges, recorded and composed judges."""
