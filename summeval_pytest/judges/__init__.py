"""Judges: the protocol, the embedded judge, LLM judges and recorded judges."""
