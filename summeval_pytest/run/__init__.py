"""From questions to answers: pairs through metrics, judge, store and endpoints."""
