"""`summeval study`: a suite's systems as the tables and figures of the three papers have them."""

from __future__ import annotations

import os
import shutil
import sys
from collections import defaultdict
from contextvars import ContextVar
from dataclasses import dataclass, field, replace
from functools import partial
from hashlib import sha256
from pathlib import Path
from time import perf_counter
from typing import TYPE_CHECKING, Annotated, Final

from cyclopts import Parameter

from summeval_pytest.analysis.columns import (
    RESCALED,
    Cut,
    Effort,
    Judged,
    Labelled,
    RecordedNumbers,
    StudiedPair,
    StudiedText,
    text_numbers,
)
from summeval_pytest.analysis.study import (
    ANALYSES,
    OF_TEXTS,
    Material,
    StudiedJudge,
    StudiedSystem,
    Study,
    families_of,
    study_of,
)
from summeval_pytest.cli.options import (
    ASKING,
    NO_ENDPOINTS,
    AllowOutside,
    Asking,
    Endpoints,
    JsonFile,
    check_writable,
    find_own_judges,
    names_in,
    running,
    session_of,
    suite_of,
    write_figures,
)
from summeval_pytest.endpoints.spending import models_seen
from summeval_pytest.errors import OptionError, nearest
from summeval_pytest.judges.judge import OFFLINE, Counting, find_judge
from summeval_pytest.metrics.facet import ground
from summeval_pytest.metrics.flow import unusable
from summeval_pytest.metrics.score import METRICS, EvaScore, FacetScore, FaithfulnessScore
from summeval_pytest.metrics.texts import facet_words
from summeval_pytest.questions import SCALES, FacetSegments, SegmentFacets
from summeval_pytest.reports.run import calls_lines, model_lines
from summeval_pytest.reports.study_tables import study_lines
from summeval_pytest.run.golden import check_sentences, group_of
from summeval_pytest.run.measure import recipe_of
from summeval_pytest.run.runner import tasks_of
from summeval_pytest.run.summaries import Summariser
from summeval_pytest.store.key import request_key
from summeval_pytest.text.normalise import NORMALISER, normalise
from summeval_pytest.text.printing import one_line
from summeval_pytest.text.sentences import SPLITTER, split_sentences

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from summeval_pytest.analysis.study import Analysis
    from summeval_pytest.endpoints.chat import ChatReply, ChatRequest
    from summeval_pytest.endpoints.client import Sender
    from summeval_pytest.endpoints.endpoint import Address, Price
    from summeval_pytest.endpoints.spending import ModelSeen
    from summeval_pytest.judges.judge import Judge
    from summeval_pytest.questions import Answer, Facet, Question
    from summeval_pytest.run.measure import Evaluation
    from summeval_pytest.run.runner import FindPair
    from summeval_pytest.run.session import Lines, Session
    from summeval_pytest.suite.labels import Label
    from summeval_pytest.suite.suite import Suite
    from summeval_pytest.suite.values import Pair, Paper


Named = tuple[str, str]
"""A system and a paper."""


@dataclass(slots=True)
class Texts:
    """What was read.

    Attributes:
        pairs: By system and paper.
        references: By paper.
        written: The texts of each system, and under None the references.
        sources: The sources of all papers.
    """

    pairs: dict[Named, StudiedPair] = field(default_factory=dict)
    references: dict[str, StudiedText] = field(default_factory=dict)
    written: dict[str | None, list[str]] = field(default_factory=dict)
    sources: list[str] = field(default_factory=list)


@dataclass(slots=True)
class _Records:
    """Other judges' records by system and paper; the system is None for a reference."""

    numbers: defaultdict[tuple[str | None, str], dict[str, RecordedNumbers]]
    segments: defaultdict[tuple[str | None, str], dict[str, FacetSegments]]


