"""Reports: failing tests, the closing table, JUnit, GitHub and the page."""
