from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest

from summeval_pytest.endpoints.endpoint import EndpointSpec, Price
from summeval_pytest.errors import Place, SuiteError
from summeval_pytest.suite.places import find_suite_file
from summeval_pytest.suite.suite import load_suite
from summeval_pytest.suite.values import JudgeSpec, SystemSpec

if TYPE_CHECKING:
    from pathlib import Path

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


def test_missing_suite_file_is_refused(tmp_path: Path) -> None:
    """A mistyped path ends with what is missing."""
    with pytest.raises(SuiteError) as caught:
        load_suite(tmp_path / "summeval.toml", "golden/summeval.toml")
    assert str(caught.value) == (
        "golden/summeval.toml: there is no suite file 'summeval.toml'; create it or mend the path"
    )
    with pytest.raises(SuiteError) as caught:
        load_suite(tmp_path / "golden", "golden")
    assert str(caught.value) == (
        "golden: there is no suite 'golden'; name a folder that holds"
        " summeval.toml or NAME.summeval.toml"
    )


def test_file_that_is_not_named_like_a_suite_is_refused(golden: Golden) -> None:
    """The name is how pytest collects it."""
    with pytest.raises(SuiteError) as caught:
        load_suite(golden.path / "papers.jsonl", "golden/papers.jsonl")

    assert str(caught.value) == (
        "golden/papers.jsonl: 'papers.jsonl' is no name of a suite file;"
        " rename it to summeval.toml or NAME.summeval.toml"
    )


def test_folder_without_a_suite_file_is_refused(golden: Golden) -> None:
    """The message says which file would make it one."""
    (golden.path / "summeval.toml").unlink()

    assert golden.mistake() == (
        "golden: the folder 'golden' holds no suite file; add summeval.toml or NAME.summeval.toml"
    )


