"""What a run hands to the class of a judge that a suite names by ``use``."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

from summeval_pytest.errors import OptionError, SuiteError, SummevalError, foreign_code
from summeval_pytest.judges.judge import NEEDED, Judge, is_judge
from summeval_pytest.suite.entries import Text
from summeval_pytest.suite.file import existing_file, model_folder
from summeval_pytest.suite.lines import TextFile, brief
from summeval_pytest.suite.suite import Suite
from summeval_pytest.suite.values import JudgeSpec, UsedSpec
from summeval_pytest.text.printing import raised

JudgeT = TypeVar("JudgeT")


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgeInputs:
    """The suites of the run, what the judge's table names in them, and endpoints.

    Attributes:
        name: The judge's name.
        suites: The suites of the run, with papers, summaries and labels.
        connect: Makes a judge that asks a model; `llm` calls it.
    """

    name: str
    suites: Sequence[Suite]
    connect: Callable[..., Any]

    def table(self, suite: Suite) -> UsedSpec:
        """The judge's table in a suite; an OptionError where it defines no such judge."""
        spec = suite.judges.get(self.name)
        if not isinstance(spec, UsedSpec):
            raise OptionError(
                f"judge {self.name!r} reads files of each suite, and {suite.shown} does not define"
                " it; gate the suites one by one"
            )
        return spec

    @property
    def _tables(self) -> list[UsedSpec]:
        return [self.table(suite) for suite in self.suites if self.name in suite.judges]

    def fault(self, key: str, words: str) -> SuiteError:
        """The error for the value at a key, with its line; the words follow the key's name."""
        return self._tables[0].table.key_fault(key, words)

    def made(self, make: Callable[[JudgeInputs], object]) -> Judge:
        """The judge that the class makes of these inputs.

        Raises:
            SummevalError: For a class that breaks down, or makes something else.
        """

        def broken(error: BaseException) -> SuiteError:
            return self.fault("use", f"makes no judge: {raised(error)}; mend the class")

        with foreign_code(broken, SummevalError):
            made = make(self)
            is_whole = is_judge(made)
        if not is_whole:
            raise self.fault("use", f"makes {brief(made)}, which is no judge: {NEEDED}")
        return made  # type: ignore[return-value]  # as `is_judge` says

    def file(self, suite: Suite, key: str) -> TextFile:
        """The file that a key of the judge names; it lies in the suite's folder.

        Raises:
            SuiteError: For a file that is not there, or elsewhere.
            OptionError: Where this suite does not define the judge.
        """
        spec = self.table(suite)
        return existing_file(spec.table, key, spec.file)

    def folder(self, key: str) -> str:
        """The absolute folder of a model that a key names, or the model's name.

        Raises:
            SuiteError: For a folder outside of the suite's.
            OptionError: Where two suites of the run have such folders of their own.
        """
        (folder, *others) = {
            model_folder(spec.table.value(key, Text), spec.table.where(key), spec.file)
            for spec in self._tables
        }
        if others:
            raise OptionError(
                f"two suites of this run have a {key!r} of their own for judge {self.name!r}; gate"
                " them one by one"
            )
        return folder

    def llm(self, spec: JudgeSpec, kind: Callable[..., JudgeT], /, **more: object) -> JudgeT:
        """A judge that asks the model of a table; ``kind`` is `LlmJudge` or a subclass of it.

        Its replies are stored, replayed, planned and paid for as those of any LLM judge. ``more``
        replaces arguments of the class.
        """
        judge: JudgeT = self.connect(spec, kind, **more)
        return judge
