"""The run record: what was measured, its file, shards, and a record decided again."""
