"""The page of `summeval label --html`, for people who do not use a terminal.

The page has no system's name, and loads nothing. The table that it saves names each item by the
key of its question, so no text of a suite gets into a spreadsheet.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Sequence
from typing import Final

from summeval_pytest.desk.label_questions import (
    ASKED,
    ERRORS,
    NOT_ASKED,
    RUBRICS,
    WHY,
    Question,
)
from summeval_pytest.desk.new_suite import file_name
from summeval_pytest.errors import OptionError
from summeval_pytest.reports.page import finalize, policy
from summeval_pytest.reports.page_pair import block
from summeval_pytest.reports.wording import resource, template
from summeval_pytest.run.measure import source_of
from summeval_pytest.suite.labels import Item, digest_of
from summeval_pytest.suite.suite import Suite

_FOLDER: Final = "desk/templates"


def csv_name(annotator: str) -> str:
    """The name of the file that the annotator's page saves."""
    return f"labels-{file_name(annotator)}.csv"


def label_page(
    suite: Suite, questions: Sequence[Question], names: Collection[str], annotator: str
) -> str:
    """The page: HTML with the questions, each once, in their order.

    Systems with the same summary of a paper share its questions.

    Raises:
        OptionError: For an annotator whose name a spreadsheet could take for a formula.
    """
    if not (annotator[0].isalnum() and annotator.isprintable()):
        raise OptionError(
            f"--annotator={annotator!r}: begin the name with a letter or a digit, and use no line"
            " breaks"
        )
    style = resource("page.css") + resource("label.css", _FOLDER)
    script = resource("label.js", _FOLDER)
    numbers: defaultdict[str, dict[str, int]] = defaultdict(dict)

    def number(of: str, text: str) -> int:
        return numbers[of].setdefault(text, len(numbers[of]))

    once = {question.key: question for question in questions}
    entries = [
        {
            "key": key,
            "kind": question.item.kind,
            "about": (question.about[0], number("texts", question.about[1])),
            "beside": (question.beside[0], number("texts", question.beside[1])),
            "summary": number("summaries", _summary_key(suite, question.item)) + 1,
            "source": number("papers", question.item.paper),
        }
        for key, question in once.items()
    ]
    has_sentences = any(question.item.kind == "sentence" for question in questions)
    papers = [suite.paper(paper) for paper in numbers["papers"]]
    data = {
        "annotator": annotator,
        "file": csv_name(annotator),
        "rubrics": {kind: (asked, [*known.items()]) for kind, (asked, known) in RUBRICS.items()},
        "errors": [*ERRORS.items()],
        "texts": [*numbers["texts"]],
        "titles": [paper.title.strip() for paper in papers],
        "sources": [*map(source_of, papers)] if has_sentences else None,
        "questions": entries,
    }
    return template("label.html", finalize, folder=_FOLDER).render(
        style=style,
        script=script,
        policy=policy(style, script),
        annotator=annotator,
        file=csv_name(annotator),
        asked=[ASKED[name] for name in names],
        not_asked=NOT_ASKED,
        why=WHY,
        has_sentences=has_sentences,
        data=block(data),
    )


def _summary_key(suite: Suite, item: Item) -> str:
    return f"{item.paper} {digest_of(suite.pair(item.paper, item.system).summary)}"
