"""Judges, metrics and annotators beside the labels of a suite (`summeval agree`)."""
