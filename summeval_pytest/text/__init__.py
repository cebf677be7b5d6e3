"""Text as values: normalised, cut into sentences, words and quantities, and printed safely."""