def test_folder_with_two_suite_files_is_refused(golden: Golden) -> None:
    """Which of them is meant cannot be guessed."""
    golden.write("long.summeval.toml", "")

    assert golden.mistake() == (
        "golden: this folder holds 'long.summeval.toml' and 'summeval.toml'; name one of the files"
    )


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        (
            'labels = "labels.jsonl"',
            'label = "labels.jsonl"',
            "2: unknown key 'label' in the suite; did you mean 'labels'?",
        ),
        (
            'skip = ["zinc-02"]',
            'skips = ["zinc-02"]',
            "11: unknown key 'skips' in system 'terse'; did you mean 'skip'?",
        ),
        (
            'papers = "papers.jsonl"\n',
            "",
            "0: the suite has no 'papers'; add the key with a text",
        ),
        (
            'papers = "papers.jsonl"',
            "papers = 3",
            "1: 'papers' of the suite is 3; write a text",
        ),
        (
            'papers = "papers.jsonl"',
            'papers = " "',
            "1: 'papers' of the suite is empty (' '); write a text",
        ),
        (
            'papers = "papers.jsonl"',
            'papers = "paper.jsonl"',
            (
                "1: 'papers' of the suite names 'paper.jsonl', which is no file;"
                " create it or mend the path"
            ),
        ),
        (
            'labels = "labels.jsonl"',
            'labels = "gone.jsonl"',
            (
                "2: 'labels' of the suite names 'gone.jsonl', which is no file;"
                " create it or mend the path"
            ),
        ),
        (
            'recorded = "recorded.jsonl"',
            'recorded = "systems"',
            (
                "3: 'recorded' of the suite names 'systems', which is no file;"
                " create it or mend the path"
            ),
        ),
        (
            'summaries = "systems/careful.jsonl"',
            'summaries = "careful.jsonl"',
            (
                "7: 'summaries' of system 'careful' names 'careful.jsonl', which"
                " is no file; create it or mend the path"
            ),
        ),
        (
            'papers = "papers.jsonl"',
            'papers = "/data/papers.jsonl"',
            (
                "1: 'papers' of the suite is '/data/papers.jsonl';"
                " write a path relative to the suite file's folder"
            ),
        ),
        (
            'papers = "papers.jsonl"',
            "papers = 'C:\\data\\papers.jsonl'",
            (
                "1: 'papers' of the suite is 'C:\\\\data\\\\papers.jsonl';"
                " write a path relative to the suite file's folder"
            ),
        ),
        (
            'default_systems = ["careful"]',
            'eva_recall = "none"',
            """4: 'eva_recall' of the suite is 'none'; write "both" or "matched\"""",
        ),
        (
            'default_systems = ["careful"]',
            "calibrate = 1",
            "4: 'calibrate' of the suite is 1; write true or false",
        ),
        (
            'labels = "labels.jsonl"',
            "calibrate = true",
            (
                "2: 'calibrate' needs labels to learn from; name them as labels = \"labels.jsonl\","
                " or remove 'calibrate'"
            ),
        ),
        (
            'default_systems = ["careful"]',
            "calibrated = true",
            "4: unknown key 'calibrated' in the suite; did you mean 'calibrate'?",
        ),
        (
            'default_systems = ["careful"]',
            'default_systems = ["carefull"]',
            "4: 'default_systems' names the unknown system 'carefull'; did you mean 'careful'?",
        ),
        (
            'default_systems = ["careful"]',
            "default_systems = []",
            "4: 'default_systems' of the suite is an empty list, []; write a list of texts",
        ),
        (
            'default_systems = ["careful"]',
            'default_systems = ["careful", "careful"]',
            "4: 'default_systems' of the suite holds 'careful' twice; delete one",
        ),
        (
            'default_systems = ["careful"]',
            'default_systems = "careful"',
            "4: 'default_systems' of the suite is 'careful'; write a list of texts",
        ),
        (
            'default_systems = ["careful"]',
            "default_systems = [true]",
            "4: 'default_systems' of the suite is true; write a text",
        ),
        (
            'skip = ["zinc-02"]',
            'skip = ["zinc-2"]',
            (
                "11: 'skip' of system 'terse' names the unknown paper 'zinc-2';"
                " did you mean 'zinc-02'?"
            ),
        ),
        (
            'skip = ["zinc-02"]',
            "",
            (
                "9: system 'terse' has no summary for paper 'zinc-02'; add it to"
                " systems/terse.jsonl or list the paper under 'skip'"
            ),
        ),
    ],
)
def test_mistake_in_the_suite_file_is_reported_at_its_line(
    golden: Golden, old: str, new: str, message: str
) -> None:
    """Each message says what, where and what to do."""
    golden.spoil("summeval.toml", old, new)

    assert golden.mistake() == f"golden/summeval.toml:{message}".replace(".toml:0:", ".toml:")


@pytest.mark.parametrize("tables", ["", "[systems]\n", "[systems.x_old]\n"])
def test_suite_without_a_system_is_refused(golden: Golden, tables: str) -> None:
    """There would be nothing to gate."""
    golden.write("summeval.toml", f'papers = "papers.jsonl"\n{tables}')

    place = "golden/summeval.toml:2" if tables else "golden/summeval.toml"
    assert golden.mistake() == (
        f"{place}: the suite has no system ('systems' is empty);"
        " add a table [systems.NAME] with 'summaries'"
    )


