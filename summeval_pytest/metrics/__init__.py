"""The three metrics as generators of questions, and baselines beside them."""
