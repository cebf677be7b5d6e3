"""The `summeval` command."""
