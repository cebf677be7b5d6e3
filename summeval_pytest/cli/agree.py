"""`summeval agree`: every metric and baseline beside the human labels of a suite."""

from __future__ import annotations

import json
from collections import defaultdict
from contextlib import closing
from dataclasses import dataclass, fields, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final, Literal

from cyclopts import Parameter

from summeval_pytest.analysis.agreement import (
    HUMAN,
    LEVELS,
    LabelledPair,
    column_agreement,
    column_names,
    correlations,
    fitted_weights,
    labelled_pair,
    level_agreement,
    partial_correlations,
    system_means,
    with_whole_support,
)
from summeval_pytest.analysis.annotators import annotator_agreement
from summeval_pytest.analysis.items import item_agreements, role_agreement, supporting_figures
from summeval_pytest.cli.options import (
    ASKING,
    NO_ENDPOINTS,
    AllowOutside,
    Asking,
    Endpoints,
    JsonFile,
    JudgeName,
    check_writable,
    find_own_judges,
    running,
    session_of,
    suite_of,
    whole_number,
    write_figures,
    write_text,
)
from summeval_pytest.errors import OptionError, Place, SuiteError, nearest
from summeval_pytest.metrics.baselines import top_sentences
from summeval_pytest.metrics.embeddings import embedding_match, nearest_sentences
from summeval_pytest.metrics.score import METRICS, FaithfulnessScore
from summeval_pytest.questions import FACETS, SCALES
from summeval_pytest.reports.tables import (
    agreement_json,
    column_table,
    given_table,
    item_table,
    items_json,
    lacking_lines,
    level_table,
    matrix_table,
    plain,
    recorded_table,
    role_table,
    roles_json,
    summary_lines,
    supporting_table,
    triple,
    weights_lines,
)
from summeval_pytest.run.golden import (
    EvidenceCount,
    check_indices,
    check_sentences,
    count_evidence,
    evidence_cases,
    evidence_tasks,
    places_of,
)
from summeval_pytest.run.measure import BaselineName
from summeval_pytest.run.runner import Task
from summeval_pytest.stats.correlation import COEFFICIENTS, CoefficientName
from summeval_pytest.suite.marking import cut, read_label_file, source_sentences
from summeval_pytest.text.normalise import normalise
from summeval_pytest.text.printing import one_line
from summeval_pytest.verdict.thresholds import has_part
from summeval_pytest.verdict.trust import FACT, SENTENCE

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    import numpy as np
    from numpy.typing import NDArray

    from summeval_pytest.analysis.agreement import (
        AgreementLevel,
        ColumnAgreement,
        Correlations,
        Estimate,
        LevelAgreement,
    )
    from summeval_pytest.analysis.annotators import AnnotatorAgreement, KindAgreement
    from summeval_pytest.analysis.items import ItemAgreement, RoleAgreement, SupportingFigures
    from summeval_pytest.metrics.embeddings import PairScorer, TextEncoder
    from summeval_pytest.questions import FacetSegments
    from summeval_pytest.run.measure import Evaluation
    from summeval_pytest.run.session import Session
    from summeval_pytest.stats.matrices import FittedWeights
    from summeval_pytest.suite.labels import Label, Recorded
    from summeval_pytest.suite.suite import Suite
    from summeval_pytest.suite.values import Pair