def read_texts(
    suite: Suite, systems: Sequence[str], session: Session, read: Callable[..., Mapping[str, float]]
) -> Texts:
    """Everything about the pairs of the systems that no judge has to be asked for.

    Args:
        suite: The suite.
        systems: The systems.
        session: Names, endpoints and budget of the run.
        read: `text_numbers`, with what does not differ between texts.

    Raises:
        UsageError: if a system cannot be asked.
        NoReplyError: if a system's endpoint gave no summary.
    """
    records = _records(suite)
    texts = Texts(written={None: [], **{system: [] for system in systems}})
    for paper_id in suite.paper_ids:
        paper = suite.paper(paper_id)
        source = _source(paper)
        texts.sources.append(source)
        texts.written[None].append(paper.references[0])
        texts.references[paper_id] = StudiedText(
            paper=paper_id,
            group=group_of(paper),
            system=None,
            numbers=read(paper.references[0], source=source),
            cuts=_cuts(records, None, paper_id, normalise(paper.references[0])),
        )
    with running(find_judge(OFFLINE), session) as runner:
        for evaluation in runner.evaluations(tasks_of(suite, systems, ())):
            pair = evaluation.pair
            of = evaluation.system, evaluation.paper
            texts.pairs[of] = _pair(pair, suite, records, read)
            texts.written[evaluation.system].append(pair.summary)
    return texts


def _source(paper: Paper) -> str:
    return "\n\n".join(section.text for section in paper.source)


def _pair(
    pair: Pair, suite: Suite, records: _Records, read: Callable[..., Mapping[str, float]]
) -> StudiedPair:
    paper, summary = pair.paper, normalise(pair.summary)
    label = suite.labels.get((paper.id, pair.system))
    is_unusable = pair.flaw is not None or unusable("facet", summary) is not None
    return StudiedPair(
        paper=paper.id,
        group=group_of(paper),
        system=pair.system,
        text=StudiedText(
            paper=paper.id,
            group=group_of(paper),
            system=pair.system,
            numbers={}
            if is_unusable
            else read(summary, source=_source(paper), references=paper.references),
            cuts=_cuts(records, pair.system, paper.id, summary),
        ),
        label=None if label is None else _labelled(label, summary),
        recorded=records.numbers[pair.system, paper.id],
    )


def _labelled(label: Label, summary: str) -> Labelled:
    sentences = label.sentences or ()
    return Labelled(
        overall=label.overall,
        facets=_shares(label.facets or {}),
        n_faithful=sum(sentence.faithful for sentence in sentences),
        n_labelled=len(sentences),
        n_sentences=len(split_sentences(summary)),
    )


def _shares(ratings: Mapping[Facet, int | None] | Mapping[Facet, int]) -> dict[Facet, float]:
    return {facet: rating / SCALES[facet] for facet, rating in ratings.items() if rating}


def _records(suite: Suite) -> _Records:
    found = _Records(defaultdict(dict), defaultdict(dict))
    for line in suite.recorded:
        of = line.system, line.paper
        if line.facets is not None or line.overall is not None:
            found.numbers[of][line.by] = RecordedNumbers(
                overall=line.overall, facets=_shares(line.facets or {})
            )
        if line.segments is not None:
            found.segments[of][line.by] = line.segments
    return found


def _cuts(records: _Records, writer: str | None, paper: str, text: str) -> dict[str, Cut]:
    return {by: cut_of(each, text) for by, each in records.segments[writer, paper].items()}


def cut_of(segments: FacetSegments, text: str | None) -> Cut:
    """A text's segments as a study keeps them; without a text nothing is held to it."""
    return Cut(
        words=facet_words(segments),
        held=() if text is None else tuple(ground(segments, text).held.values()),
    )


PAIR: ContextVar[Named] = ContextVar("PAIR", default=("", ""))
"""The pair that is judged now."""


@dataclass(slots=True)
class Taken:
    """What one pair has taken of a judge.

    Attributes:
        n_questions: Questions that the judge answered.
        n_calls: Replies of an endpoint, asked for or remembered.
        prompt_tokens: Tokens of those calls, as far as the endpoint counted them.
        completion_tokens: Tokens of the replies.
    """

    n_questions: int = 0
    n_calls: int = 0
    prompt_tokens: int = 0
    completion_tokens: int = 0


