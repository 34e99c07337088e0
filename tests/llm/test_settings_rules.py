"""Settings, one table a question: whose choice wins, what a provider is, and which numbers may be written."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from dayjob.llm.budget import Budget
from dayjob.llm.prices import Price
from dayjob.llm.secret import Secret
from dayjob.llm.settings import (
    ROLES,
    LlmSettings,
    Provider,
    RoleModel,
    SettingsError,
    load_settings,
)

KEYS = {"OPENAI_API_KEY": "sk-openai", "ANTHROPIC_API_KEY": "sk-ant"}


def load(folder: Path, text: str = "", environment: dict[str, str] | None = None, **flags: str) -> LlmSettings:
    file = folder / "dayjob.toml"
    file.write_text(text, "utf-8")
    return load_settings(file, KEYS if environment is None else environment, flags or None)  # type: ignore[arg-type]  # roles


def examinee(folder: Path, own: str) -> RoleModel:
    return load(folder, f"[llm.roles.examinee]\nmodel = 'openai/m'\n{own}\n").roles["examinee"]


# -- whose choice wins -------------------------------------------------------------------------------------------

CHOICES = [
    ("flag", "flag"),
    ("DAYJOB_NPC_MODEL", "openai/role-variable"),
    ("DAYJOB_MODEL", "openai/variable"),
    ("file", "openai/file"),
    ("LITELLM_MODEL", "litellm-name"),
    ("OPENAI_MODEL", "openai-name"),
    ("ANTHROPIC_MODEL", "anthropic-name"),
]
SHOWN = ["openai/flag", "openai/role-variable", "openai/variable", "openai/file"]
SHOWN += ["litellm/litellm-name", "openai/openai-name", "anthropic/anthropic-name"]


@pytest.mark.parametrize("first", range(len(CHOICES)))
def test_whose_choice_wins(first: int, tmp_path: Path) -> None:
    left = dict(CHOICES[first:])
    environment = {**KEYS, **{name: value for name, value in left.items() if name.isupper()}}
    if first == 4:
        environment["LITELLM_BASE_URL"] = "http://proxy.test"
    text = "[llm.roles.npc]\nmodel = 'openai/file'\n" if "file" in left else ""
    flags = {"npc": "openai/flag"} if "flag" in left else {}
    if first < 4:
        environment.pop("LITELLM_MODEL", None)
    assert load(tmp_path, text, environment, **flags).roles["npc"].shown == SHOWN[first]


@pytest.mark.parametrize(
    ("name", "environment", "shown"),
    [
        ("gpt-4o", KEYS, "openai/gpt-4o"),
        ("claude-x", KEYS, "anthropic/claude-x"),
        ("claude-x", {**KEYS, "LITELLM_BASE_URL": "http://p"}, "litellm/claude-x"),
        ("anthropic/claude-x", KEYS, "anthropic/claude-x"),
        ("meta/llama", KEYS, "openai/meta/llama"),
        ("openai/", KEYS, "openai/openai/"),
        ("claude-x", {"OPENAI_API_KEY": "k"}, None),
        ("gpt-4o", {"ANTHROPIC_API_KEY": "k"}, None),
    ],
)
def test_which_provider_a_name_means(name: str, environment: dict[str, str], shown: str | None, tmp_path: Path) -> None:
    if shown is None:
        with pytest.raises(SettingsError, match=f"--model: it is not clear which provider '{name}' is at"):
            load(tmp_path, "", environment, examinee=name)
    else:
        assert load(tmp_path, "", environment, examinee=name).roles["examinee"].shown == shown


@pytest.mark.parametrize(
    ("role", "flag"), [("examinee", "--model"), ("npc", "--npc-model"), ("judge", "--judge-model")]
)
def test_a_bad_flag_is_named(role: str, flag: str, tmp_path: Path) -> None:
    with pytest.raises(SettingsError, match=rf"^{flag}: there is no script none\.yml\.$"):
        load(tmp_path, "", {}, **{role: "script:none.yml"})


def test_a_near_miss_of_a_provider_is_suggested(tmp_path: Path) -> None:
    with pytest.raises(SettingsError, match=r"\(known: none\).*Did you mean 'openai'"):
        load(tmp_path, "", {}, npc="opnai/gpt-4o")


def test_scripts_are_found_beside_the_file_that_names_them_and_else_from_here(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    here, there = tmp_path / "here", tmp_path / "there"
    for folder in (here, there):
        folder.mkdir()
        (folder / "m.yml").write_text("rules: []")
    monkeypatch.chdir(here)
    found = load(there, "[llm.roles.npc]\nmodel = 'script:m.yml'\n", {}, judge="script:m.yml")
    assert found.roles["npc"].provider.script == there / "m.yml"
    assert found.roles["judge"].provider.script == Path("m.yml")
    assert load_settings(None, {}, {"npc": "script:m.yml"}).roles["npc"].shown == "script:m.yml"


# -- a provider --------------------------------------------------------------------------------------------------


def test_what_a_provider_is_unless_it_is_said() -> None:
    one = Provider("p", "openai", "http://p/v1")
    assert (one.concurrency, one.requests_per_minute, one.tokens_per_minute) == (16, None, None)
    assert (one.retries, one.backoff, one.timeout, one.patience) == (5, 1.0, 300.0, 900.0)
    assert (bool(one.key), one.script, one.key_from, one.drop) == (False, None, "", ())


def test_what_a_role_is_unless_it_is_said(tmp_path: Path) -> None:
    bare = RoleModel(Provider("p", "openai", "http://p"), "m")
    for one in (bare, examinee(tmp_path, "")):
        assert (one.also, one.votes, one.outside, one.window, one.pictures) == ((), 1, False, None, True)
        assert (one.concurrency, one.requests_per_minute) == (8, 300.0)


def test_what_the_settings_are_unless_they_are_said(tmp_path: Path) -> None:
    for one in (LlmSettings(), load(tmp_path)):
        assert (one.roles, one.trial_budget, one.run_budget) == ({}, Budget(), Budget())
        assert (one.record, one.replay, one.patience, one.volatile) == (None, None, 1800.0, ())


@pytest.mark.parametrize(
    ("kind", "base", "url"),
    [
        ("openai", "http://p/v1", "http://p/v1/x"),
        ("openai", "http://p/", "http://p/x"),
        ("anthropic", "http://p", "http://p/v1/x"),
        ("anthropic", "http://p/v1", "http://p/v1/x"),
        ("anthropic", "http://p/v1/", "http://p/v1/x"),
        ("script", "http://p/v1", "http://p/v1/x"),
    ],
)
def test_an_endpoint_is_below_the_providers_address(kind: Any, base: str, url: str) -> None:
    assert Provider("p", kind, base).url("/x") == url


@pytest.mark.parametrize(
    ("environment", "name", "url", "key"),
    [
        ({"OPENAI_API_KEY": "k"}, "openai", "https://api.openai.com/v1", "k"),
        ({"OPENAI_API_KEY": "k", "OPENAI_API_BASE": "http://b"}, "openai", "http://b", "k"),
        ({"OPENAI_API_KEY": "k", "OPENAI_API_BASE": "http://b", "OPENAI_BASE_URL": "http://a"},
         "openai", "http://a", "k"),
        ({"ANTHROPIC_API_KEY": "k"}, "anthropic", "https://api.anthropic.com", "k"),
        ({"ANTHROPIC_API_KEY": "k", "ANTHROPIC_BASE_URL": "http://a"}, "anthropic", "http://a", "k"),
        ({"LITELLM_BASE_URL": "http://a"}, "litellm", "http://a", ""),
        ({"LITELLM_BASE_URL": "http://a", "LITELLM_API_KEY": "k"}, "litellm", "http://a", "k"),
    ],
)  # fmt: skip
def test_the_environment_names_providers(
    environment: dict[str, str], name: str, url: str, key: str, tmp_path: Path
) -> None:
    one = load(tmp_path, "", environment, npc=f"{name}/m").roles["npc"].provider
    assert (one.name, one.base_url, one.key.reveal()) == (name, url, key)
    assert one.kind == ("anthropic" if name == "anthropic" else "openai")


def provider(folder: Path, facts: str, *, name: str = "mine", environment: dict[str, str] | None = None) -> Provider:
    text = f"[llm.providers.{name}]\n{facts}\n[llm.roles.npc]\nmodel = '{name}/m'\n"
    return load(folder, text, {} if environment is None else environment).roles["npc"].provider


def test_every_number_of_a_provider_can_be_set(tmp_path: Path) -> None:
    numbers = {
        "concurrency": 2,
        "requests_per_minute": 30.5,
        "tokens_per_minute": 1000,
        "retries": 0,
        "backoff": 0.5,
        "timeout": 9,
        "patience": 99,
    }
    lines = [f"{name} = {value}" for name, value in numbers.items()]
    one = provider(tmp_path, "\n".join(["base_url = 'http://p'", "drop = ['seed', 'top_p']", *lines]))
    assert {name: getattr(one, name) for name in numbers} == numbers
    assert (one.drop, one.kind, one.key_from) == (("seed", "top_p"), "openai", "")
    assert type(one.timeout) is float


@pytest.mark.parametrize("value", ["-1", "'many'", "true", "[]"])
@pytest.mark.parametrize(
    "name", ["concurrency", "requests_per_minute", "tokens_per_minute", "retries", "backoff", "timeout", "patience"]
)
def test_a_providers_numbers_are_numbers(name: str, value: str, tmp_path: Path) -> None:
    with pytest.raises(SettingsError, match=rf"\[llm\.providers\.mine\]: {name} = .* must be a number, not below 0"):
        provider(tmp_path, f"base_url = 'http://p'\n{name} = {value}")


@pytest.mark.parametrize("name", ["concurrency", "retries"])
def test_counts_are_whole_numbers(name: str, tmp_path: Path) -> None:
    with pytest.raises(SettingsError, match="must be a number"):
        provider(tmp_path, f"base_url = 'http://p'\n{name} = 1.5")


@pytest.mark.parametrize(
    ("name", "facts", "kind", "url"),
    [
        ("mine", "base_url = 'https://p/v1'", "openai", "https://p/v1"),
        ("mine", "base_url = 'https://p'\nkind = 'anthropic'", "anthropic", "https://p"),
        ("openai", "retries = 1", "openai", "https://api.openai.com/v1"),
        ("anthropic", "retries = 1", "anthropic", "https://api.anthropic.com"),
        ("anthropic", "kind = 'openai'\nbase_url = 'http://p'", "openai", "http://p"),
    ],
)
def test_a_provider_of_the_file_has_a_kind_and_an_address(
    name: str, facts: str, kind: str, url: str, tmp_path: Path
) -> None:
    one = provider(tmp_path, facts, name=name)
    assert (one.kind, one.base_url) == (kind, url)


def test_the_file_adds_to_what_the_environment_says_of_a_provider(tmp_path: Path) -> None:
    environment = {"ANTHROPIC_API_KEY": "k", "ANTHROPIC_BASE_URL": "http://a"}
    one = provider(tmp_path, "retries = 1", name="anthropic", environment=environment)
    assert (one.kind, one.base_url, one.key.reveal(), one.retries) == ("anthropic", "http://a", "k", 1)


def test_a_key_comes_from_the_named_variable_or_file_and_it_is_said_where_from(tmp_path: Path) -> None:
    (tmp_path / "key").write_text(" from-file \n")
    base = "base_url = 'http://p'\n"
    environment = {"MY_KEY": "from-variable"}
    by_variable = provider(tmp_path, f"{base}key_env = 'MY_KEY'\nkey_file = 'unread'", environment=environment)
    assert by_variable.key.reveal() == "from-variable"
    assert by_variable.key_from == f"the variable MY_KEY ({tmp_path}/dayjob.toml: [llm.providers.mine]: key_env)"
    missing = provider(tmp_path, f"{base}key_env = 'MY_KEY'")
    assert (missing.key.reveal(), missing.key_from) == ("", by_variable.key_from)
    by_file = provider(tmp_path, f"{base}key_file = '{tmp_path}/key'")
    assert (by_file.key.reveal(), by_file.key_from) == ("from-file", f"{tmp_path}/key")
    assert isinstance(by_file.key, Secret)
    with pytest.raises(SettingsError, match="key_file cannot be read"):
        provider(tmp_path, f"{base}key_file = '{tmp_path}/none'")


# -- a role ------------------------------------------------------------------------------------------------------


def test_every_setting_of_a_role_is_read(tmp_path: Path) -> None:
    own = "also = ['small']\nvotes = 3\noutside = true\nwindow = 1000\npictures = false\nconcurrency = 2\n"
    one = examinee(tmp_path, own + "requests_per_minute = 30.5")
    assert (one.also, one.votes, one.outside, one.window, one.pictures) == (("small",), 3, True, 1000, False)
    assert (one.concurrency, one.requests_per_minute) == (2, 30.5)
    assert type(one.concurrency) is int
    assert examinee(tmp_path, "requests_per_minute = 0").requests_per_minute is None


@pytest.mark.parametrize(
    ("own", "sentence"),
    [
        *((f"votes = {value}", "must be an odd number") for value in ("0", "2", "-1", "'3'", "1.0", "true")),
        *((f"window = {value}", "must be a number of tokens") for value in ("999", "0", "'large'", "true", "1000.5")),
        *((f"concurrency = {value}", "must be a number, not below 1") for value in ("0", "0.5", "'x'", "true", "inf")),
        *((f"requests_per_minute = {value}", "must be a number, not below 0") for value in ("-1", "'x'", "inf", "nan")),
        ("model = 3\n", "a model is text, not 3"),
        ("zeal = 1", "'zeal' means nothing here. Known: also, concurrency, model, outside, pictures"),
    ],
)
def test_what_a_role_may_not_say(own: str, sentence: str, tmp_path: Path) -> None:
    text = own if own.startswith("model") else f"model = 'openai/m'\n{own}"
    with pytest.raises(SettingsError) as refused:
        load(tmp_path, f"[llm.roles.examinee]\n{text}\n")
    assert sentence in str(refused.value)
    assert "[llm.roles.examinee]" in str(refused.value)


def test_how_colleagues_are_asked_is_a_setting_and_how_an_examinee_is_asked_is_its_own(tmp_path: Path) -> None:
    npc = load(tmp_path, "[llm.roles.npc]\nmodel = 'openai/m'\ntemperature = 0.7\nseed = 5\n").roles["npc"]
    assert npc.pinned == {"temperature": 0.7, "seed": 5}
    assert load(tmp_path, "[llm.roles.npc]\nmodel = 'openai/m'\ntemperature = 0\n").roles["npc"].pinned == {
        "temperature": 0
    }
    assert examinee(tmp_path, "").pinned == {}
    for own in ("temperature = 0.7", "seed = 5"):
        with pytest.raises(SettingsError, match="means nothing here"):
            examinee(tmp_path, own)


@pytest.mark.parametrize(
    ("own", "sentence"),
    [
        *((f"temperature = {value}", "must be a number, not below 0") for value in ("-1", "'x'", "true", "inf")),
        *((f"seed = {value}", "must be a whole number") for value in ("-1", "'x'", "true", "1.5", "2147483648")),
    ],
)
def test_how_colleagues_cannot_be_asked(own: str, sentence: str, tmp_path: Path) -> None:
    with pytest.raises(SettingsError, match=sentence):
        load(tmp_path, f"[llm.roles.npc]\nmodel = 'openai/m'\n{own}\n")


@pytest.mark.parametrize(("text", "on"), [("true", True), ("false", False), ("1", False), ("'yes'", False)])
def test_only_a_plain_yes_lets_a_role_outside(text: str, on: bool, tmp_path: Path) -> None:
    assert examinee(tmp_path, f"outside = {text}").outside is on


@pytest.mark.parametrize(("text", "on"), [("true", True), ("false", False), ("0", True)])
def test_only_a_plain_no_keeps_pictures_away(text: str, on: bool, tmp_path: Path) -> None:
    assert examinee(tmp_path, f"pictures = {text}").pictures is on


# -- budgets, prices, cassettes ----------------------------------------------------------------------------------


def test_budgets_and_prices_are_read(tmp_path: Path) -> None:
    found = load(
        tmp_path,
        """
        [llm]
        patience = 60
        volatile = ["a+"]
        [llm.budget.trial]
        calls = 0
        tokens = 5
        [llm.budget.run]
        usd = 2.5
        [llm.prices."my/model"]
        input = 1
        output = 2
        cached_input = 0.5
        """,
    )
    assert (found.trial_budget, found.run_budget) == (Budget(0, 5, None), Budget(None, None, 2.5))
    assert found.prices.find("my/model") == Price(1, 2, 0.5)
    assert (found.patience, found.volatile) == (60.0, ("a+",))


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("[llm.budget]\nweek = 1", "[llm.budget]: 'week' means nothing here. Known: run, trial"),
        ("[llm.budget]\nrun = 1", "[llm.budget.run] must be a table"),
        ("[llm.budget.trial]\ncalls = -1", "[llm.budget.trial]: calls = -1 must be a number, not below 0"),
        ("[llm.budget.run]\nusd = true", "[llm.budget.run]: usd = True must be a number"),
        ("[llm.budget.run]\ntokens = 'x'", "tokens = 'x' must be a number"),
        ("[llm]\nprices = 3", "[llm.prices] must be a table"),
        ("[llm.prices]\nm = 3", '[llm.prices."m"] must be a table'),
        ("[llm.prices.m]\noutput = 1", '[llm.prices."m"] needs input and output'),
        ("[llm.prices.m]\ninput = 1\noutput = -1", '[llm.prices."m"]: a price is a number, not below 0'),
        ("[llm.prices.m]\ninput = true\noutput = 1", "a price is a number"),
        ("[llm.prices.m]\ninput = 'x'\noutput = 1", "a price is a number"),
        ("[llm.prices.m]\ninput = 1\noutput = 1\nx = 1", "'x' means nothing here"),
        ("[llm]\nproviders = 3", "[llm.providers] must be a table"),
        ("[llm.providers]\nmine = 3", "[llm.providers.mine] must be a table"),
        ("[llm.providers.mine]\nbase_url = 'ftp://x'", "base_url = 'ftp://x' is no address"),
        ("[llm.providers.mine]\nbase_url = 3", "base_url = 3 is no address"),
        ("[llm.providers.mine]\nkind = 'script'", "kind = 'script' is unknown"),
        ("[llm.providers.mine]\nspeed = 3", "'speed' means nothing here"),
        ("[llm]\nroles = 3", "'examinee' must be a table"),
        ("[llm.roles]\nnpc = 3", "'npc' must be a table, written [npc]"),
        ("llm = 3", "'llm' must be a table"),
        ("[llm]\npatience = -1", "[llm] patience = -1 must be a number, not below 0"),
        ("[llm]\npatience = inf", "patience = inf must be a number"),
        ("[llm]\nvolatile = 'x'", "volatile must be a list of patterns"),
        ("[llm]\nvolatile = [3]", "volatile must be a list of patterns"),
        ("[llm]\nrecord = ''", "record = '' must be a folder's name"),
        ("format = 2", "has format 2; this dayjob reads format 1"),
    ],
)
def test_what_the_file_may_not_say(text: str, sentence: str, tmp_path: Path) -> None:
    with pytest.raises(SettingsError) as refused:
        load(tmp_path, text)
    assert sentence in str(refused.value)


@pytest.mark.parametrize(
    ("budget", "needs_prices"), [("run]\nusd = 1", True), ("trial]\nusd = 1", True), ("run]\ntokens = 1", False)]
)
@pytest.mark.parametrize("own", ["model = 'openai/new'", "model = 'openai/gpt-4o'\nalso = ['new']"])
def test_a_budget_in_dollars_needs_the_price_of_every_model_that_may_be_asked(
    budget: str, needs_prices: bool, own: str, tmp_path: Path
) -> None:
    text = f"[llm.roles.judge]\n{own}\n[llm.budget.{budget}\n"
    if needs_prices:
        with pytest.raises(SettingsError, match=r"the price of 'new' \(role judge\) is unknown"):
            load(tmp_path, text)
        text += "[llm.prices.new]\ninput = 1\noutput = 1\n"
    assert set(load(tmp_path, text).roles) == {"judge"}


def test_a_cassette_is_beside_the_file_or_where_the_environment_says(tmp_path: Path) -> None:
    (tmp_path / "tape").mkdir()
    for key in ("record", "replay"):
        found = load(tmp_path, f"[llm]\n{key} = 'tape'\n")
        assert getattr(found, key) == tmp_path / "tape"
        elsewhere = tmp_path / "elsewhere"
        elsewhere.mkdir(exist_ok=True)
        named = load(tmp_path, f"[llm]\n{key} = 'tape'\n", {f"DAYJOB_{key.upper()}": str(elsewhere)})
        assert getattr(named, key) == elsewhere
    assert load(tmp_path, "[llm]\nrecord = 'new'\n").record == tmp_path / "new"


def test_there_are_three_roles() -> None:
    assert ROLES == ("examinee", "npc", "judge")
