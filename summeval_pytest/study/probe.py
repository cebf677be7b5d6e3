"""`summeval probe`: try a judge with edited texts whose effect is known."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path
from typing import Annotated

from cyclopts import Parameter

from summeval_pytest.cli.parameters import (
    ASKING,
    NO_ENDPOINTS,
    AllowOutside,
    Asking,
    Endpoints,
    JudgeName,
    find_own_judges,
    names_in,
    session_of,
    suite_of,
)
from summeval_pytest.errors import OptionError
from summeval_pytest.run.runner import Runner
from summeval_pytest.study.relations import (
    check,
    chosen_relations,
    probes_of,
    relation_lines,
    state_of,
)
from summeval_pytest.suite.values import RecordedSpec


def probe(
    suite: Path,
    /,
    *,
    relation: Annotated[
        tuple[str, ...],
        Parameter(help="these only (repeat, or commas): metamorphic, hostile, or names"),
    ] = (),
    allow_outside: AllowOutside = False,
    judge: JudgeName = "offline",
    endpoints: Endpoints = NO_ENDPOINTS,
    asking: Asking = ASKING,
) -> tuple[list[str], bool]:
    """The relations that the judge keeps and breaks, and whether it keeps all that were decided.

    Raises:
        OptionError: for an unknown relation, and for a judge that only recalls recorded ratings.
    """
    find_own_judges(judge)
    chosen = chosen_relations(names_in(relation, "--relation") or ["all"], "--relation")
    loaded, session = suite_of(suite, allow_outside=allow_outside), session_of(endpoints, asking)
    session.add_cassette(loaded)
    if isinstance(session.judge_spec(judge, [loaded]), RecordedSpec):
        raise OptionError(
            f"probe edits texts, and judge {judge!r} knows recorded ones only; name another judge"
        )
    lines: list[str] = []
    passes = True
    with closing(Runner(session.judge(judge, [loaded]), finish=session.finish)) as runner:
        for each in chosen:
            probes = list(probes_of(loaded, each))
            found = runner.numbers(
                [task for before, after, _ in probes for task in (before, after)]
            )
            edits = [edit for *_, edit in probes]
            checks = [
                check(each, before=before, after=after, edit=edit)
                for before, after, edit in zip(found[::2], found[1::2], edits, strict=True)
            ]
            lines += relation_lines(each, checks)
            passes &= state_of(checks, each.floor) in {"passes", "nothing to check"}
    session.forget_run()
    return lines, passes
