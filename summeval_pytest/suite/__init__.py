"""What is gated: papers, systems, summaries, labels and raw thresholds, checked line by line."""
