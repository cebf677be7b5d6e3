"""The annex for many machines; the core never imports it, and loads by name what is asked for."""
