"""Statistics over papers: correlation, chance-corrected agreement, and intervals by resampling."""