def labelled_pairs(
    suite: Suite, judge_name: str, session: Session, baselines: tuple[BaselineName, ...] = ()
) -> list[LabelledPair]:
    """Every pair that a label says something of, in the order of the labels.

    Args:
        suite: The suite.
        judge_name: Who judges.
        session: Names, endpoints and budget of the run.
        baselines: What else the judge is asked for.

    Raises:
        SuiteError: where no label has anything to agree with, or one is of a sentence that its
            summary does not have.
        JudgeError: if the judge breaks its contract.
    """
    labels = [label for label in suite.labels.values() if _says_something(label)]
    if not labels:
        raise SuiteError(
            Place(suite.shown),
            "no label has anything to agree with: an 'overall' score, a facet's rating, sentences,"
            ' facts or roles; add labels.jsonl and name it as labels = "labels.jsonl"',
        )
    check_sentences(suite)
    records: defaultdict[tuple[str, str], list[Recorded]] = defaultdict(list)
    references: defaultdict[str, dict[str, FacetSegments]] = defaultdict(dict)
    for record in suite.recorded:
        if record.system is not None:
            records[record.paper, record.system].append(record)
        elif record.segments is not None:
            references[record.paper][record.by] = record.segments
    tasks = [
        Task(
            suite=suite,
            paper=label.paper,
            system=label.system,
            metrics=METRICS,
            facts=label.facts,
            baselines=baselines,
            segments=bool(label.roles),
        )
        for label in labels
    ]
    judge = session.judge(judge_name, [suite])
    try:
        with running(judge, session) as runner, closing(runner.evaluations(tasks)) as evaluations:
            return with_whole_support(
                [
                    labelled_pair(
                        label,
                        evaluation,
                        records[label.paper, label.system],
                        references[label.paper],
                    )
                    for label, evaluation in zip(labels, evaluations, strict=True)
                ]
            )
    finally:
        session.forget_run()


def _says_something(label: Label) -> bool:
    parts = ("overall", "facets", "facts", "roles")
    return bool(label.sentences) or any(has_part(label, part) for part in parts)


_TOPS: Final = (1, 2, 3)
"""Evidence of so many sentences is retrieved."""
_WAY: Final = 26


def retrieved_evidence(
    labelled: Iterable[tuple[Label, Pair]], encoder: TextEncoder
) -> Mapping[str, EvidenceCount]:
    """How far the nearest source sentences are the labelled evidence, for each way to find them.

    Over sentences labelled faithful with evidence, micro as in FareBio: by embeddings and, beside
    them, by BM25, the best 1, 2 and 3. Empty where no label has evidence.

    Raises:
        SuiteError: for a label of a sentence that the summary does not have.
    """
    counts: dict[str, list[EvidenceCount]] = {}
    sources: dict[str, tuple[tuple[str, ...], NDArray[np.float64]]] = {}
    for label, pair in labelled:
        wanted = [one for one in label.sentences or () if one.faithful and one.evidence]
        if not wanted:
            continue
        if label.paper not in sources:
            source = source_sentences(pair.paper)
            sources[label.paper] = source, encoder.encode(source)
        source, vectors = sources[label.paper]
        summary = cut(pair.summary)
        check_indices(label, len(summary))
        for one in wanted:
            places = places_of(one.evidence, source)
            claim = summary[one.index]
            (row,) = encoder.encode([claim])
            ways = {
                "embedding": nearest_sentences(row, vectors, _TOPS[-1]),
                "BM25": top_sentences(claim, source, _TOPS[-1]),
            }
            for way, order in ways.items():
                for top in _TOPS:
                    found = count_evidence(places, order[:top])
                    counts.setdefault(f"{way}, best {top}", []).append(found)
    return {
        way: EvidenceCount(
            named=sum(one.named for one in each),
            labelled=sum(one.labelled for one in each),
            both=sum(one.both for one in each),
        )
        for way, each in sorted(counts.items())
    }


def as_counts(found: Mapping[str, EvidenceCount]) -> dict[str, object]:
    """The counts of each way as plain JSON values; nothing where no label has evidence."""
    counts = {
        way: {"named": count.named, "labelled": count.labelled, "both": count.both}
        for way, count in found.items()
    }
    return {"evidence": counts} if counts else {}


def evidence_table(found: Mapping[str, EvidenceCount]) -> Iterator[str]:
    """Precision, recall and F1 of each way; nothing where no label has evidence."""
    if not found:
        return
    yield ""
    titles = f"{'named':>6}{'labelled':>10}{'both':>6}{'P':>7}{'R':>7}{'F1':>7}"
    yield f"{'labelled evidence':<{_WAY}}{titles}"
    for way, count in found.items():
        counted = f"{count.named:>6}{count.labelled:>10}{count.both:>6}"
        shares = f"{count.precision:>7.3f}{count.recall:>7.3f}{count.f1:>7.3f}"
        yield f"{way:<{_WAY}}{counted}{shares}"


