"""The embedded judge: answers by computation, in numpy only, for use without key and network."""
