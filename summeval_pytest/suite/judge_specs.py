"""The tables of a suite file that name judges: models, and judges whose judgements are recorded."""

from __future__ import annotations

from types import MappingProxyType
from typing import TYPE_CHECKING, Final

from summeval_pytest.questions import RUBRICS
from summeval_pytest.suite.manner import MANNER_KEYS, read_manner
from summeval_pytest.suite.specs import PRICE_KEYS, endpoint_of, price_of, tables_of
from summeval_pytest.suite.values import JudgeSpec, RecordedSpec

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping

    from summeval_pytest.suite.fields import Fields
    from summeval_pytest.suite.toml_text import TomlText

MOST_VOTES: Final = 999_999
_RESERVED_JUDGES: Final = frozenset({"offline"})
_JUDGE_KEYS: Final = (
    "endpoint", "model", "votes", "batched", "rubric", "examples", "pinned", *PRICE_KEYS,
    *MANNER_KEYS,
)  # fmt: skip


def read_judges(
    toml: TomlText, endpoints: Collection[str]
) -> Mapping[str, JudgeSpec | RecordedSpec]:
    """The judges in file order.

    Raises:
        SuiteError: At the first mistake in ``[judges]``.
    """
    judges: dict[str, JudgeSpec | RecordedSpec] = {}
    for name, fields in tables_of(toml, "judges", "judge", _RESERVED_JUDGES):
        if fields.has("recorded"):
            judges[name] = _recorded(toml, name, fields)
            continue
        fields.only(_JUDGE_KEYS)
        judges[name] = JudgeSpec(
            name=name,
            endpoint=endpoint_of(fields, endpoints),
            model=fields.text("model"),
            votes=fields.whole("votes", least=1, most=MOST_VOTES) if fields.has("votes") else 1,
            batched=fields.flag("batched") if fields.has("batched") else True,
            rubric=fields.choice("rubric", RUBRICS),
            examples=fields.has("examples") and fields.flag("examples"),
            pinned=fields.flag("pinned") if fields.has("pinned") else None,
            price=price_of(fields),
            manner=read_manner(fields),
        )
    return MappingProxyType(judges)


def _recorded(toml: TomlText, name: str, fields: Fields) -> RecordedSpec:
    fields.only(("recorded", "segments"))
    if "recorded" not in toml.values:
        raise fields.fault(
            "recorded",
            f"{fields.owner} is recorded, and the suite names no file of records; add"
            ' recorded = "recorded.jsonl" at its top',
        )
    return RecordedSpec(name=name, by=fields.text("recorded"), segments_by=fields.text("segments"))
