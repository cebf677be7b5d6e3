from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest

from summeval_pytest.endpoints.endpoint import EndpointSpec, Price
from summeval_pytest.errors import Place, SuiteError
from summeval_pytest.questions import SentenceManner
from summeval_pytest.suite.file import EvaVariant, Variants
from summeval_pytest.suite.places import find_suite_file
from summeval_pytest.suite.suite import load_suite
from summeval_pytest.suite.values import JudgeSpec, Setting, SystemSpec, Waiver
from tests.label_suite import mistake, write_suite

if TYPE_CHECKING:
    from pathlib import Path

    from syrupy.assertion import SnapshotAssertion

    from summeval_pytest.suite.suite import Suite
    from tests.suite.conftest import Golden

LLAMA = '[systems.llama3]\nendpoint = "ollama"\nmodel = "llama3"\n'


CAREFUL = '[systems.careful]\nsummaries = "systems/careful.jsonl"\n'


def test_suite_file_is_found_by_its_name_or_its_folder(golden: Golden) -> None:
    """Both are what a user may pass to pytest."""
    file = golden.path / "summeval.toml"

    assert find_suite_file(file) == file
    assert find_suite_file(golden.path) == file
    assert find_suite_file(golden.path / "papers.jsonl") is None
    assert find_suite_file(golden.path / "systems") is None
    assert find_suite_file(golden.path / "nowhere") is None


@pytest.mark.parametrize("name", ["toml", ".summeval.toml", "summeval.tom", "my-summeval.toml"])
def test_other_names_are_no_suite_files(tmp_path: Path, name: str) -> None:
    """Other projects' TOML files are left alone."""
    (tmp_path / name).write_text("", encoding="utf-8")

    assert find_suite_file(tmp_path / name) is None


def test_missing_suite_file_is_refused(tmp_path: Path, snapshot: SnapshotAssertion) -> None:
    """A mistyped path ends with what is missing."""
    with pytest.raises(SuiteError) as caught:
        load_suite(tmp_path / "summeval.toml", "golden/summeval.toml")
    assert str(caught.value) == snapshot
    with pytest.raises(SuiteError) as caught:
        load_suite(tmp_path / "golden", "golden")
    assert str(caught.value) == snapshot


def test_file_that_is_not_named_like_a_suite_is_refused(
    golden: Golden, snapshot: SnapshotAssertion
) -> None:
    """The name is how pytest collects it."""
    with pytest.raises(SuiteError) as caught:
        load_suite(golden.path / "papers.jsonl", "golden/papers.jsonl")

    assert str(caught.value) == snapshot


def test_folder_without_a_suite_file_is_refused(
    golden: Golden, snapshot: SnapshotAssertion
) -> None:
    """The message says which file would make it one."""
    (golden.path / "summeval.toml").unlink()

    assert golden.mistake() == snapshot


def test_folder_with_two_suite_files_is_refused(
    golden: Golden, snapshot: SnapshotAssertion
) -> None:
    """Which of them is meant cannot be guessed."""
    golden.write("long.summeval.toml", "")

    assert golden.mistake() == snapshot


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ('labels = "labels.jsonl"', 'label = "labels.jsonl"'),
        ('skip = ["zinc-02"]', 'skips = ["zinc-02"]'),
        ('papers = "papers.jsonl"\n', ""),
        ('papers = "papers.jsonl"', "papers = 3"),
        ('papers = "papers.jsonl"', 'papers = " "'),
        ('papers = "papers.jsonl"', 'papers = "paper.jsonl"'),
        ('labels = "labels.jsonl"', 'labels = "gone.jsonl"'),
        ('recorded = "recorded.jsonl"', 'recorded = "systems"'),
        ('summaries = "systems/careful.jsonl"', 'summaries = "careful.jsonl"'),
        ('papers = "papers.jsonl"', 'papers = "/data/papers.jsonl"'),
        ('papers = "papers.jsonl"', "papers = 'C:\\data\\papers.jsonl'"),
        ('default_systems = ["careful"]', 'eva_recall = "none"'),
        ('default_systems = ["careful"]', "calibrate = 1"),
        ('labels = "labels.jsonl"', "calibrate = true"),
        ('default_systems = ["careful"]', "calibrated = true"),
        ('default_systems = ["careful"]', 'default_systems = ["carefull"]'),
        ('default_systems = ["careful"]', "default_systems = []"),
        ('default_systems = ["careful"]', 'default_systems = ["careful", "careful"]'),
        ('default_systems = ["careful"]', 'default_systems = "careful"'),
        ('default_systems = ["careful"]', "default_systems = [true]"),
        ('skip = ["zinc-02"]', 'skip = ["zinc-2"]'),
        ('skip = ["zinc-02"]', ""),
    ],
)
def test_mistake_in_the_suite_file_is_reported_at_its_line(
    golden: Golden, old: str, new: str, snapshot: SnapshotAssertion
) -> None:
    """Each message says what, where and what to do."""
    golden.spoil("summeval.toml", old, new)
    assert golden.mistake() == snapshot


