"""Where two sentences disagree: numbers, units, order, direction, negation."""
