"""The run record, two records compared, and one decided again."""
