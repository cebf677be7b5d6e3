"""The shell around everything else: the only code that knows pytest."""