BERTSCORE: Final = ("BERTScore", "BERTScore precision", "BERTScore recall")
EMBEDDING: Final = ("embedding F1", "embedding precision", "embedding recall")


@dataclass(frozen=True, slots=True, kw_only=True)
class LocalModels:
    """What the options name; None for an option that is not given."""

    encoder: TextEncoder | None = None
    scorer: PairScorer | None = None

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns that they fill, in the order shown."""
        return (*(BERTSCORE if self.scorer else ()), *(EMBEDDING if self.encoder else ()))


NO_MODELS: Final = LocalModels()


def models_of(chosen: Tables) -> LocalModels:
    """The models that the options ``--bertscore``, ``--bertscore-layers``, ``--embeddings`` name.

    Raises:
        OptionError: if a model or its package is not there, or layers are named without a model.
    """
    bertscore, layers = chosen.bertscore, chosen.bertscore_layers
    if layers is not None and bertscore is None:
        raise OptionError(
            f"--bertscore-layers={layers} goes with --bertscore=MODEL; add it or leave this out"
        )
    if bertscore is None and chosen.embeddings is None:
        return NO_MODELS
    from summeval_pytest.metrics.embeddings import load_bertscore, load_encoder

    encoder = scorer = None
    if bertscore is not None:
        scorer = load_bertscore(bertscore, layers=layers, option="--bertscore")
    if chosen.embeddings is not None:
        encoder = load_encoder(chosen.embeddings, option="--embeddings")
    return LocalModels(encoder=encoder, scorer=scorer)


def extra_columns(pairs: Sequence[Pair], models: LocalModels) -> tuple[Mapping[str, float], ...]:
    """The columns of each pair that these models fill; of several references the best counts.

    0 where a text is empty, as for ROUGE: a baseline has a number for every pair.
    """
    found: tuple[dict[str, float], ...] = tuple({} for _ in pairs)
    if models.scorer is not None:
        for columns, more in zip(found, _bertscores(pairs, models.scorer), strict=True):
            columns.update(more)
    if models.encoder is not None:
        for columns, more in zip(found, _embeddings(pairs, models.encoder), strict=True):
            columns.update(more)
    return found


def with_columns(pairs: Sequence[LabelledPair], models: LocalModels) -> list[LabelledPair]:
    """The pairs with the columns of these models; a recorded one of the same name is marked."""
    ours = frozenset(models.columns)
    texts = [pair.pair for pair in pairs if pair.pair is not None]
    more = extra_columns(texts, models)
    return [
        replace(
            pair,
            columns={f"{c} (recorded)" if c in ours else c: n for c, n in pair.columns.items()}
            | dict(columns),
        )
        for pair, columns in zip(pairs, more, strict=True)
    ]


def model_figures(
    suite: Suite, pairs: Sequence[LabelledPair], models: LocalModels
) -> tuple[dict[str, object], list[str]]:
    """What these models say beside their columns: for the JSON file, and as lines."""
    if not models.columns:
        return {}, []
    texts = [pair.pair for pair in pairs if pair.pair is not None]
    labelled = [(suite.labels[pair.paper.id, pair.system], pair) for pair in texts]
    found = retrieved_evidence(labelled, models.encoder) if models.encoder is not None else {}
    lines = [*evidence_table(found), *told_of_models(texts, models)]
    return recipes_of(models) | as_counts(found), lines


def _bertscores(pairs: Sequence[Pair], scorer: PairScorer) -> Iterator[Mapping[str, float]]:
    by_reference = [
        [(normalise(reference), normalise(pair.summary)) for reference in pair.paper.references]
        for pair in pairs
    ]
    scores = iter(scorer.score([texts for one in by_reference for texts in one]))
    for texts in by_reference:
        some = [next(scores) for _ in texts]
        values = (
            max(score.f1 for score in some),
            max(score.precision for score in some),
            max(score.recall for score in some),
        )
        yield dict(zip(BERTSCORE, values, strict=True))


def _embeddings(pairs: Sequence[Pair], encoder: TextEncoder) -> Iterator[Mapping[str, float]]:
    for pair in pairs:
        some = [
            embedding_match(cut(reference), cut(pair.summary), encoder.encode)
            for reference in pair.paper.references
        ]
        values = (
            max(match.f1 for match in some),
            max(match.precision for match in some),
            max(match.recall for match in some),
        )
        yield dict(zip(EMBEDDING, values, strict=True))


def recipes_of(models: LocalModels) -> dict[str, object]:
    """The signature of each model that is used, for the figures as JSON."""
    used = {"BERTScore": models.scorer, "embedding": models.encoder}
    recipes = {name: model.signature for name, model in used.items() if model is not None}
    return {"recipes": recipes} if recipes else {}


def told_of_models(pairs: Sequence[Pair], models: LocalModels) -> Iterator[str]:
    """What a reader of the columns has to know: the recipe, and how many texts were cut."""
    if models.columns:
        yield ""
    texts = {text for pair in pairs for text in (pair.summary, *pair.paper.references)}
    if models.scorer is not None:
        whole = sorted(map(normalise, texts))
        yield (
            f"BERTScore: {models.scorer.signature}; {models.scorer.count_cut(whole)} of"
            f" {len(whole)} texts are longer than the model reads and were cut."
        )
        yield "It orders texts and no more: unrelated ones score high, by how much is the model's."
    if models.encoder is not None:
        sentences = sorted({sentence for text in texts for sentence in cut(text)})
        yield (
            f"embedding: {models.encoder.signature}; {models.encoder.count_cut(sentences)} of"
            f" {len(sentences)} sentences are longer than the model reads and were cut."
        )


_VERDICTS: Final = (SENTENCE, FACT)


@Parameter(name="*")
@dataclass(frozen=True, slots=True, kw_only=True)
class Tables:
    """What is printed beside the labels; the JSON has every level and matrix always."""

    level: Annotated[
        Literal["pooled", "paper", "system", "all"] | None,
        Parameter(
            help="all three coefficients over all pairs, within papers, or of the systems' means"
            " (default: Pearson and Spearman over all pairs, Kendall within papers)"
        ),
    ] = None
    matrix: Annotated[
        CoefficientName | None, Parameter(help="this coefficient of every two columns, too")
    ] = None
    fit_weights: Annotated[
        bool, Parameter(help="fit the facets' weights to the overall scores")
    ] = False
    summary: Annotated[
        bool,
        Parameter(
            help="one line a figure in place of the tables: suite, figure, items, value, interval"
        ),
    ] = False
    given: Annotated[
        str | None,
        Parameter(help="what each column still says of the labels where this one is known"),
    ] = None
    baseline: Annotated[
        tuple[BaselineName, ...],
        Parameter(
            help="ask the judge for this, too, beside the metrics: one rating of the whole summary,"
            " or facts counted by one prompt (repeat for both)"
        ),
    ] = ()
    bertscore: Annotated[
        str | None,
        Parameter(
            help="add BERTScore by the model in this folder (needs summeval-pytest[bertscore])"
        ),
    ] = None
    bertscore_layers: Annotated[
        int | None,
        Parameter(
            help="take its vectors after N layers (default: what bert-score has tuned for a model"
            " of this name, else all)",
            converter=whole_number,
        ),
    ] = None
    embeddings: Annotated[
        str | None,
        Parameter(
            help="add recall by sentence embeddings, and the evidence that they find, by the model"
            " in this folder (needs summeval-pytest[embeddings])"
        ),
    ] = None

    @property
    def levels(self) -> tuple[AgreementLevel, ...]:
        """The levels in place of the first table's mixture."""
        if self.level == "all":
            return ("pooled", "paper", "system")
        return () if self.level is None else (self.level,)


