from __future__ import annotations

import subprocess
import sys

from summeval_pytest.judges.judge import is_local


def test_name_before_a_colon_is_looked_up_without_importing_it() -> None:
    """A judge's module may be slow to import, and a model's name must import nothing."""
    program = (
        "import sys\n"
        "from summeval_pytest.judges.judge import is_local\n"
        "print(is_local('this:zen'), is_local('no_such_model:latest'), 'this' in sys.modules)\n"
    )
    told = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )
    assert told.stdout == "True False False\n"


def test_module_that_nobody_can_look_up_ends_no_run() -> None:
    """What is started as a script has a module without a specification."""
    program = "from summeval_pytest.judges.judge import is_local; print(is_local('__main__:judge'))"
    told = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=False
    )
    assert "Traceback" not in told.stderr
    assert told.returncode == 0


def test_capital_after_a_colon_is_a_class() -> None:
    """Though its module is not there: the message is about the module then, not about a model."""
    assert is_local("no_such_module:Strict")
    assert not is_local("no_such_module:strict")
    assert is_local("no_such.module:strict")
    assert not is_local("Strict")
