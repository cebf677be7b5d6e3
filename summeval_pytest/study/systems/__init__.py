"""The systems of a suite as the tables and figures of the papers (`summeval study`)."""
