"""What is read off one sentence: its clauses, its numbers, and the groups that it compares."""