@pytest.mark.parametrize("tables", ["", "[systems]\n", "[systems.x_old]\n"])
def test_suite_without_a_system_is_refused(
    golden: Golden, tables: str, snapshot: SnapshotAssertion
) -> None:
    """There would be nothing to gate."""
    golden.write("summeval.toml", f'papers = "papers.jsonl"\n{tables}')

    assert golden.mistake() == snapshot


@pytest.mark.parametrize(
    "table",
    [
        "[systems.llama3]\n",
        '[systems.llama3]\nsummaries = "a"\nendpoint = "ollama"\n',
        '[systems.llama3]\nendpoint = "ollama"\n',
        '[systems.llama3]\nsummaries = "papers.jsonl"\nmodel = "llama3"\n',
        '[systems.llama3]\nsummaries = "papers.jsonl"\nmax_tokens = 9\n',
        f"{LLAMA}max_tokens = 0\n",
        f"{LLAMA}context_tokens = 1.5\n",
        f"{LLAMA}temperature = 2.1\n",
        f"{LLAMA}temperature = -0.1\n",
        f'{LLAMA}prompt = "abstrct"\n',
        f'{LLAMA}prompt = "papers.jsonl"\n',
        f"{LLAMA}input_price = 1\n",
        f"{LLAMA}cached_input_price = 1\n",
        f"{LLAMA}input_price = 1\noutput_price = -1\n",
        '[systems.llama3]\nendpoint = "olama"\nmodel = "llama3"\n',
        '[systems.gpt-4.1]\nendpoint = "openai"\nmodel = "gpt"\n',
        "[endpoints.near]\nmax_in_flight = 8\n",
        '[endpoints.near]\nbase_url = "localhost:8000"\n',
        "[endpoints.ollama]\nmax_in_flight = 0\n",
        f"[endpoints.ollama]\nmax_in_flight = {10**15}\n",
        f"""[judges.gpt]\nendpoint = "openai"\nmodel = "gpt"\nvotes = 0x{"F" * 5000}\n""",
        "[endpoints.ollama]\nmax_in_fligth = 8\n",
        '[endpoints.openai]\napi_key_env = "sk-abc"\n',
        "[endpoints.openai]\nrequests_per_minute = 0\n",
        "[endpoints.openai]\ntimeout_seconds = 0\n",
        "[endpoints.openai]\nattempt_seconds = 0\n",
        "[endpoints.openai]\nmax_reply_mib = 0.5\n",
        '[judges.gpt]\nendpoint = "openai"\nmodel = "gpt"\nbatched = 1\n',
        '[judges.gpt]\nendpoint = "openai"\nmodel = "gpt"\npinned = "yes"\n',
        '[judges.gpt]\nmodel = "gpt"\n',
        '[judges.gpt]\nendpoint = "openai"\nmodel = "gpt"\nvotes = true\n',
        '[judges.offline]\nendpoint = "openai"\nmodel = "gpt"\n',
        '[judges]\ngpt = "gpt-4o"\n',
    ],
)
def test_mistake_in_a_table_is_reported_at_its_line(
    golden: Golden, table: str, snapshot: SnapshotAssertion
) -> None:
    """Systems, endpoints and judges are checked before a paper is read."""
    golden.write("summeval.toml", f'papers = "papers.jsonl"\n\n{CAREFUL}\n\n\n{table}')
    assert golden.mistake() == snapshot


