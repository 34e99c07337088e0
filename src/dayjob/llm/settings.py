"""Which model each role uses and how its provider is reached: from flags, the environment and `dayjob.toml`.

For a role's model: a flag, then `DAYJOB_<ROLE>_MODEL` or `DAYJOB_MODEL`, then `[llm.roles.<role>]`, then the field's
own variables (`LITELLM_MODEL`, `OPENAI_MODEL`, `ANTHROPIC_MODEL`). A model is written `provider/name`, `script:FILE`,
`script:obedient`, or a plain name where one provider is meant. Keys come from the environment or a file of their own,
never from dayjob.toml.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field, fields, replace
from pathlib import Path
from typing import Any, Literal, get_args

from dayjob.llm.budget import Budget
from dayjob.llm.context_windows import window_of
from dayjob.llm.prices import Price, Prices, package_prices
from dayjob.llm.secret import Secret
from dayjob.nearest import did_you_mean

FORMAT = 1
OBEDIENT = "script:obedient"
_PATIENCE = 1800.0
Role = Literal["examinee", "npc", "judge"]
ROLES: tuple[Role, ...] = get_args(Role)
Kind = Literal["openai", "anthropic", "script"]


class SettingsError(Exception):
    """Settings nobody can follow; the sentence names the place and the fix."""


@dataclass(frozen=True, slots=True)
class Provider:
    """Where models are, and how hard it may be asked."""

    name: str
    kind: Kind
    base_url: str
    key: Secret = field(default_factory=lambda: Secret(""))
    script: Path | None = None
    """The file of a scripted model; one without a file is the obedient one."""
    concurrency: int = 16
    requests_per_minute: float | None = None
    tokens_per_minute: float | None = None
    retries: int = 5
    backoff: float = 1.0
    timeout: float = 300.0
    """Seconds for one attempt (for a stream: until the next event)."""
    patience: float = 900.0
    """Seconds for a call with all its attempts; none is begun beyond it."""
    key_from: str = ""
    """Where the settings say that the key is, for whoever finds it empty."""
    drop: tuple[str, ...] = ()
    """Fields of a request this provider does not take, such as `temperature` for some models."""

    def url(self, path: str) -> str:
        """The address of an endpoint such as `/chat/completions`."""
        base = self.base_url.rstrip("/")
        return f"{base}/v1{path}" if self.kind == "anthropic" and not base.endswith("/v1") else f"{base}{path}"


@dataclass(frozen=True, slots=True)
class RoleModel:
    """What one role asks: a provider's model, and further models it may name itself."""

    provider: Provider
    model: str
    also: tuple[str, ...] = ()
    votes: int = 1
    outside: bool = False
    """Whether requests may have the provider search the web and the like; see `outside_requests`."""
    window: int | None = None
    """How many tokens a conversation may have; None when nobody knows."""
    pictures: bool = True
    """Whether it can be shown pictures."""
    concurrency: int = 8
    """How many calls one trial's role may have under way; more wait, and that is its own affair."""
    requests_per_minute: float | None = 300.0
    """How many calls one trial's role may begin in a minute."""
    temperature: float | None = None
    seed: int | None = None
    """What colleagues are asked with instead of their own choice; None leaves it to them."""

    @property
    def pinned(self) -> dict[str, float | int]:
        """What every request of the role says, whoever asks."""
        wanted = {"temperature": self.temperature, "seed": self.seed}
        return {name: value for name, value in wanted.items() if value is not None}

    @property
    def shown(self) -> str:
        """How reports name it."""
        return self.provider.name if self.provider.kind == "script" else f"{self.provider.name}/{self.model}"


@dataclass(frozen=True, slots=True)
class LlmSettings:
    """Everything the gateway needs to know. A role that is absent has no model."""

    roles: Mapping[Role, RoleModel] = field(default_factory=dict)
    trial_budget: Budget = field(default_factory=Budget)
    run_budget: Budget = field(default_factory=Budget)
    prices: Prices = field(default_factory=package_prices)
    record: Path | None = None
    """The folder to record every call to."""
    replay: Path | None = None
    """The folder to answer every call from, without any model."""
    patience: float = _PATIENCE
    """Seconds an examinee may be kept waiting by its provider before its trial is given up."""
    volatile: tuple[str, ...] = ()
    """More patterns of text that may differ between a recording and its replay."""


_OF_COLLEAGUES = {"temperature", "seed"}
_OF_A_ROLE = {"model", "also", "votes", "outside", "window", "pictures", "concurrency", "requests_per_minute"}
_PROVIDER_LIMITS = {
    "concurrency": int,
    "requests_per_minute": float,
    "tokens_per_minute": float,
    "retries": int,
    "backoff": float,
    "timeout": float,
    "patience": float,
}