TABLES: Final = Tables()


@dataclass(frozen=True, slots=True, kw_only=True)
class _Found:
    """Everything that is told of a suite."""

    suite: Suite
    judge: str
    pairs: Sequence[LabelledPair]
    columns: tuple[str, ...]
    items: Mapping[str, ItemAgreement]
    roles: RoleAgreement
    recorded: Mapping[str, Mapping[str, ItemAgreement]]

    def metrics(self) -> dict[str, ColumnAgreement]:
        return {column: column_agreement(self.pairs, column) for column in self.columns}

    def at(self, level: AgreementLevel) -> dict[str, LevelAgreement]:
        return {column: level_agreement(self.pairs, column, level) for column in self.columns}

    def correlations(self, level: AgreementLevel, name: CoefficientName) -> Correlations:
        return correlations(self.pairs, self.columns, level, name)

    def given(self, column: str) -> Mapping[str, Estimate]:
        return partial_correlations(self.pairs, self.columns, column)

    def weights(self) -> FittedWeights | str:
        return fitted_weights(self.suite.labels.values(), SCALES)


def agree(
    suite: Path,
    /,
    *,
    evidence: Annotated[
        bool,
        Parameter(
            help="in place of the tables, the source sentences that the judge names as evidence"
            " beside those that labels name: precision, recall and F1, with BM25's first beside it"
        ),
    ] = False,
    of: Annotated[
        Literal["faithful", "labelled"] | None,
        Parameter(
            help="with --evidence: the sentences labelled faithful, as FareBio counts them, or all"
            " that labels give evidence for, partly supported ones as well (default: faithful)"
        ),
    ] = None,
    compare: Annotated[
        tuple[Path, Path] | None,
        Parameter(
            help="in place of the tables, how two annotators' label files agree; asks no judge"
        ),
    ] = None,
    json_file: JsonFile = None,
    tables: Tables = TABLES,
    allow_outside: AllowOutside = False,
    judge: JudgeName = "offline",
    endpoints: Endpoints = NO_ENDPOINTS,
    asking: Asking = ASKING,
) -> list[str]:
    """What the command prints, also written as JSON where a file is named.

    Raises:
        UsageError: for a mistake in the suite or the options.
        JudgeError: if the judge breaks its contract.
    """
    if of is not None and not evidence:
        raise OptionError(f"--of={of} goes with --evidence; add it or leave this out")
    if evidence or compare is not None:
        _refuse_tables(tables, "evidence" if evidence else "compare")
    if evidence and compare is not None:
        raise OptionError("--evidence prints no other table; leave out --compare")
    models = models_of(tables)
    if json_file is not None:
        check_writable(json_file, "--json")
    loaded = suite_of(suite, allow_outside=allow_outside)
    if compare is not None:
        return compare_annotators(loaded, *compare, json_file)
    find_own_judges(judge)
    session = session_of(endpoints, asking)
    session.add_cassette(loaded)
    if evidence:
        report = measured_evidence(loaded, judge, session, every=of == "labelled")
        if json_file is not None:
            write_figures(json_file, "--json", report)
        return list(_evidence_lines(report, judge))
    return _agreement(loaded, judge, session, tables=tables, models=models, json_file=json_file)