class Watch:
    """What one judge is asked, noted as it happens.

    Attributes:
        taken: By system and paper, what each pair has taken.
    """

    def __init__(self) -> None:
        self.taken: dict[Named, Taken] = {}
        self._segments: dict[bytes, FacetSegments] = {}
        self._seen: set[str] = set()

    def over(self, judge: Judge) -> Judge:
        """The judge, watched."""
        return Watched(judge, self.answered)

    def lines(self, find: Callable[[], Lines]) -> Lines:
        """The lines of a judge, counted; they are found when the first is wanted."""
        return _CountedLines(find, self)

    def pairs(self, find_pair: FindPair) -> FindPair:
        """Who makes the pairs, noted as the ones that questions are about from then on."""

        async def noted(suite: Suite, paper: str, system: str) -> Pair:
            PAIR.set((system, paper))
            return await find_pair(suite, paper, system)

        return noted

    def segments(self, text: str) -> FacetSegments | None:
        """How the judge cut a normalised text into facets; None where it was not asked."""
        return self._segments.get(_digest(text))

    def answered(self, question: Question, answer: Answer) -> None:
        """Notes one answer."""
        self._now().n_questions += 1
        if isinstance(question, SegmentFacets) and isinstance(answer, FacetSegments):
            self._segments[_digest(question.text)] = answer

    def replied(self, endpoint: str, request: ChatRequest, reply: ChatReply) -> None:
        """Notes one reply, unless it was noted before."""
        key = request_key(request.identity(endpoint))
        if key in self._seen:
            return
        self._seen.add(key)
        now = self._now()
        now.n_calls += 1
        if reply.usage is not None:
            now.prompt_tokens += reply.usage.prompt_tokens
            now.completion_tokens += reply.usage.completion_tokens

    def _now(self) -> Taken:
        return self.taken.setdefault(PAIR.get(), Taken())


def _digest(text: str) -> bytes:
    """What stands for a text, so that a long suite's texts need not all be kept."""
    return sha256(text.encode("utf-8", "surrogatepass")).digest()


class Watched:
    """A judge that says what the other says, each answer noted."""

    def __init__(self, judge: Judge, note: Callable[[Question, Answer], object]) -> None:
        self._judge = judge
        self._note = note
        self.signature = judge.signature
        self.in_flight = judge.in_flight

    async def answer(self, questions: tuple[Question, ...]) -> tuple[Answer, ...]:
        """The judge's answers."""
        answers = tuple(await self._judge.answer(questions))
        for question, answer in zip(questions, answers, strict=False):  # the asker counts them
            self._note(question, answer)
        return answers


class _CountedLines:
    """Lines to endpoints, whose replies are counted."""

    def __init__(self, find: Callable[[], Lines], watch: Watch) -> None:
        self._find = find
        self._watch = watch

    def line(self, address: Address, price: Price | None) -> Sender:
        """A sender to one endpoint."""
        line = self._find().line(address, price)
        return _CountedLine(line, address.endpoint.name, self._watch)


class _CountedLine:
    """A sender whose replies are counted."""

    def __init__(self, line: Sender, endpoint: str, watch: Watch) -> None:
        self._line = line
        self._endpoint = endpoint
        self._watch = watch

    async def send(self, request: ChatRequest) -> ChatReply:
        """The reply.

        Raises:
            NoReplyError: if there is none, and why.
        """
        reply = await self._line.send(request)
        self._watch.replied(self._endpoint, request, reply)
        return reply

    def give_up(self, said: Sequence[tuple[ChatRequest, ChatReply]], why: str) -> str:
        """Handed on."""
        return self._line.give_up(said, why)


