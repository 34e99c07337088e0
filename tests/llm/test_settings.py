"""Which model a role uses, from flags, environment and dayjob.toml; keys never from a shared file."""

from __future__ import annotations

import pickle
from pathlib import Path

import pytest

from dayjob.llm.budget import Tokens, Usage
from dayjob.llm.gateway import Gateway
from dayjob.llm.prices import package_prices
from dayjob.llm.secret import Secret
from dayjob.llm.settings import SettingsError, load_settings
from tests.llm.gateways import run

OPENAI = {"OPENAI_API_KEY": "sk-openai-123456"}


def settings_file(folder: Path, text: str) -> Path:
    file = folder / "dayjob.toml"
    file.write_text("format = 1\n" + text, "utf-8")
    return file


def test_without_any_setting_no_role_has_a_model() -> None:
    assert load_settings().roles == {}


@pytest.mark.parametrize(
    ("environment", "shown", "url"),
    [
        ({**OPENAI, "OPENAI_MODEL": "gpt-4o"}, "openai/gpt-4o", "https://api.openai.com/v1/chat/completions"),
        (
            {**OPENAI, "OPENAI_BASE_URL": "http://localhost:8000/v1", "DAYJOB_MODEL": "qwen"},
            "openai/qwen",
            "http://localhost:8000/v1/chat/completions",
        ),
        (
            {"ANTHROPIC_API_KEY": "sk-ant-123", "ANTHROPIC_MODEL": "claude-sonnet-5"},
            "anthropic/claude-sonnet-5",
            "https://api.anthropic.com/v1/chat/completions",
        ),
        (
            {"LITELLM_BASE_URL": "https://proxy.test", "LITELLM_API_KEY": "k", "LITELLM_MODEL": "openai/gpt-4o"},
            "litellm/openai/gpt-4o",
            "https://proxy.test/chat/completions",
        ),
    ],
)
def test_the_environment_s_own_variables_are_understood(environment: dict[str, str], shown: str, url: str) -> None:
    found = load_settings(None, environment)
    assert {role: one.shown for role, one in found.roles.items()} == dict.fromkeys(("examinee", "npc", "judge"), shown)
    assert found.roles["judge"].provider.url("/chat/completions") == url


def test_flags_win_over_the_environment_and_that_over_the_file(tmp_path: Path) -> None:
    text = """
        [llm.roles.examinee]
        model = "openai/from-file"
        [llm.roles.npc]
        model = "openai/from-file"
        [llm.roles.judge]
        model = "openai/from-file"
        votes = 3
    """
    environment = {**OPENAI, "DAYJOB_NPC_MODEL": "openai/from-environment", "OPENAI_MODEL": "least"}
    found = load_settings(settings_file(tmp_path, text), environment, {"examinee": "openai/from-flag"})
    assert [found.roles[role].model for role in ("examinee", "npc", "judge")] == [
        "from-flag",
        "from-environment",
        "from-file",
    ]
    assert found.roles["judge"].votes == 3


def test_a_provider_of_one_s_own_with_limits_prices_and_budgets(tmp_path: Path) -> None:
    (tmp_path / "key").write_text("local-key-123\n", "utf-8")
    text = f"""
        [llm.providers.local]
        base_url = "http://10.0.0.5:8000/v1"
        key_file = "{tmp_path / "key"}"
        concurrency = 2
        requests_per_minute = 30
        drop = ["temperature"]
        [llm.roles.examinee]
        model = "local/llama"
        also = ["llama-small"]
        [llm.prices.llama]
        input = 0.5
        output = 1
        [llm.prices.llama-small]
        input = 0.1
        output = 0.2
        [llm.budget.trial]
        usd = 2.5
        tokens = 100000
        [llm.budget.run]
        calls = 10
    """
    found = load_settings(settings_file(tmp_path, text))
    chosen = found.roles["examinee"]
    assert (chosen.model, chosen.also, chosen.provider.concurrency) == ("llama", ("llama-small",), 2)
    assert chosen.provider.key.reveal() == "local-key-123"
    assert chosen.provider.drop == ("temperature",)
    assert (found.trial_budget.usd, found.run_budget.calls) == (2.5, 10)
    assert found.prices.cost("llama", Tokens(1_000_000, 1_000_000)) == 1.5


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("[llm.roles.boss]\nmodel = 'x'", r"\[llm.roles.boss\] is no role. Roles are examinee"),
        ("[llm.roles.npc]\nmodel = 'x'", "not clear which provider 'x' is at .*OPENAI_API_KEY"),
        ("[llm.roles.npc]\nmodel = 'script:none.yml'", "there is no script .*none.yml"),
        ("[llm.roles.judge]\nmodel = 'openai/x'\nvotes = 2", "must be an odd number"),
        ("[llm.providers.openai]\nkey = 'sk-123'", "does not belong into a file that is shared"),
        ("[llm.providers.mine]\nkind = 'openai'", "base_url = None is no address"),
        ("[llm.providers.mine]\nbase_url = 'http://x/v1'\nconcurrency = 0", "let nothing through"),
        ("[llm.providers.mine]\nbase_url = 'http://x/v1'\nretries = 'many'", "retries = 'many' must be a number"),
        ("[llm.budget.trial]\nmoney = 3", "'money' means nothing here. Known: calls, tokens, usd"),
        ("[llm.prices.x]\ninput = 1", "needs input and output"),
        ("[llm]\nrolls = 1", "'rolls' means nothing here"),
        ("[llm", "is not valid TOML"),
        ("[llm]\nrecord = 'a'\nreplay = 'b'", "either recorded or replayed"),
        ("[llm]\nreplay = 'nowhere'", "there is no cassette .*nowhere to replay"),
        ("[llm]\nrecord = 3", "record = 3 must be a folder's name"),
        ("[llm]\nvolatile = ['(']", "is not a pattern"),
    ],
)
def test_what_cannot_be_followed_is_refused_with_its_place_and_the_fix(
    tmp_path: Path, text: str, sentence: str
) -> None:
    environment = OPENAI if "openai/x" in text else {}
    with pytest.raises(SettingsError, match=sentence) as caught:
        load_settings(settings_file(tmp_path, text), environment)
    assert "dayjob.toml" in str(caught.value)


