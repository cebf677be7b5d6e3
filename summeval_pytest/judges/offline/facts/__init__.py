"""From a sentence to its facts, and whether a text has them."""
