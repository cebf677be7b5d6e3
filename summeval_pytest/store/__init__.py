"""Replies kept: a store on this machine, and cassettes in a suite's files."""
