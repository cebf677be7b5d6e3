"""The three metrics as conversations with a judge: their arithmetic, and nothing that does I/O."""
