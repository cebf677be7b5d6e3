"""The embedded judge: numpy only, no key, no network."""
