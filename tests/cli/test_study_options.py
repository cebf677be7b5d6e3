from __future__ import annotations

import re

import pytest

from summeval_pytest.analysis.study import ANALYSES, OF_TEXTS
from summeval_pytest.cli.app import main


def test_the_help_names_every_analysis(capsys: pytest.CaptureFixture[str]) -> None:
    """It is written by hand, so that the help of other commands loads no numpy."""
    with pytest.raises(SystemExit) as ended:
        main(["study", "--help"])
    assert ended.value.code == 0
    text = " ".join(capsys.readouterr().out.split())
    (judged, read) = re.findall(
        r"default: all\): (.*); and, without asking a judge, (.*?) --", text
    )[0]
    named = [set(re.split(", | and ", names)) for names in (judged, read)]
    assert named == [set(ANALYSES) - OF_TEXTS, set(OF_TEXTS)]
