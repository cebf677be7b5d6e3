"""The events that `summeval report --otlp` sends, as a collector gets them."""

from __future__ import annotations

import gzip
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler
from pathlib import Path
from typing import Final

import pytest
import requests  # noqa: F401 - the exporter's; a run of pytest inside a test must not load it first
from opentelemetry.exporter.otlp.proto.http._log_exporter import OTLPLogExporter
from opentelemetry.proto.collector.logs.v1.logs_service_pb2 import ExportLogsServiceRequest
from opentelemetry.sdk._logs.export import LogRecordExportResult

from summeval_pytest.cli.app import main
from summeval_pytest.errors import OptionError
from summeval_pytest.record.record_file import read_record
from summeval_pytest.scale.telemetry import EVENT, run_events, send_run
from summeval_pytest.verdict.decide import decide
from summeval_pytest.verdict.policy import Policy
from tests.processes import serving
from tests.reports.records import (
    RESULT,
    THRESHOLDS,
    changed,
    everything,
    failing,
    mean,
    moss_scores,
    record,
    refused,
    system,
    undecided,
)

CAREFUL: Final = Path(__file__).parents[2] / "golden/baselines/careful.jsonl"


@contextmanager
def collector(status: int = 200) -> Iterator[tuple[str, list[dict[str, object]]]]:
    """A collector that takes events of logs, and its address."""
    events: list[dict[str, object]] = []

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["content-length"]))
            if self.headers.get("content-encoding") == "gzip":
                body = gzip.decompress(body)
            request = ExportLogsServiceRequest.FromString(body)
            (sent,) = request.resource_logs
            about = {each.key: each.value.string_value for each in sent.resource.attributes}
            for of_event in sent.scope_logs[0].log_records:
                event: dict[str, object] = {"event": of_event.event_name}
                event["service"] = about["service.name"]
                for key, value in ((each.key, each.value) for each in of_event.attributes):
                    event[key] = getattr(value, value.WhichOneof("value"))
                events.append(event)
            self.send_response(status)
            self.end_headers()

    with serving(Handler) as url:
        yield url, events