def _refuse_tables(tables: Tables, wanted: str) -> None:
    for option in fields(tables):
        if getattr(tables, option.name):
            name = option.name.replace("_", "-")
            raise OptionError(f"--{wanted} prints no other table; leave out --{name}")


def _agreement(
    suite: Suite,
    judge_name: str,
    session: Session,
    *,
    tables: Tables,
    models: LocalModels,
    json_file: Path | None,
) -> list[str]:
    """The tables of agreement, also written as JSON where a file is named.

    Raises:
        UsageError: for a suite without labels, an unknown column or an unknown judge.
        JudgeError: if the judge breaks its contract.
    """
    baselines = tuple(dict.fromkeys(tables.baseline))
    pairs = with_columns(labelled_pairs(suite, judge_name, session, baselines), models)
    figures, lines = model_figures(suite, pairs, models)
    found = _Found(
        suite=suite,
        judge=judge_name,
        pairs=pairs,
        columns=column_names(pairs, models.columns),
        items=item_agreements([pair.golden for pair in pairs if pair.golden is not None]),
        roles=role_agreement(pairs),
        recorded={
            by: item_agreements([pair.recorded[by] for pair in pairs if by in pair.recorded])
            for by in sorted({by for pair in pairs for by in pair.recorded})
        },
    )
    if tables.given is not None and tables.given not in found.columns:
        known = nearest(tables.given, found.columns)
        raise OptionError(f"--given={tables.given}: there is no such column; {known}")
    if json_file is not None:
        text = json.dumps(as_json(found, tables.given) | figures, indent=2, ensure_ascii=False)
        write_text(json_file, "--json", f"{text}\n")
    if tables.summary:
        return list(summary_lines(suite.shown, found.metrics(), found.items, found.roles))
    return [*_told(found, tables), *lines]


