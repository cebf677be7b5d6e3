"""Verdicts: thresholds, decisions, findings and trust; no I/O."""
