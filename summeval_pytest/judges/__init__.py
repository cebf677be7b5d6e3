"""Judges: the protocol, the embedded judge, LLM judges, composed judges."""