@pytest.mark.parametrize(
    ("table", "message"),
    [
        (
            "[systems.llama3]\n",
            "8: system 'llama3' has neither 'summaries' nor 'endpoint'; write exactly one of them",
        ),
        (
            '[systems.llama3]\nsummaries = "a"\nendpoint = "ollama"\n',
            "8: system 'llama3' has both 'summaries' and 'endpoint'; write exactly one of them",
        ),
        (
            '[systems.llama3]\nendpoint = "ollama"\n',
            "8: system 'llama3' has no 'model'; add the key with a text",
        ),
        (
            '[systems.llama3]\nsummaries = "papers.jsonl"\nmodel = "llama3"\n',
            "10: 'model' of system 'llama3' goes with 'endpoint', not 'summaries'; delete it",
        ),
        (
            '[systems.llama3]\nsummaries = "papers.jsonl"\nmax_tokens = 9\n',
            "10: 'max_tokens' of system 'llama3' goes with 'endpoint', not 'summaries'; delete it",
        ),
        (
            f"{LLAMA}max_tokens = 0\n",
            "11: 'max_tokens' of system 'llama3' is 0; write a whole number of at least 1",
        ),
        (
            f"{LLAMA}context_tokens = 1.5\n",
            "11: 'context_tokens' of system 'llama3' is 1.5; write a whole number of at least 1",
        ),
        (
            f"{LLAMA}temperature = 2.1\n",
            "11: 'temperature' of system 'llama3' is 2.1; write a number from 0 to 2",
        ),
        (
            f"{LLAMA}temperature = -0.1\n",
            "11: 'temperature' of system 'llama3' is -0.1; write a number from 0 to 2",
        ),
        (
            f'{LLAMA}prompt = "abstrct"\n',
            (
                "11: 'prompt' of system 'llama3' is 'abstrct', neither abstract nor plain nor a"
                " text file beside the suite; write one of them"
            ),
        ),
        (
            f'{LLAMA}prompt = "papers.jsonl"\n',
            (
                "11: the prompt 'papers.jsonl' of system 'llama3' never says {source}, where the"
                " paper belongs; add it"
            ),
        ),
        (
            f"{LLAMA}input_price = 1\n",
            (
                "11: system 'llama3' has 'input_price' and no 'output_price'; write both, in"
                " dollars per million tokens"
            ),
        ),
        (
            f"{LLAMA}cached_input_price = 1\n",
            (
                "11: system 'llama3' has 'cached_input_price' and no 'input_price'; write both,"
                " in dollars per million tokens"
            ),
        ),
        (
            f"{LLAMA}input_price = 1\noutput_price = -1\n",
            "12: 'output_price' of system 'llama3' is -1; write a number from 0 to 100000",
        ),
        (
            '[systems.llama3]\nendpoint = "olama"\nmodel = "llama3"\n',
            "9: system 'llama3' names the unknown endpoint 'olama'; did you mean 'ollama'?",
        ),
        (
            '[systems.gpt-4.1]\nendpoint = "openai"\nmodel = "gpt"\n',
            (
                "8: system 'gpt-4' holds a table '1'; a name with a dot must be quoted,"
                ' [systems."gpt-4.1"]'
            ),
        ),
        (
            "[endpoints.near]\nmax_in_flight = 8\n",
            "8: endpoint 'near' has no 'base_url'; add the key with a text",
        ),
        (
            '[endpoints.near]\nbase_url = "localhost:8000"\n',
            (
                "9: 'base_url' of endpoint 'near' is 'localhost:8000';"
                " write a URL that starts with http:// or https://"
            ),
        ),
        (
            "[endpoints.ollama]\nmax_in_flight = 0\n",
            "9: 'max_in_flight' of endpoint 'ollama' is 0; write a whole number of at least 1",
        ),
        (
            f"[endpoints.ollama]\nmax_in_flight = {10**15}\n",
            (
                "9: 'max_in_flight' of endpoint 'ollama' is a very large integer;"
                " write a whole number from 1 to 999999999999999"
            ),
        ),
        (
            f'[judges.gpt]\nendpoint = "openai"\nmodel = "gpt"\nvotes = 0x{"F" * 5_000}\n',
            (
                "11: 'votes' of judge 'gpt' is a very large integer;"
                " write a whole number from 1 to 999999"
            ),
        ),
        (
            "[endpoints.ollama]\nmax_in_fligth = 8\n",
            "9: unknown key 'max_in_fligth' in endpoint 'ollama'; did you mean 'max_in_flight'?",
        ),
        (
            '[endpoints.openai]\napi_key_env = "sk-abc"\n',
            (
                "9: 'api_key_env' of endpoint 'openai' is no name of an environment variable;"
                " write the name, and keep the key itself out of every file"
            ),
        ),
        (
            "[endpoints.openai]\nrequests_per_minute = 0\n",
            (
                "9: 'requests_per_minute' of endpoint 'openai' is 0; write a whole number of at"
                " least 1"
            ),
        ),
        (
            "[endpoints.openai]\ntimeout_seconds = 0\n",
            "9: 'timeout_seconds' of endpoint 'openai' is 0; write a number from 0.1 to 86400",
        ),
        (
            "[endpoints.openai]\nattempt_seconds = 0\n",
            "9: 'attempt_seconds' of endpoint 'openai' is 0; write a number from 0.1 to 86400",
        ),
        (
            "[endpoints.openai]\nmax_reply_mib = 0.5\n",
            "9: 'max_reply_mib' of endpoint 'openai' is 0.5; write a whole number of at least 1",
        ),
        (
            '[judges.gpt]\nendpoint = "openai"\nmodel = "gpt"\nbatched = 1\n',
            "11: 'batched' of judge 'gpt' is 1; write true or false",
        ),
        (
            '[judges.gpt]\nendpoint = "openai"\nmodel = "gpt"\npinned = "yes"\n',
            "11: 'pinned' of judge 'gpt' is 'yes'; write true or false",
        ),
        (
            '[judges.gpt]\nmodel = "gpt"\n',
            "8: judge 'gpt' has no 'endpoint'; add the key with a text",
        ),
        (
            '[judges.gpt]\nendpoint = "openai"\nmodel = "gpt"\nvotes = true\n',
            "11: 'votes' of judge 'gpt' is true; write a whole number from 1 to 999999",
        ),
        (
            '[judges.offline]\nendpoint = "openai"\nmodel = "gpt"\n',
            "8: judge 'offline' has a reserved name; choose another",
        ),
        (
            '[judges]\ngpt = "gpt-4o"\n',
            "9: judge 'gpt' is 'gpt-4o'; write a table, [judges.gpt]",
        ),
    ],
)
def test_mistake_in_a_table_is_reported_at_its_line(
    golden: Golden, table: str, message: str
) -> None:
    """Systems, endpoints and judges are checked before a paper is read."""
    golden.write("summeval.toml", f'papers = "papers.jsonl"\n\n{CAREFUL}\n\n\n{table}')

    assert golden.mistake() == f"golden/summeval.toml:{message}"


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


def test_a_suite_without_labels_may_say_that_it_does_not_calibrate(golden: Golden) -> None:
    """Only what cannot be done is refused."""
    golden.spoil("summeval.toml", 'labels = "labels.jsonl"', "calibrate = false")
    assert golden.load().calibrate is False


def test_calibrating_is_a_recipe_and_leaves_the_suites_fingerprint(golden: Golden) -> None:
    """The numbers of two recipes differ by one key of their signature, and by no other."""
    plain = golden.load().fingerprint
    golden.spoil("summeval.toml", "default_systems", "calibrate = true\ndefault_systems")
    assert golden.load().fingerprint == plain


@pytest.mark.parametrize("key", ["labels", "encoder"])
def test_a_name_too_long_for_the_disk_is_no_file(golden: Golden, key: str) -> None:
    """Asking the disk about it is an error of its own, which is the user's all the same."""
    golden.spoil("summeval.toml", 'labels = "labels.jsonl"', f'{key} = "{"x" * 5000}"')
    if key == "encoder":
        golden.spoil("summeval.toml", "default_systems", "eva_premises = 3\ndefault_systems")
        assert golden.load().variants.eva.encoder == "x" * 5000
    else:
        assert "which is no file; create it or mend the path" in golden.mistake()
