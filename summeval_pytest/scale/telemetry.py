"""OpenTelemetry: each number of a decided run as an event, for what a team watches already.

The events are ``gen_ai.evaluation.result`` of the semantic conventions for generative AI. Where
they go is up to the SDK's own variables, as OTEL_EXPORTER_OTLP_ENDPOINT. Texts of papers and
summaries stay here.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import islice
from typing import TYPE_CHECKING, Final

from summeval_pytest.errors import OptionError
from summeval_pytest.reports.cases import Cause, Part, pair_parts, system_parts
from summeval_pytest.suite.lines import ALL_PAPERS
from summeval_pytest.verdict.run import RunVerdict

if TYPE_CHECKING:
    from opentelemetry.sdk._logs import ReadableLogRecord

Attributes = dict[str, str | float]
EVENT: Final = "gen_ai.evaluation.result"
_LABELS: Final[Mapping[Cause, str]] = {
    "passed": "pass",
    "skipped": "undecided",
    "unscored": "error",
}
"""Any other cause is a failure."""
_BATCH: Final = 500


def run_events(run: RunVerdict) -> Iterator[Attributes]:
    """The attributes of each event: of the numbers of every pair, and of every system's means."""
    for suite in run.suites:
        about: Attributes = {
            "summeval.suite": suite.name,
            "summeval.judge": run.judge.signature,
            "summeval.outcome": run.shown,
        }
        for pair in suite.pairs:
            of_pair: Attributes = {"summeval.system": pair.system, "summeval.paper": pair.paper}
            yield from _events(
                about | of_pair, pair_parts(pair, suite.policy.thresholds_of(pair.paper))
            )
        for system in suite.systems:
            of_system: Attributes = {"summeval.system": system.name, "summeval.paper": ALL_PAPERS}
            yield from _events(about | of_system, system_parts(system, ()))


def _events(about: Attributes, parts: Sequence[Part]) -> Iterator[Attributes]:
    """Names, numbers and labels only: the text of a part may quote a summary."""
    for part in parts:
        event = about | {
            "gen_ai.evaluation.name": part.name,
            "gen_ai.evaluation.score.label": _LABELS.get(part.cause, "fail"),
        }
        if part.value is not None:
            event["gen_ai.evaluation.score.value"] = part.value
        if part.bound is not None:
            event["summeval.threshold"] = part.bound
        if part.cause == "unscored":
            event["error.type"] = "unscored"
        yield event


def send_run(run: RunVerdict) -> int:
    """Sends the events of a run, and returns how many these are.

    Raises:
        OptionError: where the SDK is not installed, or the collector takes not all of them.
    """
    try:
        from opentelemetry.exporter.otlp.proto.http._log_exporter import OTLPLogExporter
        from opentelemetry.sdk._logs import LoggerProvider
        from opentelemetry.sdk._logs.export import BatchLogRecordProcessor, LogRecordExportResult
        from opentelemetry.sdk.resources import Resource
    except ImportError:
        raise OptionError(
            "--otlp needs OpenTelemetry's SDK; install it: pip install 'summeval-pytest[otel]'"
        ) from None

    class Watched(OTLPLogExporter):
        n_accepted = 0

        def export(self, batch: Sequence[ReadableLogRecord]) -> LogRecordExportResult:
            result = super().export(batch)
            self.n_accepted += len(batch) * (result is LogRecordExportResult.SUCCESS)
            return result

    exporter, n_events, events = Watched(), 0, run_events(run)
    provider = LoggerProvider(resource=Resource.create({"service.name": "summeval"}))
    provider.add_log_record_processor(BatchLogRecordProcessor(exporter))
    logger = provider.get_logger("summeval")
    while batch := tuple(islice(events, _BATCH)):
        if exporter.n_accepted == n_events:  # else the collector would be waited for once a batch
            for attributes in batch:
                logger.emit(event_name=EVENT, attributes=attributes)
            provider.force_flush()
        n_events += len(batch)
    provider.shutdown()
    if exporter.n_accepted < n_events:
        raise OptionError(
            f"--otlp: {n_events - exporter.n_accepted:,} of {n_events:,} events were not accepted;"
            " set OTEL_EXPORTER_OTLP_ENDPOINT to a collector that runs, and no other variable of"
            " the SDK that drops events"
        )
    return n_events
