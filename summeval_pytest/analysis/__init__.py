"""Analyses: judges beside labels, and the tables of the three papers."""
