"""From a text to its facets, and from two of them to a rating."""
