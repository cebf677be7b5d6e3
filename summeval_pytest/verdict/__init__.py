"""Deciding: scores and thresholds in, findings out; pure."""
