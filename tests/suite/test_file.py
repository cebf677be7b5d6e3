from __future__ import annotations

import tomllib

import pytest
from syrupy.assertion import SnapshotAssertion

from summeval_pytest.endpoints.endpoint import Price
from summeval_pytest.errors import Place
from summeval_pytest.suite.addresses import EndpointSpec
from summeval_pytest.suite.file import Variants
from summeval_pytest.suite.places import find_suite_file
from summeval_pytest.suite.suite import load_suite
from summeval_pytest.suite.values import JudgeSpec, Setting, SystemSpec, Waiver
from tests.label_suite import mistake
from tests.suite.conftest import Golden

FILE = "golden/summeval.toml"
LLAMA = '[systems.llama3]\nendpoint = "ollama"\nmodel = "llama3"\n'
CAREFUL = '[systems.careful]\nsummaries = "systems/careful.jsonl"\n'
GPT = '[judges.gpt]\nendpoint = "openai"\nmodel = "gpt"\n'
LEAVES = (
    "'{}' leads out of the suite's folder, as a path or by a link; move it in, or add"
    " --summ-allow-outside if you trust the suite"
)


def test_suite_file_is_found_by_its_name_or_its_folder(golden: Golden) -> None:
    """Both are what a user may pass to pytest; other projects' TOML files are left alone."""
    file = golden.path / "summeval.toml"
    assert find_suite_file(file) == find_suite_file(golden.path) == file
    for name in ("toml", ".summeval.toml", "summeval.tom", "my-summeval.toml"):
        golden.write(name, "")
        assert find_suite_file(golden.path / name) is None
    for name in ("papers.jsonl", "systems", "nowhere"):
        assert find_suite_file(golden.path / name) is None


def test_a_path_that_is_no_suite_is_refused(golden: Golden, snapshot: SnapshotAssertion) -> None:
    """The message says which file would make it one; which of two is meant cannot be guessed."""

    def refusal(name: str) -> str:
        return mistake(lambda: load_suite(golden.path / name, f"golden/{name}"))

    messages = [refusal(name) for name in ("papers.jsonl", "nowhere", "systems", "a.summeval.toml")]
    golden.write("long.summeval.toml", "")
    assert [*messages, golden.mistake()] == snapshot


def test_mistakes_in_the_suite_file_have_their_lines(
    golden: Golden, snapshot: SnapshotAssertion
) -> None:
    """Each message says what, where and what to do."""
    papers, default = 'papers = "papers.jsonl"', 'default_systems = ["careful"]'
    top = [
        'eva_recall = "none"', "calibrate = true",
        'default_systems = ["carefull"]', "default_systems = []",
        'default_systems = ["careful", "careful"]', 'default_systems = "careful"',
        "default_systems = [true]", 'references = "all"',
    ]  # fmt: skip
    numbers = ('"0.55"', "true", "nan", "-inf", "1e999", "[0.5]", "9" * 400)
    changes = [
        *((default, line) for line in top),
        ('labels = "labels.jsonl"', 'label = "labels.jsonl"'),
        ('labels = "labels.jsonl"', 'labels = "gone.jsonl"'),
        ('summaries = "systems/careful.jsonl"', 'summaries = "careful.jsonl"'),
        (f"{papers}\n", ""),
        *((papers, f"papers = {name}") for name in (
            "3", '" "', '"paper.jsonl"', '"/data/papers.jsonl"', "'C:\\data\\papers.jsonl'"
        )),
        *(('skip = ["zinc-02"]', line) for line in (
            'skips = ["zinc-02"]', 'skip = ["zinc-2"]', 'skip = ["zinc-02", "zinc-01"]', "",
        )),
        *(("facet = 0.55", f"facet = {number}") for number in numbers),
        ("facet = 0.55", "facet.conclusion = 3"),
        ("[thresholds.mean]\nfacet = 0.65", "mean = 0.65"),
        ("[thresholds.judge]", "[threshold]"),
    ]  # fmt: skip
    assert golden.mistakes("summeval.toml", changes) == snapshot