def as_json(found: _Found, given: str | None = None) -> dict[str, object]:
    """All figures as plain JSON values; an undefined one is null."""
    partial = {} if given is None else {"given": {given: _triples(found.given(given))}}
    matrices = {
        level: {name: found.correlations(level, name) for name in COEFFICIENTS} for level in LEVELS
    }
    levels = {level: found.at(level) for level in LEVELS}
    return {
        "pairs": len(found.pairs),
        "metrics": {
            column: {
                "pearson": triple(each.pearson),
                "spearman": triple(each.spearman),
                "kendall": triple(each.kendall),
                "pairs": each.n_pairs,
                **{level: _level_json(at[column]) for level, at in levels.items()},
            }
            for column, each in found.metrics().items()
        },
        "facets": {
            facet: {
                "exact": found.items[facet].figures["exact"].value,
                "kappa": found.items[facet].figures["quadratic kappa"].value,
                "pairs": found.items[facet].n_items,
            }
            for facet in FACETS
        },
        "items": items_json(found.items),
        "roles": roles_json(found.roles),
        "recorded": {
            by: items_json({facet: items[facet] for facet in FACETS})
            for by, items in found.recorded.items()
        },
        "systems": system_means(found.pairs, found.columns),
        "matrices": agreement_json(found.columns, matrices),
        "weights": _weights_json(found.weights()),
        **partial,
    }


def _triples(estimates: Mapping[str, Estimate]) -> dict[str, list[float | None]]:
    return {column: triple(estimate) for column, estimate in estimates.items()}


def _weights_json(found: FittedWeights | str) -> dict[str, object]:
    if isinstance(found, str):
        return {"reason": found}
    by_facet: dict[str, object] = dict(zip(FACETS, found.weights, strict=True))
    return {**by_facet, "error": found.error, "pairs": found.n_rows}


def _level_json(found: LevelAgreement) -> dict[str, object]:
    return {
        "n": found.n,
        **{name: triple(estimate) for name, estimate in found.estimates.items()},
        **({"p": dict(found.p_values)} if found.p_values else {}),
    }


def _told(found: _Found, wanted: Tables) -> Iterator[str]:
    suite = found.suite
    yield (
        f"{suite.shown}: {len(found.pairs)} labelled pairs, judge {found.judge}, suite"
        f" {suite.fingerprint}"
    )
    yield "Agreement with the human overall score; 95 % intervals over papers."
    yield ""
    if all(pair.human is None for pair in found.pairs):
        yield f"no label has an overall score or all four facets: no {HUMAN} column to go with"
    else:
        yield from _correlated(found, wanted)
    yield ""
    lacking = list(lacking_lines([pair.lacking for pair in found.pairs]))
    yield from [*lacking, ""] if lacking else []
    yield from item_table(found.items, FACETS)
    if any(found.items[kind].n_items for kind in _VERDICTS):
        yield ""
        yield from item_table(found.items, _VERDICTS)
        yield "wrong: a sentence that is not faithful, a fact that does not hold"
    if found.roles.n_items:
        yield ""
        yield from role_table(found.roles)
    if found.recorded:
        yield ""
        yield from recorded_table(found.recorded)
    if wanted.fit_weights:
        yield ""
        yield from weights_lines(found.weights())


def _correlated(found: _Found, wanted: Tables) -> Iterator[str]:
    if not wanted.levels:
        yield from column_table(found.metrics())
    for place, level in enumerate(wanted.levels):
        if place:
            yield ""
        yield from level_table(level, found.at(level))
    if wanted.matrix is not None:
        for level in wanted.levels or ("pooled",):
            yield ""
            yield from matrix_table(wanted.matrix, level, found.correlations(level, wanted.matrix))
    if wanted.given is not None:
        yield ""
        yield from given_table(wanted.given, found.given(wanted.given))


