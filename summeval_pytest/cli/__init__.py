"""The `summeval` command: whatever is not a test run."""
