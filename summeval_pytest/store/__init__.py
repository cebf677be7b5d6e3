"""Remembering: what was asked once is answered from here, on this machine or in a suite's files."""