@dataclass(slots=True, kw_only=True)
class JudgeFound:
    """What one judge makes of a suite.

    Attributes:
        name: The judge as the user named it.
        signature: Its signature.
        recipes: By metric, the recipe of its numbers.
        pairs: By system and paper.
        cuts: By writer (None for the reference) and paper, how it cut the text.
        models: The models that replied.
        calls: What was asked and remembered, by name; empty where no endpoint was in it.
        counts: The judge's own counts of its replies, as far as it has any.
    """

    name: str
    signature: str
    recipes: Mapping[str, str]
    pairs: dict[Named, Judged] = field(default_factory=dict)
    cuts: dict[tuple[str | None, str], Cut] = field(default_factory=dict)
    models: tuple[ModelSeen, ...] = ()
    calls: Mapping[str, float] = field(default_factory=dict)
    counts: Mapping[str, float] = field(default_factory=dict)


def judge_pairs(name: str, suite: Suite, systems: Sequence[str], session: Session) -> JudgeFound:
    """Has one judge judge every pair of the systems.

    Raises:
        UsageError: for a judge that cannot be asked.
        JudgeError: if the judge breaks its contract.
        NoReplyError: if a system's endpoint gave no summary.
    """
    session.add_cassette(suite)
    watch = Watch()
    judging = session.judge(name, [suite], watch.lines(lambda: session.exchange))
    judge = watch.over(judging)
    found = JudgeFound(
        name=name,
        signature=judge.signature,
        recipes={
            metric: str(
                recipe_of(metric, judge=judging, suite=suite.fingerprint, variants=suite.variants)
            )
            for metric in METRICS
        },
    )
    is_alone = judge.in_flight == 1
    with running(judge, session, watch.pairs(Summariser(session.sender).pair)) as runner:
        began = perf_counter()
        for evaluation in runner.evaluations(tasks_of(suite, systems, METRICS)):
            seconds = perf_counter() - began if is_alone else None
            found.pairs[evaluation.system, evaluation.paper] = _judged_pair(
                evaluation, watch, seconds
            )
            _note_segments(found, evaluation.pair, watch)
            began = perf_counter()
    if session.is_asking:
        found.models = models_seen(session.exchange.ledger.models)
        found.calls = session.exchange.ledger.totals.as_json()
    if isinstance(judging, Counting):
        found.counts = judging.counts()
    return found


def _judged_pair(evaluation: Evaluation, watch: Watch, seconds: float | None) -> Judged:
    values = evaluation.numbers().values
    eva, score = evaluation.score("eva"), evaluation.score("faithfulness")
    sentences = score.sentences if isinstance(score, FaithfulnessScore) else ()
    taken = watch.taken.get((evaluation.system, evaluation.paper))
    facet = evaluation.score("facet")
    rescaled = facet.rescaled if isinstance(facet, FacetScore) else None
    return Judged(
        values={n: v for n, v in (*values.items(), (RESCALED, rescaled)) if v is not None},
        n_supported=sum(sentence.supported is True for sentence in sentences),
        n_answered=sum(sentence.supported is not None for sentence in sentences),
        n_sentences=len(sentences),
        facts=eva.counts if isinstance(eva, EvaScore) else None,
        effort=Effort(seconds=seconds)
        if taken is None
        else Effort(
            n_questions=taken.n_questions,
            n_calls=taken.n_calls,
            prompt_tokens=taken.prompt_tokens,
            completion_tokens=taken.completion_tokens,
            seconds=seconds,
        ),
    )


def _note_segments(found: JudgeFound, pair: Pair, watch: Watch) -> None:
    """How the judge cut the texts of a pair; the reference's frozen facets are taken as its own."""
    paper = pair.paper
    for writer, text in ((pair.system, pair.summary), (None, paper.references[0])):
        reviewed = paper.reference_facets if writer is None else None
        plain = normalise(text)
        segments = reviewed or watch.segments(plain)
        if segments is not None:
            found.cuts[writer, paper.id] = cut_of(segments, plain if reviewed is None else None)


WIDTH: Final = 80
"""Where there is no terminal."""
_LEAST: Final = 60
_NOVEL: Final[frozenset[Analysis]] = frozenset({"novelty", "associations"})