def test_mistakes_in_tables_have_their_lines(golden: Golden, snapshot: SnapshotAssertion) -> None:
    """Systems, endpoints and judges are checked before a paper is read, or anything is paid for."""
    recorded = '[systems.llama3]\nsummaries = "papers.jsonl"\n'
    tables = [
        "[systems.llama3]\n",
        '[systems.llama3]\nsummaries = "a"\nendpoint = "ollama"\n',
        '[systems.llama3]\nendpoint = "ollama"\n',
        '[systems.llama3]\nendpoint = "olama"\nmodel = "llama3"\n',
        '[systems.gpt-4.1]\nendpoint = "openai"\nmodel = "gpt"\n',
        '[systems.judge]\nsummaries = "papers.jsonl"\n',
        *(f"{recorded}{line}\n" for line in ('model = "llama3"', "max_tokens = 9")),
        *(f"{LLAMA}{lines}\n" for lines in (
            "max_tokens = 0", "context_tokens = 1.5", "temperature = 2.1", "temperature = -0.1",
            'prompt = "abstrct"', 'prompt = "papers.jsonl"', 'prompt = "systems"',
            'reasoning_effort = "hard"', "reasoning_effort = 3",
            "input_price = 1", "cached_input_price = 1", "input_price = 1\noutput_price = -1",
            *(f"input_price = 1\noutput_price = {no}" for no in ("nan", "inf", "100001", "true")),
            *(f"input_price = {no}\noutput_price = 1" for no in ("nan", '"1"')),
            "input_price = 1\noutput_price = 1\ncached_input_price = nan",
            "name = 'x'", "place = 'x'", "price = 'x'",
        )),
        "[endpoints.near]\nmax_in_flight = 8\n",
        '[endpoints.near]\nbase_url = "localhost:8000"\n',
        *(f"[endpoints.openai]\n{line}\n" for line in (
            "max_in_flight = 0", f"max_in_flight = {10**15}", "max_in_fligth = 8",
            'api_key_env = "sk-abc"', "requests_per_minute = 0", "timeout_seconds = 0",
            "attempt_seconds = 0",
        )),
        *(f"{GPT}{lines}\n" for lines in (
            "max_tokens = 0", 'max_tokens = "2k"', 'reasoning_effort = "hard"',
            "votes = true", f'votes = 0x{"F" * 5000}', "batched = 1", 'pinned = "yes"',
            'examples = "label"',
            'rubric = "release"', "strict = true", "factual = true", 'facets = "free"',
            'sentences = "label"', 'use = "judge"', "use = 3",
        )),
        '[judges.gpt]\nmodel = "gpt"\n',
        '[judges.offline]\nendpoint = "openai"\nmodel = "gpt"\n',
        '[judges]\ngpt = "gpt-4o"\n',
        "[systems.x_old]\n",
    ]  # fmt: skip
    files = [
        f'papers = "papers.jsonl"\n\n{"" if table is tables[-1] else CAREFUL}\n\n\n{table}'
        for table in tables
    ]
    files += [f'papers = "papers.jsonl"\n{key} = 3\n{CAREFUL}' for key in (
        "endpoints", "judges", "thresholds", "waivers",
    )] + ['papers = "papers.jsonl"\nsystems = 3\n']  # fmt: skip
    messages = golden.mistakes("summeval.toml", files)
    assert [f"{file[-40:]!r}: {message}" for file, message in messages.items()] == snapshot


TABLES = """
[systems."llama.3"]
endpoint = "ollama"
model = "llama3"
[systems.far]
endpoint = "near"
model = "m"
prompt = "plain"
max_tokens = 300
context_tokens = 4096
temperature = 0.5
input_price = 1
output_price = 2.5
skip = ["zinc-01"]
[endpoints.ollama]
max_in_flight = 8
[endpoints.near]
base_url = "http://localhost:8000/v1"
api_key_env = "NEAR_KEY"
requests_per_minute = 60
tokens_per_minute = 9000
timeout_seconds = 30
attempt_seconds = 9.5
[judges.gpt]
endpoint = "openai"
model = "gpt-4o"
votes = 3
[judges.taught]
endpoint = "openai"
model = "gpt-4o"
examples = "labels"
[judges.slow]
endpoint = "near"
model = "m"
batched = false
examples = false
pinned = false
max_tokens = 4096
reasoning_effort = "minimal"
input_price = 0
output_price = 0
cached_input_price = 0.5
"""


def test_endpoints_judges_and_systems_are_read(golden: Golden) -> None:
    """What is written arrives, key by key; what is not is left to its default."""
    text = (golden.path / "summeval.toml").read_text(encoding="utf-8")
    golden.write("summeval.toml", text + TABLES)
    suite = golden.load()
    kinds = {"systems": suite.systems, "endpoints": suite.endpoints, "judges": suite.judges}
    for kind, tables in tomllib.loads(TABLES).items():
        for name, keys in tables.items():
            values = {key: getattr(kinds[kind][name], key) for key in keys}
            assert values | {"skip": list(values.get("skip", ()))} == keys | {
                "skip": keys.get("skip", [])
            }
    near, line = Place(FILE, text.count("\n") + 2), text.count("\n") + 5
    assert suite.systems["llama.3"] == SystemSpec(
        name="llama.3", endpoint="ollama", model="llama3", place=near
    )
    assert suite.systems["far"].place == Place(FILE, line)
    assert suite.endpoints["ollama"] == EndpointSpec(name="ollama", max_in_flight=8)
    assert suite.judges["gpt"] == JudgeSpec(name="gpt", endpoint="openai", model="gpt-4o", votes=3)
    priced = [suite.systems["far"], suite.judges["slow"], suite.systems["llama.3"]]
    prices = [spec.price for spec in priced if isinstance(spec, SystemSpec | JudgeSpec)]
    assert prices == [Price(1, 2.5), Price(0, 0, 0.5), None]


