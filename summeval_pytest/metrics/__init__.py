"""The three metrics as generators of questions."""
