"""Whoever answers: the protocol, the embedded judge, and the way from a name to a judge."""