_NAME: Final = 18


def compare_annotators(
    suite: Suite, first: Path, second: Path, json_file: Path | None
) -> list[str]:
    """The agreement of two label files, also written as JSON where a file is named.

    Raises:
        UsageError: for a mistake in a label file.
    """
    found = annotator_agreement(read_label_file(first, suite), read_label_file(second, suite))
    if json_file is not None:
        write_text(json_file, "--json", json.dumps(annotators_json(found), indent=2) + "\n")
    return list(agreement_lines(found, first.as_posix(), second.as_posix()))


def agreement_lines(found: AnnotatorAgreement, first: str, second: str) -> Iterator[str]:
    """A table, a row a kind; figures that are undefined are ``-``."""
    n_first, n_second, n_both = found.n_pairs
    yield f"{one_line(first)}: {n_first} pairs labelled"
    yield f"{one_line(second)}: {n_second} pairs labelled, {n_both} of them by both"
    yield ""
    columns = f"{'items':>6}{'exact':>8}{'kappa':>8}{'quadratic':>11}"
    yield f"{'':<{_NAME}}{columns}{'only 1st':>10}{'only 2nd':>10}"
    for kind in found.kinds:
        yield _row(kind)
        if kind.kind == "sentence" and found.evidence.n_sentences:
            f1 = f"{found.evidence.n_sentences:>6}{plain(found.evidence.f1):>8}"
            yield f"{'  evidence F1':<{_NAME}}{f1}"
    overall = found.overall
    if overall.n_pairs or any(overall.n_only):
        only = f"{overall.n_only[0]:>10}{overall.n_only[1]:>10}"
        yield f"{'overall':<{_NAME}}{overall.n_pairs:>6}{'':27}{only}"
    if overall.difference is not None:
        yield f"overall scores differ by {overall.difference:.3f} on average"
    if n_absent := sum(kind.n_absent for kind in found.kinds):
        yield f"facets that one rates and the other calls absent, in no figure: {n_absent}"


def _row(kind: KindAgreement) -> str:
    figures = f"{plain(kind.exact):>8}{plain(kind.kappa):>8}{plain(kind.quadratic):>11}"
    return f"{kind.kind:<{_NAME}}{kind.n_items:>6}{figures}{kind.n_only[0]:>10}{kind.n_only[1]:>10}"


def in_short(found: AnnotatorAgreement) -> str:
    """The agreement in one line, for a message: exact agreement and the kappa that fits."""
    parts = [
        f"{kind.kind} {plain(kind.exact)} exact, kappa"
        f" {plain(kind.kappa if kind.quadratic is None else kind.quadratic)} (n {kind.n_items})"
        for kind in found.kinds
        if kind.n_items
    ]
    return "; ".join(parts) or "no item that both have labelled"


def annotators_json(found: AnnotatorAgreement) -> dict[str, object]:
    """The figures as plain JSON values; an undefined one is null."""
    return {
        "pairs": dict(zip(("first", "second", "both"), found.n_pairs, strict=True)),
        "kinds": {
            kind.kind: {
                "items": kind.n_items,
                "exact": kind.exact,
                "kappa": kind.kappa,
                "quadratic_kappa": kind.quadratic,
                "absent_to_one": kind.n_absent,
                "only_first": kind.n_only[0],
                "only_second": kind.n_only[1],
            }
            for kind in found.kinds
        },
        "evidence": {"sentences": found.evidence.n_sentences, "f1": found.evidence.f1},
        "overall": {
            "pairs": found.overall.n_pairs,
            "mean_absolute_difference": found.overall.difference,
            "only_first": found.overall.n_only[0],
            "only_second": found.overall.n_only[1],
        },
    }


@dataclass(frozen=True, slots=True, kw_only=True)
class EvidenceErrors:
    """What was wrong with the judge's evidence, over the sentences that it judged (FareBio, T. 5).

    Attributes:
        n_sentences: Sentences that the judge answered, faithful or not.
        n_ungrounded: Sentences or quotations that it named and the source does not hold.
        n_copied: Of these, quotations that stand in the summary instead.
        n_unsupported_yes: Sentences that it called supported without any evidence.
    """

    n_sentences: int
    n_ungrounded: int
    n_copied: int
    n_unsupported_yes: int


