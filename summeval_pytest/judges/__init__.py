"""Judges: the protocol, the embedded judge, LLM judges, checkers, recorded and composed judges."""