@pytest.mark.parametrize(
    ("model", "own", "window", "pictures"),
    [
        ("gpt-4o-2024-08-06", "", 128_000, True),
        ("somebodys-model", "", None, True),
        ("somebodys-model", "window = 32000\npictures = false\n", 32_000, False),
        ("gpt-4o", "window = 64000\n", 64_000, True),
    ],
)
def test_a_models_window_is_known_said_or_unknown(
    tmp_path: Path, model: str, own: str, window: int | None, pictures: bool
) -> None:
    file = settings_file(tmp_path, f'[llm.roles.examinee]\nmodel = "openai/{model}"\n{own}')
    found = load_settings(file, OPENAI).roles["examinee"]
    assert (found.window, found.pictures) == (window, pictures)


def test_a_window_that_is_no_number_of_tokens_is_refused(tmp_path: Path) -> None:
    file = settings_file(tmp_path, '[llm.roles.examinee]\nmodel = "openai/gpt-4o"\nwindow = "large"\n')
    with pytest.raises(SettingsError, match=r"\[llm.roles.examinee\] window = 'large' must be a number of tokens"):
        load_settings(file, OPENAI)


def test_a_run_is_recorded_and_replayed_by_settings_alone(tmp_path: Path) -> None:
    (tmp_path / "model.yml").write_text("rules: [{say: 'From a model, build-17.'}]", "utf-8")
    text = "[llm]\nrecord = 'tape'\nvolatile = ['build-[0-9]+']\n[llm.roles.npc]\nmodel = 'script:model.yml'\n"
    (tmp_path / "tape").mkdir()
    recorded = load_settings(settings_file(tmp_path, text))
    replayed = load_settings(None, {"DAYJOB_REPLAY": str(tmp_path / "tape")})
    answers = []

    async def main() -> None:
        for settings in (recorded, replayed):
            async with Gateway(settings) as gateway:
                access = gateway.admit("example.1", "npc")
                answers.append(await access.complete({"messages": [{"role": "user", "content": "Hi"}]}))

    run(main())
    assert answers[0] == answers[1]


def test_a_newer_file_is_refused(tmp_path: Path) -> None:
    (tmp_path / "dayjob.toml").write_text("format = 2", "utf-8")
    with pytest.raises(SettingsError, match="has format 2; this dayjob reads format 1"):
        load_settings(tmp_path / "dayjob.toml")


def test_a_budget_in_dollars_without_a_price_is_refused_before_the_run(tmp_path: Path) -> None:
    text = "[llm.roles.npc]\nmodel = 'openai/brand-new'\n[llm.budget.run]\nusd = 1"
    with pytest.raises(SettingsError, match=r"price of 'brand-new' .role npc. is unknown"):
        load_settings(settings_file(tmp_path, text), OPENAI)


def test_prices_are_dated_known_by_name_and_otherwise_unknown() -> None:
    prices = package_prices()
    assert prices.date >= "2026-11-01"
    assert prices.find("gpt-4o") == prices.find("gpt-4o-2024-08-06") == prices.find("openai/gpt-4o")
    assert prices.find("claude-haiku-4-5-20251001") == prices.find("claude-haiku-4-5")
    assert prices.find("gpt-4o-audio-preview") is None
    assert prices.cost("claude-sonnet-5", Tokens(1_000_000, 0, cached=400_000, cache_writes=100_000)) == pytest.approx(
        0.5 * 2 + 0.4 * 0.2 + 0.1 * 2.5
    )
    assert prices.cost("gpt-6-sol", Tokens(300_000, 1000)) == pytest.approx(0.3 * 2 * 2 + 0.001 * 10 * 1.5)


def test_an_unknown_price_makes_the_sum_unknown_not_smaller() -> None:
    usage = Usage()
    usage.add("gpt-4o", Tokens(1000, 10), package_prices())
    assert usage.cost_usd is not None
    usage.add("brand-new", Tokens(1000, 10), package_prices())
    assert usage.cost_usd is None
    assert usage.tokens == 2020


def test_a_key_is_not_printed_and_not_pickled() -> None:
    key = Secret("sk-very-secret-1")
    assert "secret" not in f"{key} {key!r}".lower().replace("secret(***)", "")
    with pytest.raises(TypeError, match="not pickled"):
        pickle.dumps(key)