@pytest.mark.parametrize("is_link", [False, True])
@pytest.mark.parametrize(
    ("old", "key", "line"),
    [
        ("papers.jsonl", "papers", 1),
        ("labels.jsonl", "labels", 2),
        ("systems/careful.jsonl", "summaries", 7),
    ],
)
def test_a_path_that_leaves_the_folder_of_the_suite_is_refused(
    golden: Golden, old: str, key: str, line: int, *, is_link: bool
) -> None:
    """A suite comes with a pull request, and may not read what else is on the machine."""
    outside = golden.path.parent / "outside.jsonl"
    (golden.path / old).rename(outside)
    if is_link:
        (golden.path / old).symlink_to(outside)
    else:
        golden.spoil("summeval.toml", f'{key} = "{old}"', f'{key} = "systems/../../outside.jsonl"')
    named = old if is_link else "systems/../../outside.jsonl"
    assert golden.mistake() == f"{FILE}:{line}: {LEAVES.format(named)}"
    allowed = load_suite(golden.path, "golden", allow_outside=True)
    if key == "papers":
        assert allowed.paper("zinc-01").place.path == f"golden/{named}"


def test_a_link_that_stays_in_the_folder_of_the_suite_is_followed(golden: Golden) -> None:
    """As the folder itself may be one."""
    (golden.path / "papers.jsonl").rename(golden.path / "systems" / "papers.jsonl")
    (golden.path / "papers.jsonl").symlink_to("systems/papers.jsonl")
    (golden.path.parent / "link").symlink_to("golden")
    assert load_suite(golden.path.parent / "link").paper_ids == ("zinc-01", "zinc-02")


@pytest.mark.parametrize("name", ["cassette.jsonl", "baselines", "summeval.toml"])
def test_what_a_suite_has_without_naming_it_is_no_link_out_of_it(golden: Golden, name: str) -> None:
    """A replay would read there, and an export or --summ-save write."""
    file = golden.path / name
    if file.exists():
        file.rename(golden.path.parent / name)
    file.symlink_to(f"../{name}")
    assert golden.mistake() == f"{FILE}: {LEAVES.format(name)}"


@pytest.mark.parametrize("name", ["../prompt.txt", "link.txt"])
def test_a_prompt_is_read_in_the_folder_of_the_suite_only(golden: Golden, name: str) -> None:
    """It would be sent to whoever serves the model."""
    golden.write("../prompt.txt", "Sum it up: {source}")
    (golden.path / "link.txt").symlink_to("../prompt.txt")
    golden.write("summeval.toml", f'papers = "papers.jsonl"\n{LLAMA}prompt = "{name}"\n')
    assert golden.mistake() == f"{FILE}:5: {LEAVES.format(name)}"
    allowed = load_suite(golden.path, "golden", allow_outside=True)
    assert allowed.systems["llama3"].prompt == "Sum it up: {source}"


def test_a_prompt_of_ones_own_is_a_text_in_the_suite(golden: Golden) -> None:
    """What is asked is part of the suite; bytes and a path of this machine only are refused."""
    golden.write("prompts/short.txt", "Say it in one sentence.\n\n{source}\n")
    golden.add(f'{LLAMA}prompt = "prompts/short.txt"\n')
    assert golden.load().systems["llama3"].prompt == "Say it in one sentence.\n\n{source}\n"
    here = (golden.path / "prompts/short.txt").as_posix()
    (message,) = golden.mistakes("summeval.toml", [("prompts/short.txt", here)]).values()
    assert "a path relative to the suite file's folder" in message
    golden.write("prompts/short.txt", b"\xff {source}")
    assert "prompts/short.txt:1: byte 1 of this line is not UTF-8" in golden.mistake()


@pytest.mark.parametrize(
    "name", ["sk-marker-0a1b2c", "MY KEY", "1KEY", "$KEY", "K\\u00c9Y", "A\\n"]
)
def test_key_in_place_of_its_variable_is_not_shown(golden: Golden, name: str) -> None:
    """The message goes into logs; the file has to be mended anyway."""
    golden.add(f'[endpoints.openai]\napi_key_env = "{name}"\n')
    message = golden.mistake()
    assert "'api_key_env' of endpoint 'openai' is no name of an environment variable" in message
    assert name not in message


