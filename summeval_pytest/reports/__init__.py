"""Reports: failing tests, the closing table, JUnit, GitHub, GitLab and the page."""
