"""What a run leaves: its record, two records compared, a record decided again."""
