"""The root of this repository's own tests: pytester for the tests that run pytest itself."""

from __future__ import annotations

import os
import signal
import sys

pytest_plugins = ["pytester"]

# Tests start hundreds of processes. Where Python is told to keep no bytecode, each compiles the
# whole package again and takes 3 seconds in place of 1; so runs of the tests keep it.
sys.dont_write_bytecode = False
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)

# The cores are the workers': the threads that numpy would add only wait, and burn what they wait.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

# A script's background is deaf to Ctrl-C, and so would be the runs that tests start to interrupt.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)