@pytest.mark.parametrize("key", ["systems", "endpoints", "judges", "thresholds"])
def test_table_that_is_none_is_refused(golden: Golden, key: str) -> None:
    """A value where a table belongs is named with its line."""
    golden.write("summeval.toml", f'papers = "papers.jsonl"\n{key} = 3\n')
    if key != "systems":
        golden.write("summeval.toml", f'papers = "papers.jsonl"\n{key} = 3\n{CAREFUL}')

    hint = "a table, [thresholds]" if key == "thresholds" else f"tables, [{key}.NAME]"
    assert golden.mistake() == f"golden/summeval.toml:2: {key!r} is 3; write {hint}"


def test_endpoints_and_judges_are_read(golden: Golden) -> None:
    """Whoever asks them finds them typed; a built-in endpoint needs no address."""
    text = (golden.path / "summeval.toml").read_text(encoding="utf-8")
    golden.write(
        "summeval.toml",
        f"""{text}
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
max_reply_mib = 4
[judges.gpt]
endpoint = "openai"
model = "gpt-4o"
votes = 3
[judges.slow]
endpoint = "near"
model = "m"
batched = false
rubric = "release"
examples = true
input_price = 1
output_price = 2
cached_input_price = 0.5
""",
    )
    suite = golden.load()

    assert dict(suite.endpoints) == {
        "ollama": EndpointSpec(name="ollama", max_in_flight=8),
        "near": EndpointSpec(
            name="near",
            base_url="http://localhost:8000/v1",
            api_key_env="NEAR_KEY",
            requests_per_minute=60,
            tokens_per_minute=9000,
            timeout_seconds=30,
            attempt_seconds=9.5,
            max_reply_mib=4,
        ),
    }
    assert dict(suite.judges) == {
        "gpt": JudgeSpec(name="gpt", endpoint="openai", model="gpt-4o", votes=3),
        "slow": JudgeSpec(
            name="slow",
            endpoint="near",
            model="m",
            batched=False,
            rubric="release",
            examples=True,
            price=Price(input=1, output=2, cached_input=0.5),
        ),
    }
    line = text.count("\n") + 2
    assert suite.systems["llama.3"] == SystemSpec(
        name="llama.3",
        endpoint="ollama",
        model="llama3",
        prompt="abstract",
        max_tokens=1024,
        temperature=0.0,
        place=Place("golden/summeval.toml", line),
    )
    assert suite.systems["far"] == SystemSpec(
        name="far",
        endpoint="near",
        model="m",
        prompt="plain",
        max_tokens=300,
        context_tokens=4096,
        temperature=0.5,
        price=Price(input=1, output=2.5),
        skip=("zinc-01",),
        place=Place("golden/summeval.toml", line + 3),
    )


def test_a_prompt_of_ones_own_is_read_from_its_file(golden: Golden) -> None:
    """What is asked is part of the suite, and its text of every request's key."""
    golden.write("prompts/short.txt", "Say it in one sentence.\n\n{source}\n")
    golden.spoil(
        "summeval.toml", "[thresholds]\n", f'{LLAMA}prompt = "prompts/short.txt"\n\n[thresholds]\n'
    )

    prompt = golden.load().systems["llama3"].prompt
    assert prompt == "Say it in one sentence.\n\n{source}\n"


def test_own_keys_are_ignored_in_every_table(golden: Golden) -> None:
    """A team keeps its notes where they belong."""
    text = (golden.path / "summeval.toml").read_text(encoding="utf-8")
    noted = re.sub(r"(?m)^(\[.*\])$", r"\1\nx_note = 'ours'", text)
    golden.write(
        "summeval.toml",
        f"{noted}\n[x_team]\nname = 1\n[endpoints.near]\n"
        'base_url = "https://a"\nx_owner = {b = 1}\n[judges.j]\nendpoint = "near"\n'
        'model = "m"\nx_cost = 3\n',
    )

    assert list(golden.load().systems) == ["careful", "terse"]


def test_paths_may_leave_the_folder_of_the_suite_where_the_user_allows_it(golden: Golden) -> None:
    """Several suites can share their papers."""
    (golden.path / "papers.jsonl").rename(golden.path.parent / "shared.jsonl")
    golden.spoil("summeval.toml", '"papers.jsonl"', '"../shared.jsonl"')

    suite = load_suite(golden.path, "golden", allow_outside=True)
    assert suite.paper("zinc-01").place.path == "golden/../shared.jsonl"


