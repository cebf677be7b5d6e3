"""What labels and the three papers' analyses say of judges and systems."""