def load_settings(
    file: Path | None = None,
    environment: Mapping[str, str] | None = None,
    flags: Mapping[Role, str] | None = None,
) -> LlmSettings:
    """Read `dayjob.toml` (none is fine) and the environment; `flags` name models for roles. Raises `SettingsError`."""
    environment = environment or {}
    table = _read(file) if file is not None and file.exists() else {}
    place = str(file or "dayjob.toml")
    _known(
        table, {"providers", "roles", "budget", "prices", "patience", "record", "replay", "volatile"}, f"{place}: [llm]"
    )
    providers = _providers(table.get("providers", {}), environment, place)
    roles: dict[Role, RoleModel] = {}
    for role in ROLES:
        own = _table(table.get("roles", {}), role, place)
        _known(own, _OF_A_ROLE | (_OF_COLLEAGUES if role == "npc" else set()), f"{place}: [llm.roles.{role}]")
        base = file.parent if file is not None else Path()
        name, where = _chosen(role, own, environment, flags or {}, place)
        if name is None:
            continue
        found = _resolve(name, where, providers, base if where.startswith(place) else Path())
        votes = own.get("votes", 1)
        if type(votes) is not int or votes < 1 or votes % 2 == 0:
            raise SettingsError(
                f"{place}: [llm.roles.{role}] votes = {votes!r} must be an odd number, so they cannot tie."
            )
        asked = f"{place}: [llm.roles.{role}]"
        window = own.get("window", window_of(found.model))
        if window is not None and (type(window) is not int or window < 1000):
            raise SettingsError(f"{asked} window = {window!r} must be a number of tokens.")
        roles[role] = replace(
            found,
            also=tuple(own.get("also", ())),
            votes=votes,
            outside=own.get("outside") is True,
            window=window,
            pictures=own.get("pictures", True) is not False,
            concurrency=int(_number(own, "concurrency", found.concurrency, asked, least=1)),
            requests_per_minute=_number(own, "requests_per_minute", found.requests_per_minute or 0, asked) or None,
            temperature=_number(own, "temperature", 0, asked) if "temperature" in own else None,
            seed=_seed(own, asked),
        )
    for wrong in set(table.get("roles", {})) - set(ROLES):
        raise SettingsError(f"{place}: [llm.roles.{wrong}] is no role. Roles are {', '.join(ROLES)}.")
    prices = package_prices().extended(_prices(table.get("prices", {}), place))
    budgets = table.get("budget", {})
    _known(budgets, {"trial", "run"}, f"{place}: [llm.budget]")
    settings = LlmSettings(
        roles,
        _budget(budgets.get("trial", {}), f"{place}: [llm.budget.trial]"),
        _budget(budgets.get("run", {}), f"{place}: [llm.budget.run]"),
        prices,
        _folder("record", table, environment, file),
        _folder("replay", table, environment, file),
        _number(table, "patience", _PATIENCE, f"{place}: [llm]"),
        _patterns(table.get("volatile", []), place),
    )
    if settings.record and settings.replay:
        raise SettingsError(f"{place}: a run is either recorded or replayed; take 'record' or 'replay' out.")
    if settings.replay and not settings.replay.is_dir():
        raise SettingsError(f"{place}: there is no cassette {settings.replay} to replay.")
    check_budgets(settings)
    return settings


def check_budgets(settings: LlmSettings) -> None:
    """A money budget needs prices: say so now rather than in the middle of a run."""
    if settings.trial_budget.usd is None and settings.run_budget.usd is None:
        return
    for role, chosen in settings.roles.items():
        for model in (chosen.model, *chosen.also):
            if settings.prices.find(model) is None:
                raise SettingsError(
                    f"A budget in dollars cannot be kept: the price of '{model}' (role {role}) is unknown. "
                    f'Add [llm.prices."{model}"] with input and output to dayjob.toml, or use a budget in tokens.'
                )


def script_model(file: Path, **limits: Any) -> RoleModel:
    """The scripted model of a file, as `script:FILE` means it."""
    name = f"script:{file}"
    return RoleModel(Provider(name, "script", "", script=file, **limits), "scripted")


def obedient_model() -> RoleModel:
    """The model that plays a colleague by the prompt alone, as `script:obedient` means it."""
    return RoleModel(Provider(OBEDIENT, "script", ""), "scripted")


# -- reading ------------------------------------------------------------------------------------------------------