@pytest.mark.parametrize("is_link", [False, True])
@pytest.mark.parametrize(
    ("old", "key", "line"),
    [
        ("papers.jsonl", "papers", 1),
        ("labels.jsonl", "labels", 2),
        ("recorded.jsonl", "recorded", 3),
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

    assert golden.mistake() == f"golden/summeval.toml:{line}: {LEAVES.format(named)}"
    assert load_suite(golden.path, "golden", allow_outside=True).paper_ids


LEAVES = (
    "'{}' leads out of the suite's folder, as a path or by a link; move it in, or add"
    " --summ-allow-outside if you trust the suite"
)


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

    assert golden.mistake() == f"golden/summeval.toml: {LEAVES.format(name)}"


@pytest.mark.parametrize("name", ["../prompt.txt", "link.txt"])
def test_a_prompt_is_read_in_the_folder_of_the_suite_only(golden: Golden, name: str) -> None:
    """It would be sent to whoever serves the model."""
    golden.write("../prompt.txt", "Sum it up: {source}")
    (golden.path / "link.txt").symlink_to("../prompt.txt")
    golden.write(
        "summeval.toml",
        f'papers = "papers.jsonl"\n[systems.m]\nendpoint = "ollama"\nmodel = "m"\n'
        f'prompt = "{name}"\n',
    )

    assert golden.mistake() == f"golden/summeval.toml:5: {LEAVES.format(name)}"
    allowed = load_suite(golden.path, "golden", allow_outside=True)
    assert allowed.systems["m"].prompt == "Sum it up: {source}"


@pytest.mark.parametrize(
    ("line", "calibrate"), [("", False), ("calibrate = false", False), ("calibrate = true", True)]
)
def test_ratings_are_calibrated_only_where_the_suite_says_so(
    golden: Golden, line: str, *, calibrate: bool
) -> None:
    """It moves numbers, so nobody gets it by adding labels."""
    golden.spoil("summeval.toml", "default_systems", f"{line}\ndefault_systems")
    assert golden.load().calibrate is calibrate


@pytest.mark.parametrize("key", ["labels", "encoder"])
def test_a_name_too_long_for_the_disk_is_no_file(golden: Golden, key: str) -> None:
    """Asking the disk about it is an error of its own, which is the user's all the same."""
    golden.spoil("summeval.toml", 'labels = "labels.jsonl"', f'{key} = "{"x" * 5000}"')
    if key == "encoder":
        golden.spoil("summeval.toml", "default_systems", "eva_premises = 3\ndefault_systems")
        assert golden.load().variants.eva.encoder == "x" * 5000
    else:
        assert "which is no file; create it or mend the path" in golden.mistake()


"""A model under test, which comes before the suite's thresholds."""


def add(golden: Golden, table: str) -> None:
    """Writes one more table into the suite file."""
    golden.spoil("summeval.toml", "[thresholds]\n", f"{table}\n[thresholds]\n")


@pytest.mark.parametrize("number", ["nan", "inf", "100001", "-0.5", "true", '"1"'])
@pytest.mark.parametrize("key", ["input_price", "output_price", "cached_input_price"])
def test_price_that_is_none_is_refused(golden: Golden, key: str, number: str) -> None:
    """A budget that is held against it would never be over."""
    prices = {"input_price": "1", "output_price": "2", key: number}
    add(golden, LLAMA + "".join(f"{name} = {value}\n" for name, value in prices.items()))
    told = golden.mistake()
    assert f"'{key}' of system 'llama3' is " in told
    assert "number" in told


@pytest.mark.parametrize(
    "name", ["sk-marker-0a1b2c", "MY KEY", "1KEY", "$KEY", "K\\u00c9Y", "A\\n"]
)
def test_key_in_place_of_its_variable_is_not_shown(golden: Golden, name: str) -> None:
    """The message goes into logs; the file has to be mended anyway."""
    add(golden, f'[endpoints.openai]\napi_key_env = "{name}"\n')
    told = golden.mistake()
    assert "'api_key_env' of endpoint 'openai' is no name of an environment variable" in told
    assert name not in told


@pytest.mark.parametrize("content", [None, b"\xff {source}"])
def test_prompt_that_is_no_text_is_refused(golden: Golden, content: bytes | None) -> None:
    """A folder, or bytes that are no UTF-8."""
    if content is None:
        (golden.path / "short").mkdir()
    else:
        golden.write("short", content)
    add(golden, f'{LLAMA}prompt = "short"\n')
    assert "'prompt' of system 'llama3' is 'short', neither abstract nor plain" in golden.mistake()


def test_prompt_is_relative_to_the_suite(golden: Golden) -> None:
    """As every other file is: another machine has no such folder."""
    golden.write("short.txt", "{source}")
    add(golden, f'{LLAMA}prompt = "{(golden.path / "short.txt").as_posix()}"\n')
    assert "a path relative to the suite file's folder" in golden.mistake()


def add_judge(golden: Golden, *lines: str) -> None:
    """Writes a judge with these lines into the suite file."""
    table = "\n".join(("[judges.gpt]", 'endpoint = "openai"', 'model = "gpt-x"', *lines))
    golden.spoil("summeval.toml", "[thresholds]\n", f"{table}\n\n[thresholds]\n")


@pytest.mark.parametrize(
    ("lines", "manner"),
    [
        ([], SentenceManner()),
        (['sentences = "quotes"', "strict = false"], SentenceManner()),
        (['sentences = "label"', "factual = true"], SentenceManner(mode="label", factual=True)),
        (
            ['sentences = "label-and-sentences"', "strict = true"],
            SentenceManner(mode="label-and-sentences", strict=True),
        ),
        (["strict = true"], SentenceManner(strict=True)),
    ],
    ids=["none", "usual", "label", "both", "strict"],
)
def test_a_judge_says_how_it_is_asked_about_sentences(
    golden: Golden, lines: list[str], manner: SentenceManner
) -> None:
    """What is not written is as it has always been."""
    add_judge(golden, *lines)
    assert golden.load().judges["gpt"].manner == manner


@pytest.mark.parametrize(
    "lines",
    [
        ['sentences = "labels"'],
        ["sentences = true"],
        ['strict = "yes"'],
        ["factual = 1"],
        ['sentences = "label"', "strict = true"],
        ["sentence = 1"],
    ],
    ids=["mode", "no text", "strict", "factual", "strict label", "misspelt"],
)
def test_a_manner_that_cannot_be_is_refused_at_its_line(
    golden: Golden, lines: list[str], snapshot: SnapshotAssertion
) -> None:
    """Before anything is asked, and paid for."""
    add_judge(golden, *lines)
    assert golden.mistake() == snapshot


WANTS_IT = "eva_premises = 3"


def suite_with(folder: Path, *lines: str) -> Suite:
    """The suite with these lines at its top."""
    written = folder if folder.exists() else write_suite(folder)
    toml = written / "summeval.toml"
    toml.write_text("\n".join([*lines, toml.read_text("utf-8")]), encoding="utf-8")
    return load_suite(written)


def test_a_folder_beside_the_suite_file_is_found_from_anywhere(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As its papers are: a suite that is moved or run from elsewhere finds its own model."""
    model = write_suite(tmp_path / "moss") / "models" / "tiny"
    model.mkdir(parents=True)
    monkeypatch.chdir(tmp_path)
    suite = suite_with(tmp_path / "moss", WANTS_IT, 'encoder = "models/tiny"')
    assert suite.variants.eva.encoder == str(model)


def test_another_name_is_left_to_the_machine(tmp_path: Path) -> None:
    """A model's name in Hugging Face's cache is the same everywhere; reading looks nowhere."""
    suite = suite_with(tmp_path / "moss", "eva_relations = true", 'encoder = "moss/tiny"')
    assert suite.variants.eva.encoder == "moss/tiny"


@pytest.mark.parametrize("name", ["../tiny", "{}/tiny", "~/tiny", "tiny"])
def test_a_folder_elsewhere_is_not_loaded_unasked(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    """A suite may not choose what of this machine is read as a model."""
    (tmp_path / "tiny").mkdir()
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HOME", str(tmp_path))
    encoder = f'encoder = "{name.format(tmp_path)}"'
    message = mistake(lambda: suite_with(tmp_path / "moss", WANTS_IT, encoder))
    assert "summeval.toml:2: " in message
    assert "leads out of the suite's folder" in message
    assert load_suite(tmp_path / "moss", allow_outside=True).variants.eva.encoder


def test_an_encoder_that_nothing_asks_is_refused(tmp_path: Path) -> None:
    """The user thinks that it does something."""
    message = mistake(lambda: suite_with(tmp_path / "moss", 'encoder = "moss/tiny"'))
    assert message.endswith(
        "summeval.toml:1: 'encoder' of the suite finds similar facts, and nothing asks for them;"
        " add eva_premises = 3 or eva_relations = true, or delete it"
    )


@pytest.mark.parametrize(
    ("line", "variants"),
    [
        ('eva_recall = "matched"', Variants(eva=EvaVariant(recall="matched"))),
        ('eva_chains = "adjacent"', Variants(eva=EvaVariant(chains="adjacent"))),
        ('eva_chains = "parent"', Variants()),
        ('eva_validation = "chain"', Variants(eva=EvaVariant(validation="chain"))),
        ('eva_validation = "together"', Variants()),
        ("eva_premises = 3", Variants(eva=EvaVariant(premises=3))),
        ('eva_premises = "all"', Variants()),
        ("eva_relations = true", Variants(eva=EvaVariant(relations=0.65))),
        ("eva_relations = false", Variants()),
        ("eva_relations = 0.8", Variants(eva=EvaVariant(relations=0.8))),
        ("eva_relations = 1", Variants(eva=EvaVariant(relations=1.0))),
        ('references = "mean"', Variants(references="mean")),
        ('references = "best"', Variants()),
    ],
)
def test_a_variant_is_chosen_at_the_top_of_the_suite(
    golden: Golden, line: str, variants: Variants
) -> None:
    """What is the default may be written out."""
    golden.spoil("summeval.toml", "default_systems", f"{line}\ndefault_systems")
    assert golden.load().variants == variants


@pytest.mark.parametrize(
    "line",
    [
        'eva_chains = "both"',
        "eva_chains = true",
        'eva_validation = "chains"',
        "eva_premises = 0",
        "eva_premises = -3",
        "eva_premises = 3.0",
        "eva_premises = true",
        'eva_premises = "3"',
        "eva_relations = 0",
        "eva_relations = 1.01",
        "eva_relations = nan",
        'eva_relations = "yes"',
        'references = "all"',
    ],
)
def test_a_variant_that_there_is_not_is_refused_with_its_line(
    golden: Golden, line: str, snapshot: SnapshotAssertion
) -> None:
    """Before anything is asked."""
    golden.spoil("summeval.toml", "default_systems", f"{line}\ndefault_systems")
    assert golden.mistake() == snapshot


def test_thresholds_keep_file_order_and_line(golden: Golden) -> None:
    """A later range check can point at the line."""
    suite = golden.load()
    file = "golden/summeval.toml"

    assert suite.thresholds == (
        Setting(name="facet", value=0.55, place=Place(file, 14)),
        Setting(name="facet.conclusion", value=2.0, place=Place(file, 15)),
    )
    assert suite.mean_thresholds == (Setting(name="facet", value=0.65, place=Place(file, 18)),)
    assert suite.judge_thresholds == (
        Setting(name="facet_kappa", value=0.4, place=Place(file, 21)),
    )


def test_unquoted_dotted_name_is_flattened(golden: Golden) -> None:
    """Alone, the unquoted spelling means the same as the quoted one."""
    golden.spoil("summeval.toml", 'facet = 0.55\n"facet.conclusion"', "facet.conclusion")

    assert golden.load().thresholds == (
        Setting(name="facet.conclusion", value=2.0, place=Place("golden/summeval.toml", 14)),
    )


@pytest.mark.parametrize("value", ['"0.55"', "true", "nan", "-inf", "1e999", "[0.5]", "9" * 400])
def test_threshold_that_is_no_finite_number_is_refused(
    golden: Golden, value: str, snapshot: SnapshotAssertion
) -> None:
    """A threshold of NaN would pass or fail everything."""
    golden.spoil("summeval.toml", "0.55", value)
    assert golden.mistake() == snapshot


def test_threshold_in_two_spellings_is_refused(golden: Golden, snapshot: SnapshotAssertion) -> None:
    """TOML sees two keys where we see one name."""
    golden.spoil("summeval.toml", "facet = 0.55", "facet.conclusion = 3")

    assert golden.mistake() == snapshot


def test_sub_table_that_is_a_number_is_refused(golden: Golden, snapshot: SnapshotAssertion) -> None:
    """``mean`` is a table of thresholds, not a threshold."""
    golden.spoil("summeval.toml", "[thresholds.mean]\nfacet = 0.65", "mean = 0.65")

    assert golden.mistake() == snapshot


CORRECTED = '[thresholds.corrected]\nfacet = 0.6\n"facet.lower" = 0.5\n'


FILE = "golden/summeval.toml"


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


EXPECTED_DAY = "a day, expires = 2027-01-31"


def waiver_table(name: str = "moss", /, **changes: str | None) -> str:
    """A waiver's waiver_table with some of its keys changed, added, or (None) left out."""
    keys = {key: value for key, value in {**KEYS, **changes}.items() if value is not None}
    return f"[waivers.{name}]\n" + "".join(f"{key} = {value}\n" for key, value in keys.items())


def waive(golden: Golden, *tables: str) -> None:
    """Adds tables at the end of the suite file."""
    file = golden.path / "summeval.toml"
    golden.write("summeval.toml", "\n".join([file.read_text(encoding="utf-8"), *tables]))


def waiver_mistake(golden: Golden, **changes: str | None) -> str:
    """The message for one waiver that is changed so."""
    waive(golden, waiver_table(**changes))
    return golden.mistake()


def test_a_waiver_is_read_with_its_line(golden: Golden) -> None:
    """Worked example of every key; the bound may be left out."""
    waive(golden, waiver_table(least="0.5"), waiver_table("two", system='"terse"'))
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
    assert (second.name, second.system, second.least) == ("two", "terse", None)
    assert second.place == Place(FILE, HEADER + 9)


@pytest.mark.parametrize(
    "day", ["2027-01-31", '"2027-01-31"', '"20270131"', '"2027-W04-7"'], ids=str
)
def test_the_last_day_may_be_a_date_or_a_text_that_reads_as_one(golden: Golden, day: str) -> None:
    """TOML has dates, and quotation marks around one are no waiver_mistake worth a red run.

    31 January 2027 is the Sunday of the fourth ISO week.
    """
    waive(golden, waiver_table(expires=day))
    assert golden.load().waivers[0].expires == "2027-01-31"


@pytest.mark.parametrize(
    "day",
    [
        '"31.1.2027"',
        '"2027-02-29"',
        '"2027-01-31T12:00"',
        '" 2027-01-31"',
        '"never"',
        '""',
        "20270131",
        "true",
        "[2027-01-31]",
    ],
)
def test_what_is_no_day_is_refused(golden: Golden, day: str, snapshot: SnapshotAssertion) -> None:
    """A waiver without an end is a lower threshold that nobody has decided on."""
    assert waiver_mistake(golden, expires=day) == snapshot


@pytest.mark.parametrize("key", KEYS)
def test_every_key_but_the_bound_is_needed(
    golden: Golden, key: str, snapshot: SnapshotAssertion
) -> None:
    """A waiver that says not what, who, why or until when cannot be held to anything."""
    assert waiver_mistake(golden, **{key: None}) == snapshot


TEXTS = [key for key in KEYS if key != "expires"]


LINES = {key: HEADER + place for place, key in enumerate([*KEYS, "least"], start=1)}


@pytest.mark.parametrize("value", ['"0.5"', "true", "nan", "-inf", "9" * 400])
def test_a_bound_that_is_no_finite_number_is_refused(
    golden: Golden, value: str, snapshot: SnapshotAssertion
) -> None:
    """A bound of NaN would hold nothing."""
    assert waiver_mistake(golden, least=value) == snapshot


def test_the_mean_of_a_system_can_be_waived(golden: Golden) -> None:
    """Its item is called all-papers, and so is the paper of its waiver."""
    waive(golden, waiver_table(paper='"all-papers"', system='"terse"'))
    (waiver,) = golden.load().waivers
    assert (waiver.paper, waiver.system) == ("all-papers", "terse")


@pytest.mark.parametrize("paper", ['"zinc-01"', '"all-papers"'])
def test_two_waivers_of_the_same_number_are_refused(
    golden: Golden, paper: str, snapshot: SnapshotAssertion
) -> None:
    """Which of them holds, nobody could tell; the later one is blamed, at its finding."""
    waive(
        golden,
        waiver_table(paper=paper),
        waiver_table("fern", paper=paper, owner='"somebody else"'),
    )
    assert golden.mistake() == snapshot