def study(
    suite: Path,
    /,
    *,
    judge: Annotated[
        tuple[str, ...],
        Parameter(help="who judges (repeat, or commas; default: offline); several make a heat map"),
    ] = (),
    system: Annotated[
        tuple[str, ...],
        Parameter(
            name=["--system", "--model"],
            help="these systems (repeat, or commas; default: all of the suite)",
        ),
    ] = (),
    only: Annotated[
        tuple[str, ...],
        Parameter(
            help="these analyses (repeat, or commas; default: all), without asking a judge:"
            f" {', '.join(sorted(OF_TEXTS))}; with one:"
            f" {', '.join(name for name in ANALYSES if name not in OF_TEXTS)}"
        ),
    ] = (),
    family: Annotated[
        tuple[str, ...],
        Parameter(
            help="NAME=FAMILY of a judge or system (repeat; default: the first letters of its"
            " model's name)"
        ),
    ] = (),
    familiar: Annotated[
        Path | None, Parameter(help="familiar words for Dale-Chall, one a line")
    ] = None,
    json_file: JsonFile = None,
    figures: Annotated[
        Path | None, Parameter(help="draw SVG and PNG files into this folder")
    ] = None,
    allow_outside: AllowOutside = False,
    endpoints: Endpoints = NO_ENDPOINTS,
    asking: Asking = ASKING,
) -> list[str]:
    """The tables, also written as JSON and drawn as figures where these are asked for.

    Raises:
        UsageError: for a mistake in the suite or an option, and for a judge or a system that
            cannot be asked.
        JudgeError: if a judge breaks its contract.
        NoReplyError: if a system's endpoint gave no summary.
    """
    analyses = _analyses(only)
    words = None if familiar is None else read_familiar(familiar)
    if json_file is not None:
        check_writable(json_file, "--json")
    if figures is not None:
        _check_figures(figures)
    session = session_of(endpoints, asking)
    loaded = suite_of(suite, allow_outside=allow_outside)
    check_sentences(loaded)
    loaded, systems = session.systems(
        loaded, names_in(system, "--system") or loaded.systems, "--system"
    )
    names = names_in(judge, "--judge") or ["offline"]
    judges = [] if OF_TEXTS.issuperset(analyses) else names
    find_own_judges(*names)
    families = families_of(
        {name: loaded.judges[name].model if name in loaded.judges else name for name in judges},
        {name: loaded.systems[name].model or name for name in systems},
        family,
    )
    session.add_cassette(loaded)
    for name in judges:
        session.judge(name, [loaded])  # one that cannot be is told before anybody is asked
    try:
        texts = read_texts(
            loaded,
            systems,
            session,
            partial(
                text_numbers,
                familiar=words,
                overlap="systems" in analyses,
                novel=not _NOVEL.isdisjoint(analyses),
            ),
        )
        found = [judge_pairs(name, loaded, systems, replace(session)) for name in judges]
    finally:
        session.forget_run()
    empty = _empty(loaded, systems, found, families, analyses)
    told, seconds = study_of(empty, _material(texts, found))
    if json_file is not None:
        write_figures(json_file, "--json", told)
    lines = list(study_lines(told, seconds, width=_width(), colour=_is_coloured()))
    lines += _calls(found)
    if figures is not None:
        lines += ["", *_draw(told, figures)]
    return lines


def _empty(
    suite: Suite,
    systems: Sequence[str],
    found: Sequence[JudgeFound],
    families: tuple[Mapping[str, str], Mapping[str, str]],
    analyses: tuple[Analysis, ...],
) -> Study:
    """Who is studied, and what is asked for."""
    of_judge, of_system = families
    return Study(
        suite=suite.shown,
        fingerprint=suite.fingerprint,
        n_papers=len(suite.paper_ids),
        judges=tuple(
            StudiedJudge(
                name=each.name,
                signature=each.signature,
                family=of_judge[each.name],
                recipes=each.recipes,
            )
            for each in found
        ),
        systems=tuple(
            StudiedSystem(name=name, family=of_system[name], n_papers=len(suite.paper_ids_of(name)))
            for name in systems
        ),
        analyses=analyses,
        reading=f"norm:{NORMALISER}|split:{SPLITTER}",
    )