def _read(file: Path) -> dict[str, Any]:
    try:
        found = tomllib.loads(file.read_text(encoding="utf-8"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise SettingsError(f"{file} is not valid TOML: {error}.") from error
    if found.get("format", FORMAT) != FORMAT:
        raise SettingsError(f"{file} has format {found['format']}; this dayjob reads format {FORMAT}. Update dayjob.")
    return _table(found, "llm", str(file))


def _table(parent: Any, key: str, place: str) -> dict[str, Any]:
    found = parent.get(key, {}) if isinstance(parent, dict) else None
    if not isinstance(found, dict):
        raise SettingsError(f"{place}: '{key}' must be a table, written [{key}].")
    return found


def _known(table: Any, known: set[str], place: str) -> None:
    if not isinstance(table, dict):
        raise SettingsError(f"{place} must be a table.")
    for key in sorted(set(table) - known):
        raise SettingsError(f"{place}: '{key}' means nothing here. Known: {', '.join(sorted(known))}.")


def _folder(key: str, table: Mapping[str, Any], environment: Mapping[str, str], file: Path | None) -> Path | None:
    """`DAYJOB_RECORD` and `DAYJOB_REPLAY` win over the file, whose paths are relative to it."""
    if named := environment.get(f"DAYJOB_{key.upper()}"):
        return Path(named)
    found = table.get(key)
    if found is None:
        return None
    if not isinstance(found, str) or not found:
        raise SettingsError(f"{file}: [llm] {key} = {found!r} must be a folder's name.")
    return (file.parent if file is not None else Path()) / found


def _number(table: Mapping[str, Any], key: str, default: float, place: str, least: float = 0) -> float:
    found = table.get(key, default)
    if isinstance(found, bool) or not isinstance(found, int | float) or not least <= found < float("inf"):
        raise SettingsError(f"{place} {key} = {found!r} must be a number, not below {least:g}.")
    return float(found)


def _seed(own: Mapping[str, Any], place: str) -> int | None:
    found = own.get("seed")
    if found is not None and (type(found) is not int or not 0 <= found < 2**31):
        raise SettingsError(f"{place} seed = {found!r} must be a whole number, not below 0 and less than 2^31.")
    return found


def _patterns(found: Any, place: str) -> tuple[str, ...]:
    if not isinstance(found, list) or not all(isinstance(one, str) for one in found):
        raise SettingsError(f"{place}: [llm] volatile must be a list of patterns.")
    for one in found:
        try:
            re.compile(one)
        except re.error as error:
            raise SettingsError(f"{place}: [llm] volatile: '{one}' is not a pattern: {error}.") from error
    return tuple(found)


def _chosen(
    role: Role, own: Mapping[str, Any], environment: Mapping[str, str], flags: Mapping[Role, str], place: str
) -> tuple[str | None, str]:
    candidates = (
        (flags.get(role), f"--{'model' if role == 'examinee' else role + '-model'}"),
        (environment.get(f"DAYJOB_{role.upper()}_MODEL"), f"DAYJOB_{role.upper()}_MODEL"),
        (environment.get("DAYJOB_MODEL"), "DAYJOB_MODEL"),
        (own.get("model"), f"{place}: [llm.roles.{role}]"),
        (_prefixed("litellm/", environment.get("LITELLM_MODEL")), "LITELLM_MODEL"),
        (_prefixed("openai/", environment.get("OPENAI_MODEL")), "OPENAI_MODEL"),
        (_prefixed("anthropic/", environment.get("ANTHROPIC_MODEL")), "ANTHROPIC_MODEL"),
    )
    for name, where in candidates:
        if name:
            if not isinstance(name, str):
                raise SettingsError(f"{where}: a model is text, not {name!r}.")
            return name, where
    return None, ""


def _prefixed(prefix: str, name: str | None) -> str | None:
    return prefix + name.removeprefix(prefix) if name else None


def _resolve(name: str, where: str, providers: Mapping[str, Provider], base: Path) -> RoleModel:
    if name == OBEDIENT:
        return obedient_model()
    if name.startswith("script:"):
        file = base / name.removeprefix("script:")
        if not file.is_file():
            raise SettingsError(f"{where}: there is no script {file}.")
        return script_model(file)
    prefix, slash, rest = name.partition("/")
    if slash and rest and prefix in providers:
        return RoleModel(providers[prefix], rest)
    guess = "litellm" if "litellm" in providers else "anthropic" if name.startswith("claude") else "openai"
    if guess in providers:
        return RoleModel(providers[guess], name)
    known = ", ".join(sorted(providers)) or "none"
    near = did_you_mean(prefix, {*providers, "openai", "anthropic", "litellm"}) if slash else ""
    raise SettingsError(
        f"{where}: it is not clear which provider '{name}' is at (known: {known}). Write provider/model, and set the "
        f"provider's key (OPENAI_API_KEY, ANTHROPIC_API_KEY, LITELLM_BASE_URL with LITELLM_API_KEY) or add "
        f"[llm.providers.NAME] with base_url and key_env to dayjob.toml.{near}"
    )


def _providers(table: Any, environment: Mapping[str, str], place: str) -> dict[str, Provider]:
    found: dict[str, Provider] = {}
    if key := environment.get("OPENAI_API_KEY"):
        url = environment.get("OPENAI_BASE_URL") or environment.get("OPENAI_API_BASE") or "https://api.openai.com/v1"
        found["openai"] = Provider("openai", "openai", url, Secret(key))
    if key := environment.get("ANTHROPIC_API_KEY"):
        url = environment.get("ANTHROPIC_BASE_URL") or "https://api.anthropic.com"
        found["anthropic"] = Provider("anthropic", "anthropic", url, Secret(key))
    if proxy := environment.get("LITELLM_BASE_URL"):
        found["litellm"] = Provider("litellm", "openai", proxy, Secret(environment.get("LITELLM_API_KEY", "")))
    _known(table, set(table) if isinstance(table, dict) else set(), f"{place}: [llm.providers]")
    for name, facts in table.items():
        found[name] = _provider(name, facts, found.get(name), environment, f"{place}: [llm.providers.{name}]")
    return found


def _provider(name: str, facts: Any, known: Provider | None, environment: Mapping[str, str], place: str) -> Provider:
    _known(facts, {"kind", "base_url", "key", "key_env", "key_file", "drop", *_PROVIDER_LIMITS}, place)
    if "key" in facts:
        raise SettingsError(f"{place}: a key does not belong into a file that is shared. Use key_env or key_file.")
    kind = facts.get("kind", known.kind if known else "anthropic" if name == "anthropic" else "openai")
    if kind not in ("openai", "anthropic"):
        raise SettingsError(f'{place}: kind = {kind!r} is unknown. Use "openai" or "anthropic".')
    defaults = {"openai": "https://api.openai.com/v1", "anthropic": "https://api.anthropic.com"}
    url = facts.get("base_url") or (known.base_url if known else defaults.get(name))
    if not isinstance(url, str) or not url.startswith(("http://", "https://")):
        raise SettingsError(f"{place}: base_url = {url!r} is no address. Write it as https://host/v1.")
    key, key_from = known.key if known else Secret(""), ""
    if variable := facts.get("key_env"):
        key, key_from = Secret(environment.get(str(variable), "")), f"the variable {variable} ({place}: key_env)"
    elif file := facts.get("key_file"):
        try:
            key, key_from = Secret(Path(str(file)).expanduser().read_text(encoding="utf-8").strip()), str(file)
        except (OSError, UnicodeDecodeError) as error:
            raise SettingsError(f"{place}: key_file cannot be read: {error}.") from error
    limits: dict[str, Any] = {}
    for limit, type_ in _PROVIDER_LIMITS.items():
        if limit in facts:
            value = facts[limit]
            if isinstance(value, bool) or not isinstance(value, int | float) or value < 0 or type_(value) != value:
                raise SettingsError(f"{place}: {limit} = {value!r} must be a number, not below 0.")
            limits[limit] = type_(value)
    if limits.get("concurrency") == 0:
        raise SettingsError(f"{place}: concurrency = 0 would let nothing through.")
    return Provider(name, kind, url, key, key_from=key_from, drop=tuple(facts.get("drop", ())), **limits)


def _budget(facts: Any, place: str) -> Budget:
    _known(facts, {one.name for one in fields(Budget)}, place)
    for key, value in facts.items():
        if isinstance(value, bool) or not isinstance(value, int | float) or value < 0:
            raise SettingsError(f"{place}: {key} = {value!r} must be a number, not below 0.")
    return Budget(**facts)


def _prices(table: Any, place: str) -> dict[str, Price]:
    _known(table, set(table) if isinstance(table, dict) else set(), f"{place}: [llm.prices]")
    found = {}
    for model, facts in table.items():
        where = f'{place}: [llm.prices."{model}"]'
        _known(facts, {one.name for one in fields(Price)}, where)
        if "input" not in facts or "output" not in facts:
            raise SettingsError(f"{where} needs input and output, in dollars for a million tokens.")
        if any(isinstance(one, bool) or not isinstance(one, int | float) or one < 0 for one in facts.values()):
            raise SettingsError(f"{where}: a price is a number, not below 0.")
        found[str(model)] = Price(**facts)
    return found
