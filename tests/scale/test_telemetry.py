"""The events that `summeval report --otlp` sends, as a collector gets them."""

from __future__ import annotations

import gzip
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler
from pathlib import Path
from typing import Final

import pytest
from opentelemetry.proto.collector.logs.v1.logs_service_pb2 import ExportLogsServiceRequest

from summeval_pytest.cli.app import main
from summeval_pytest.record.record_file import read_record
from summeval_pytest.scale.telemetry import EVENT, run_events
from summeval_pytest.verdict.decide import decide
from tests.processes import serving
from tests.reports.records import failing, record, refused, undecided

CAREFUL: Final = Path(__file__).parents[2] / "golden/baselines/careful.json"


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
            for of_event in request.resource_logs[0].scope_logs[0].log_records:
                event: dict[str, object] = {"event": of_event.event_name}
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
    expected: list[dict[str, object]] = [{"event": EVENT, **each} for each in run_events(verdict)]
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


def test_a_label_says_how_each_number_ended() -> None:
    """What the judge left unscored is an error, and has no value."""
    run = record(failing("zinc-01"), undecided("ward-02"), refused())
    labels: dict[object, set[object]] = {}
    for event in run_events(run):
        key = event["gen_ai.evaluation.score.label"], event.get("error.type")
        labels.setdefault(event["summeval.paper"], set()).add(key)
    assert ("fail", None) in labels["zinc-01"]
    assert ("error", "unscored") in labels["ward-02"]
    unscored = [each for each in run_events(run) if "error.type" in each]
    assert unscored
    assert not any("gen_ai.evaluation.score.value" in each for each in unscored)


def test_a_collector_that_is_not_there_is_the_users_to_start(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """What was not accepted is counted, and the command does not end well."""
    with collector(status=400) as (url, _):
        monkeypatch.setenv("OTEL_EXPORTER_OTLP_ENDPOINT", url)
        assert main(["report", str(CAREFUL), "--otlp"]) == 4
    assert "events were not accepted; set OTEL_EXPORTER_OTLP_ENDPOINT" in capsys.readouterr().err