@pytest.mark.parametrize(
    ("lines", "variants"),
    [
        ('eva_recall = "matched"', Variants(eva_recall="matched")),
        ('references = "mean"', Variants(references="mean")),
        ('eva_recall = "both"\nreferences = "best"', Variants()),
    ],
)
def test_a_variant_is_chosen_in_the_suite(golden: Golden, lines: str, variants: Variants) -> None:
    """What is the default may be written out."""
    golden.spoil("summeval.toml", "default_systems", f"{lines}\ndefault_systems")
    assert golden.load().variants == variants


def test_a_threshold_is_there_once_though_both_stand_on_one_line(golden: Golden) -> None:
    """Of two numbers, nobody knows which one is meant."""
    text = (golden.path / "summeval.toml").read_text(encoding="utf-8")
    line = 'thresholds = {"facet.method" = 0, facet = {method = 3}}\n'
    golden.write("summeval.toml", line + text[: text.index("[thresholds]")])
    assert "the threshold 'facet.method' stands on line 1, too" in mistake(golden.load)


def test_thresholds_keep_file_order_and_line(golden: Golden) -> None:
    """A later range check can point at the line; an unquoted dotted name is flattened."""
    suite = golden.load()

    def setting(name: str, value: float, line: int) -> Setting:
        return Setting(name=name, value=value, place=Place(FILE, line))

    assert suite.thresholds == {
        "": (setting("facet", 0.55, 14), setting("facet.conclusion", 2.0, 15)),
        "mean.": (setting("facet", 0.65, 18),),
        "judge.": (setting("facet_kappa", 0.4, 21),),
    }
    golden.spoil("summeval.toml", 'facet = 0.55\n"facet.conclusion"', "facet.conclusion")
    assert golden.load().thresholds[""] == (setting("facet.conclusion", 2.0, 14),)


HEADER = 23
"""The line of the first waiver: the sound suite has 21 lines, and an empty one follows."""
KEYS = {
    "paper": '"zinc-01"',
    "system": '"careful"',
    "finding": '"facet"',
    "owner": '"ines"',
    "reason": '"the reference is being mended"',
    "expires": "2027-01-31",
}
"""A sound waiver, key by key, with each value as TOML; ``paper`` stands on line 24."""


def waiver_table(name: str = "moss", /, **changes: str | None) -> str:
    """A waiver with some of its keys changed, added, or (None) left out."""
    keys = {key: value for key, value in {**KEYS, **changes}.items() if value is not None}
    return f"[waivers.{name}]\n" + "".join(f"{key} = {value}\n" for key, value in keys.items())


def waive(golden: Golden, *tables: str) -> None:
    """Adds tables at the end of the suite file."""
    file = golden.path / "summeval.toml"
    golden.write("summeval.toml", "\n".join([file.read_text(encoding="utf-8"), *tables]))


def test_a_waiver_is_read_with_its_line(golden: Golden) -> None:
    """Worked example of every key; the bound may be left out, and a mean be waived."""
    mean = waiver_table("two", paper='"all-papers"', system='"terse"', most="2")
    waive(golden, waiver_table(least="0.5"), mean)
    first, second = golden.load().waivers
    assert first == Waiver(
        name="moss",
        paper="zinc-01",
        system="careful",
        finding="facet",
        least=0.5,
        owner="ines",
        reason="the reference is being mended",
        expires="2027-01-31",
        place=Place(FILE, HEADER),
    )
    assert (second.name, second.paper, second.system) == ("two", "all-papers", "terse")
    assert (second.least, second.most, second.bound) == (None, 2.0, 2.0)
    assert second.place == Place(FILE, HEADER + 9)


def test_mistakes_in_a_waiver_have_their_lines(golden: Golden, snapshot: SnapshotAssertion) -> None:
    """A waiver that says not what, who, why or until when cannot be held to anything."""
    no_days = (
        '"31.1.2027"', '"2027-02-29"', '"2027-01-31T12:00"', '" 2027-01-31"', '"never"', '""',
        "20270131", "true", "[2027-01-31]", "2027-01-31T12:00:00",
    )  # fmt: skip
    changes: list[tuple[str, str | None]] = [
        *((key, None) for key in KEYS),
        *(("expires", day) for day in no_days),
        *(("least", bound) for bound in ('"0.5"', "true", "nan", "-inf", "9" * 400)),
        *(("until", "1"), ("paper", '"zinc-3"'), ("system", '"carefull"'), ("owner", '""')),
    ]
    before = (golden.path / "summeval.toml").read_text(encoding="utf-8")
    tables = [[waiver_table(**{key: value})] for key, value in changes]
    tables.append([waiver_table(paper='"zinc-02"', system='"terse"')])
    tables += [
        [waiver_table(paper=paper), waiver_table("fern", paper=paper, owner='"somebody else"')]
        for paper in ('"zinc-01"', '"all-papers"')
    ]
    files = ["\n".join([before, *added]) for added in tables]
    assert list(golden.mistakes("summeval.toml", files).values()) == snapshot
