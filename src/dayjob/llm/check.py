"""Is the model there? One small question per role, for `doctor --model`, and for init scripts through `/v1/ready`."""

from __future__ import annotations

import time
from dataclasses import asdict, dataclass
from typing import Any

from dayjob.llm.faults import ModelFault
from dayjob.llm.gateway import Gateway, Pass
from dayjob.llm.settings import ROLES, LlmSettings, Role

_QUESTION = {"messages": [{"role": "user", "content": "Reply with the single word: ready"}]}


@dataclass(frozen=True, slots=True)
class ModelCheck:
    """What one role's model said. `label` is empty when it answered."""

    role: Role
    model: str
    label: str
    sentence: str
    seconds: float

    @property
    def ready(self) -> bool:
        return not self.label

    def as_dict(self) -> dict[str, Any]:
        return {**asdict(self), "ready": self.ready, "seconds": round(self.seconds, 3)}


async def ask_once(access: Pass) -> ModelCheck:
    """Ask the model behind a pass for one word. Any answer will do; no answer is the fault it is labelled with."""
    model = access.model.shown if access.model else ""
    started, before = time.monotonic(), len(access.faults)
    try:
        await access.complete(_QUESTION)
    except ModelFault as fault:
        del access.faults[before:]  # asking whether it is there is not part of the trial
        return ModelCheck(access.role, model, str(fault.label), fault.sentence, time.monotonic() - started)
    seconds = time.monotonic() - started
    return ModelCheck(access.role, model, "", f"{model} answers.", seconds)


async def check_models(settings: LlmSettings) -> list[ModelCheck]:
    """One check for each role that has a model."""
    async with Gateway(settings) as gateway:
        return [await ask_once(gateway.admit("doctor", role)) for role in ROLES if role in settings.roles]
