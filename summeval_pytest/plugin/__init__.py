"""The pytest plugin: the only code that knows pytest."""
