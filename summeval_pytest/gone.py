"""What a released command, option or key was called and does no more, for one release.

Each value says what to do in place of it.
"""

from __future__ import annotations

from typing import Final

OPTIONS: Final = {
    "compare_fail": "write the rules into the suite, as [compare] no_worse = {facet = 0.05} or"
    " drop = {facet = 0.02}",
    "base": "a review of the suite's folder takes its place: name its owners in CODEOWNERS",
}
"""By the option's name without ``--summ-``, ``summ_`` or ``SUMM_``."""
_EVA: Final = (
    "write chains, validation, premises, relations and encoder into a table [metrics.eva], below"
    ' use = "summeval_pytest.study.eva.printed_eva:PrintedEva"'
)
KEYS: Final = {
    **dict.fromkeys(("eva_chains", "eva_validation", "eva_premises", "eva_relations"), _EVA),
    "encoder": _EVA,
    "corrected": "`summeval study SUITE --only corrected` gives means without the judge's error",
    "sentence_examples": 'write examples = "labels", which shows ratings, sentences and facts',
    "fact_examples": 'write examples = "labels", which shows ratings, sentences and facts',
    "recorded": 'a judge has use = "summeval_pytest.study.recorded_judge:RecordedJudge", with'
    ' file = "recorded.jsonl", by = "NAME" and segments = "NAME"',
    "checker": 'a judge has use = "summeval_pytest.study.local_checker:LocalChecker", with'
    ' model = "FOLDER" and the same other keys',
    **dict.fromkeys(
        ("rubric", "strict", "factual"),
        'a judge with use = "summeval_pytest.study.llm_readings:LlmReadings" has this key',
    ),
    "stick": "a review of the suite's folder takes its place: name its owners in CODEOWNERS",
}
"""By the key of `summeval.toml`."""
COMMANDS: Final = {
    "completion": "`summeval --help` lists the commands, and each has a --help of its own",
    "cassette prune": "delete the cassette, then `summeval cassette export` writes what a run uses",
    "cassette verify": "`pytest SUITE --summ-record=none` replays the run, and names what is"
    " missing and how much is unused",
    "diff": "`git diff BASE -- SUITE` shows what a change does to a suite",
    "rescore": "`summeval thresholds RUN` shows what other thresholds do, and `pytest SUITE"
    " --summ-from=RUN --summ-min=facet=0.7` decides with them",
}
"""By the command's name."""
