"""Saying: verdicts as text that people and terminals can read, safe whatever it quotes."""
