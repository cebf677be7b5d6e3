"""Real runs whose replies are kept in a database that many machines share."""

from __future__ import annotations

from pathlib import Path

import pytest

from summeval_pytest.cli.app import main
from summeval_pytest.scale import postgres
from tests.plugin.conftest import Bench, Run, by_rule
from tests.postgres_server import ESCAPED, PASSWORD, PostgresServer
from tests.scripted_server import Action, Seen

OUTPUTS = ("--summ-run-record=run.jsonl", "--summ-junit=junit.xml", "--summ-html=page.html")
PRICES = "input_price = 1000.0\noutput_price = 1000.0\n"


def judged(bench: Bench, url: str, *arguments: str) -> Run:
    """A run over the suite with the judge behind the endpoint, and this store."""
    store = f"--summ-store={url}"
    return bench.inside("summeval.toml", "--summ-judge=rule", "-rA", store, *arguments)


def shows_password(folder: Path, *texts: str) -> bool:
    """Whether it stands in any text, or any file under a folder, escaped or not."""
    files = [file.read_bytes() for file in folder.rglob("*") if file.is_file()]
    found = b"\n".join([*files, *(text.encode() for text in texts)])
    return PASSWORD.encode() in found or ESCAPED.encode() in found


def test_what_one_machine_asked_no_other_asks(
    bench: Bench, url: str, postgres_server: PostgresServer
) -> None:
    """Machines share replies, limits and budget; the password is shown nowhere."""
    bench.suite(pair="facet = 0.3\nfaithfulness = 0.3")
    limit = "requests_per_minute = 6000\ntokens_per_minute = 60000000"
    with bench.serving(judge=PRICES) as server:
        bench.spoil("summeval.toml", "timeout_seconds = 20", f"timeout_seconds = 20\n{limit}")
        first = judged(bench, url, "--summ-budget=900", *OUTPUTS)
        n_requests, n_different = server.n_requests, server.n_different
        again = judged(bench, url, "-vv", "--showlocals")
        everything = judged(bench, url, "--summ-record=all")
        assert server.n_requests == 2 * n_requests

    assert first.code == again.code == everything.code == 0
    assert n_requests == n_different
    assert f"0 asked, {n_requests} remembered" in again.out
    assert f"store postgresql://127.0.0.1:{postgres_server.port}/db" in again.out
    assert not bench.store.exists()
    runs = (first, again, everything)
    assert not shows_password(bench.path, *(text for run in runs for text in (run.out, run.err)))
    rows = "SELECT count(*), count(*) FILTER (WHERE run = '') FROM summeval.replies"
    assert postgres_server.found(url, rows) == [(n_requests, n_requests)]
    assert postgres_server.found(url, "SELECT * FROM summeval.accounts") == []
    assert len(postgres_server.found(url, "SELECT * FROM summeval.paces")) == 1


def test_a_database_that_goes_away_is_the_judges_fault_and_the_rerun_goes_on(
    bench: Bench, url: str, postgres_server: PostgresServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An error of what is judged then, as of a judge that cannot be reached; never a failure."""
    bench.suite(papers=("limpet-01", "kiln-02", "moss-03"), pair="facet = 0.3")
    is_up = True

    def gone_at_the_third(seen: Seen) -> Action:
        nonlocal is_up
        if seen.index == 2:
            postgres_server.stop()
            is_up = False
        return by_rule(seen)

    with bench.serving(gone_at_the_third) as server:
        try:
            with monkeypatch.context() as patch:
                patch.setattr(postgres, "PATIENCE_SECONDS", 0.2)
                broken = judged(bench, url, "--summ-in-flight=1")
        finally:
            if not is_up:
                postgres_server.start()
        n_before = server.n_requests
        (kept,) = postgres_server.found(url, "SELECT count(*) FROM summeval.replies")[0]
        rerun = judged(bench, url, "--summ-in-flight=1")
        n_needed = server.n_different

    assert broken.code == pytest.ExitCode.TESTS_FAILED
    assert "ERROR" in broken.outcomes.values()
    assert "FAILED" not in broken.outcomes.values()
    where = f"the store postgresql://127.0.0.1:{postgres_server.port}/db"
    assert where in broken.out
    assert "cannot be reached" in broken.out
    assert rerun.code == 0
    assert kept >= 1
    assert server.n_requests - n_before == n_needed - kept


def test_commands_take_the_address_too(
    bench: Bench, url: str, postgres_server: PostgresServer, capsys: pytest.CaptureFixture[str]
) -> None:
    """A cassette's replies go in, and a run then asks nothing; nor does one without a database."""
    bench.suite(pair="facet = 0.3")
    with bench.serving() as server:
        none = judged(bench, postgres_server.url("none"))
        assert server.n_requests == 0
        judged(bench, str(bench.store))
        n_requests = server.n_requests
        suite = str(bench.path)
        assert main(["cassette", "export", suite, "--judge", "rule"]) == 0
        assert main(["cassette", "import", suite, "--store", url]) == 0
        (bench.path / "cassette.jsonl").unlink()
        again = judged(bench, url)
        assert main(["plan", suite, "--judge", "rule", "--store", url]) == 0
        assert server.n_requests == n_requests

    assert (none.code, again.code) == (pytest.ExitCode.USAGE_ERROR, 0)
    assert 'database "none" does not exist' in none.out + none.err
    out = capsys.readouterr().out + none.out + none.err
    assert f"{n_requests} replies from" in out
    assert "every reply is stored" in out
    assert not shows_password(bench.path, out)
