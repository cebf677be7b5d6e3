"""Whether a source supports a sentence, and by which of its own."""
