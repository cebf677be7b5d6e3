"""EVA-Score as its paper prints it."""