def test_a_collector_gets_each_number_of_a_run(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """A pair's numbers, and its system's means; no text of a paper or a summary leaves."""
    with collector() as (url, events):
        monkeypatch.setenv("OTEL_EXPORTER_OTLP_ENDPOINT", url)
        assert main(["report", str(CAREFUL), "--otlp"]) == 0
    verdict = decide(read_record(CAREFUL, "RUN"))
    of_all: dict[str, object] = {"event": EVENT, "service": "summeval"}
    expected = [{**of_all, **each} for each in run_events(verdict)]
    assert sorted(events, key=repr) == sorted(expected, key=repr)
    assert f"sent {len(events):,} events" in capsys.readouterr().out
    (facet,) = [
        each
        for each in events
        if each["summeval.paper"] == "bat-01" and each["gen_ai.evaluation.name"] == "facet"
    ]
    assert facet["gen_ai.evaluation.score.label"] == "pass"
    assert facet["gen_ai.evaluation.score.value"] == 1.0
    assert facet["summeval.system"] == "careful"
    assert {each["summeval.paper"] for each in events} > {"bat-01", "all-papers"}
    summary = verdict.suites[0].pairs[0].summary
    assert not any(summary[:40] in str(event) for event in events)


def test_no_text_leaves_whatever_is_wrong() -> None:
    """Reasons, and what fails a pair, may quote a summary; ids, names and numbers do not."""
    run = everything()
    quoted = {
        phrase
        for suite in run.suites
        for system in suite.systems
        for pair in suite.pairs_of(system.name)
        for phrase in (pair.summary, system.fault, *pair.verdict.undecided)
    }
    texts = {value for each in run_events(run) for value in each.values() if type(value) is str}
    assert len(quoted - {""}) > 1
    assert texts.isdisjoint(quoted)
    assert all(len(text) < len("facet.conclusion: ") + 20 for text in texts), texts


def test_an_event_holds_what_was_judged() -> None:
    """0 is a value; a mean is at its worst if judged so; what the judge left out is an error."""
    means = (mean("eva", 0.0, 0.4), changed(mean("facet", 0.8), lowest=0.4))
    run = record(
        failing("zinc-01", RESULT, scores=moss_scores()),
        changed(undecided("ward-02"), scores=moss_scores()[:1]),
        refused("long " * 100, paper="moss-03"),
        systems=(system(means=means),),
        policy=Policy(thresholds=THRESHOLDS, must_pass=("zinc-01",)),
    )
    events = {}
    for event in run_events(run):
        assert (event["summeval.judge"], event["summeval.outcome"]) == ("offline-8", "error")
        key = event["summeval.paper"], event["gen_ai.evaluation.name"]
        score = (event.get(f"gen_ai.evaluation.score.{name}") for name in ("label", "value"))
        events[key] = (*score, event.get("summeval.threshold"))
    assert events["zinc-01", "facet.result"] == ("fail", 2.0, 3.0)
    assert events["zinc-01", "eva"] == ("pass", 0.4, 0.4)
    assert events["ward-02", "facet"][:2] == ("undecided", 0.5)
    assert events["moss-03", "facet"] == ("fail", None, None)
    unscored = [event for event in run_events(run) if event.get("error.type") == "unscored"]
    assert {event["gen_ai.evaluation.score.label"] for event in unscored} == {"error"}
    assert not any("gen_ai.evaluation.score.value" in event for event in unscored)
    assert events["all-papers", "mean eva"][:2] == ("fail", 0.0)
    assert events["all-papers", "mean facet"][:2] == ("fail", 0.4)


def test_a_collector_that_is_not_there_is_the_users_to_start(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """What was not accepted is counted, and the command does not end well."""
    with collector(status=400) as (url, _):
        monkeypatch.setenv("OTEL_EXPORTER_OTLP_ENDPOINT", url)
        assert main(["report", str(CAREFUL), "--otlp"]) == 4
    assert "events were not accepted; set OTEL_EXPORTER_OTLP_ENDPOINT" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("variable", "value"),
    [("OTEL_SDK_DISABLED", "true"), ("OTEL_BLRP_MAX_QUEUE_SIZE", "10")],
)
def test_events_that_the_sdk_drops_are_not_called_sent(
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    variable: str,
    value: str,
) -> None:
    """A variable of another program would leave the team without numbers, and without a word."""
    with collector() as (url, events):
        monkeypatch.setenv("OTEL_EXPORTER_OTLP_ENDPOINT", url)
        monkeypatch.setenv("OTEL_BLRP_MAX_EXPORT_BATCH_SIZE", "10")
        monkeypatch.setenv(variable, value)
        code = main(["report", str(CAREFUL), "--otlp"])
    n_events = len(list(run_events(decide(read_record(CAREFUL, "RUN")))))
    assert (code == 0) == (len(events) == n_events)
    if code:
        missing = n_events - len(events)
        assert f"{missing:,} of {n_events:,} events were not acc" in capsys.readouterr().err


def test_a_collector_that_refuses_is_not_asked_for_each_batch(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """One that hangs takes ten seconds a batch, and a large run has thousands of these."""
    run = record(*(failing(f"zinc-{n:03}") for n in range(300)))
    asked: list[int] = []

    def refuse(_: object, batch: Sequence[object]) -> LogRecordExportResult:
        asked.append(len(batch))
        return LogRecordExportResult.FAILURE

    monkeypatch.setattr(OTLPLogExporter, "export", refuse)
    n_events = len(list(run_events(run)))
    with pytest.raises(OptionError, match=f"{n_events:,} of {n_events:,} events"):
        send_run(run)
    assert 0 < sum(asked) <= 500 < n_events
