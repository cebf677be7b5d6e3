"""The study: how judges, metrics and annotators agree with labels, and the papers' tables.

An annex: it may import all of the package, and nothing else of the package imports it. Whatever
has a judge answer raises a JudgeError where the judge breaks its contract.
"""
