"""A run: pairs through metrics, judge, store and endpoints."""