def _analyses(only: Sequence[str]) -> tuple[Analysis, ...]:
    asked = names_in(only, "--only")
    for name in asked:
        if name not in ANALYSES:
            raise OptionError(f"--only={name}: no analysis; {nearest(name, ANALYSES)}")
    return tuple(name for name in ANALYSES if not asked or name in asked)


def read_familiar(file: Path) -> frozenset[str]:
    """The familiar words of a file, one a line, in lower case.

    Raises:
        OptionError: for a file that cannot be read, and for one without a word.
    """
    try:
        text = file.read_text(encoding="utf-8-sig")
    except (OSError, ValueError) as error:
        fault = getattr(error, "strerror", None) or "it is not UTF-8"
        raise OptionError(
            f"--familiar={file}: cannot be read, {fault}; name a file of words, one a line"
        ) from None
    words = frozenset(word for line in text.splitlines() if (word := line.strip().lower()))
    if not words:
        raise OptionError(f"--familiar={file}: holds no word; write the familiar words, one a line")
    return words


def _check_figures(folder: Path) -> None:
    from importlib.util import find_spec

    if find_spec("matplotlib") is None:
        raise OptionError(
            f"--figures={folder}: figures are drawn by matplotlib, which is not installed;"
            " pip install 'summeval-pytest[report]'"
        )
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise OptionError(
            f"--figures={folder}: no folder can be made there, {error.strerror}; name another"
        ) from None


def _material(texts: Texts, found: Sequence[JudgeFound]) -> Material:
    """The pairs with what each judge makes of them, in an order that no file gives."""
    order = {system: place for place, system in enumerate(texts.written)}
    pairs = sorted(texts.pairs.values(), key=lambda pair: (order[pair.system], pair.paper))
    references = sorted(texts.references.values(), key=lambda text: text.paper)
    return Material(
        pairs=[_judged(pair, found) for pair in pairs],
        references=[_cut(text, found) for text in references],
        written=texts.written,
        sources=texts.sources,
    )


def _judged(pair: StudiedPair, found: Sequence[JudgeFound]) -> StudiedPair:
    of = pair.system, pair.paper
    judged = {each.name: each.pairs[of] for each in found}
    return replace(pair, judged=judged, text=_cut(pair.text, found))


def _cut(text: StudiedText, found: Sequence[JudgeFound]) -> StudiedText:
    """The text with the facets that each judge has cut it into, beside those of records."""
    cuts = dict(text.cuts)
    for each in found:
        own = each.cuts.get((text.system, text.paper))
        if own is not None:
            cuts[f"judge {each.name}"] = own
    return replace(text, cuts=cuts)


def _calls(found: Sequence[JudgeFound]) -> Iterator[str]:
    """What was asked of models, and what is odd about those that replied."""
    for each in found:
        if each.calls:
            yield ""
            yield one_line(f"judge {each.name}", WIDTH)
            yield from calls_lines(each.calls, each.counts)
    yield from model_lines(dict.fromkeys(model for each in found for model in each.models))


def _draw(told: Study, folder: Path) -> list[str]:
    from summeval_pytest.reports.figures import draw

    try:
        files = draw(told, folder)
    except OSError as error:
        raise OptionError(
            f"--figures={folder}: cannot be written, {error.strerror}; name another folder"
        ) from None
    return [f"figures in {folder}: {', '.join(files)}"] if files else ["no figure to draw"]


def _width() -> int:
    """The terminal's width, within what is readable; 80 where there is none."""
    if not sys.stdout.isatty():
        return WIDTH
    return max(_LEAST, shutil.get_terminal_size((WIDTH, 24)).columns)


def _is_coloured() -> bool:
    return sys.stdout.isatty() and not os.environ.get("NO_COLOR")