@dataclass(frozen=True, slots=True, kw_only=True)
class EvidenceReport:
    """Everything that the command tells.

    Attributes:
        suite: The suite as the user named it.
        fingerprint: Its fingerprint.
        judge: The judge's signature.
        n_pairs: Labelled pairs with evidence.
        figures: The judge and the baselines, on all sentences and on parts of them.
        errors: What was wrong with the judge's evidence.
        every: Whether sentences count that labels do not call faithful.
    """

    suite: str
    fingerprint: str
    judge: str
    n_pairs: int
    figures: tuple[SupportingFigures, ...]
    errors: EvidenceErrors
    every: bool = False


def measured_evidence(
    suite: Suite, judge_name: str, session: Session, *, every: bool
) -> EvidenceReport:
    """What the judge names as evidence, and BM25, beside what labels name.

    Args:
        suite: A suite whose labels have evidence.
        judge_name: Who judges.
        session: Names, endpoints and budget of the run.
        every: Whether sentences count that labels do not call faithful.

    Raises:
        SuiteError: for labels without evidence.
        JudgeError: if the judge breaks its contract.
    """
    tasks = evidence_tasks(suite, every=every)
    if not tasks:
        raise SuiteError(
            Place(suite.shown),
            f"no label has a {'' if every else 'faithful '}sentence with 'evidence' to be found;"
            " add"
            ' {"index", "faithful", "evidence"} to the \'sentences\' of labels',
        )
    judge = session.judge(judge_name, [suite])
    try:
        with (
            running(judge, session) as runner,
            closing(runner.evaluations(list(tasks))) as evaluations,
        ):
            found = list(evaluations)
    finally:
        session.forget_run()
    cases = [
        case
        for label, evaluation in zip(tasks.values(), found, strict=True)
        for case in evidence_cases(label, evaluation, every=every)
    ]
    return EvidenceReport(
        suite=suite.shown,
        fingerprint=suite.fingerprint,
        judge=judge.signature,
        n_pairs=len(tasks),
        figures=supporting_figures(cases),
        errors=_evidence_errors(found),
        every=every,
    )


def _evidence_errors(evaluations: list[Evaluation]) -> EvidenceErrors:
    scores = [score for each in evaluations for score in each.scores]
    judged = [score for score in scores if isinstance(score, FaithfulnessScore)]
    return EvidenceErrors(
        n_sentences=sum(s.supported is not None for score in judged for s in score.sentences),
        n_ungrounded=sum(score.n_ungrounded for score in judged),
        n_copied=sum(score.n_copied for score in judged),
        n_unsupported_yes=sum(score.n_unsupported_yes for score in judged),
    )


def _evidence_lines(report: EvidenceReport, judge: str) -> Iterator[str]:
    yield one_line(f"{report.suite}: {report.n_pairs} labelled pairs with evidence", 200)
    yield one_line(f"judge {judge}: {report.judge}", 300)
    which = "labelled faithful or not" if report.every else "labelled faithful"
    yield f"Source sentences named as evidence beside labelled ones, for sentences {which};"
    yield "95 % intervals over papers. named: source sentences named for each of them."
    yield ""
    yield from supporting_table(report.figures)
    unanswered = next((f.n_unanswered for f in report.figures if f.by == "judge"), 0)
    if unanswered:
        yield f"the judge gave no answer on {unanswered:,} of these sentences; they are left out"
    errors = report.errors
    yield (
        f"judge's evidence on {errors.n_sentences:,} sentences, faithful or not:"
        f" {errors.n_ungrounded:,} not in the source ({errors.n_copied:,} of them copied from the"
        f" summary), {errors.n_unsupported_yes:,} called supported without any"
    )
    yield "more abstractive: a larger share of novel bigrams than the median sentence; the place of"
    yield "a sentence that stands in the source word for word is found by a rule and not asked"
