"""Suites: papers, systems, summaries, labels and thresholds, checked line by line."""
