"""Record and replay: a folder of plain files that stands in for the models of a whole run.

`<trial>/<role>/<key>.json` holds one request and its answers in the order they came; the key is the request's
normalised content. Folders of different trials merge by copying. Keys and passes never get in; what differs from run
to run (times, generated ids, local ports) is left out of the key. A request that was never recorded is a `replay_miss`
that shows the nearest one that was.
"""

from __future__ import annotations

import base64
import difflib
import hashlib
import json
import re
from collections.abc import Iterable
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Literal, NamedTuple

from dayjob.llm.budget import Tokens
from dayjob.llm.faults import Label, ModelFault
from dayjob.llm.secret import Scrubber
from dayjob.whole_files import write_whole

FORMAT = 1
Mode = Literal["record", "replay"]

# Fields that say nothing about what is asked. The model is left out too: a replay needs none.
_VOLATILE_FIELDS = frozenset(
    {"model", "user", "metadata", "stream_options", "safety_identifier", "prompt_cache_key", "service_tier", "store"}
)
_VOLATILE = (
    (r"\d{4}-\d\d-\d\d[T ]\d\d:\d\d(:\d\d([.,]\d+)?)?(Z|[+-]\d\d:?\d\d)?", "<time>"),
    (r"\b\d\d:\d\d:\d\d([.,]\d+)?\b", "<time>"),
    (r'"at": "[^"]{5,16}"', "<time>"),  # of a line in chat, as colleagues are told it
    (r"\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b", "<uuid>"),
    (r"\b(call|toolu|resp|msg|fc|rs|chatcmpl)[_-][A-Za-z0-9_-]{8,}", "<id>"),
    (r"\b(127\.0\.0\.1|localhost|\[::1\]):\d+", "<address>"),
    (r"\b0x[0-9a-f]{6,}\b", "<address>"),
    (r"/tmp/[A-Za-z0-9_.-]+", "<tmp>"),
)
_PICTURE = re.compile(r"data:([a-z]+/[a-z0-9.+-]+);base64,([A-Za-z0-9+/=\s]{200,})")
_DIFF_LINES = 60
_NEAREST_OF = 400


@dataclass(frozen=True, slots=True)
class Take:
    """One recorded answer: a body with its status, or the fault that came instead of it or broke it off."""

    status: int = 200
    content_type: str = "application/json"
    body: bytes = b""
    tokens: Tokens | None = None
    model: str = ""
    fault: ModelFault | None = None

    def as_dict(self) -> dict[str, Any]:
        facts: dict[str, Any] = {"status": self.status, "content_type": self.content_type, "model": self.model}
        if self.fault is not None:
            facts |= {"fault": str(self.fault.label), "sentence": self.fault.sentence}
        facts["tokens"] = asdict(self.tokens) if self.tokens else None
        try:
            facts["body"] = self.body.decode("utf-8")
        except UnicodeDecodeError:
            facts["body_base64"] = base64.b64encode(self.body).decode("ascii")
        return facts

    @classmethod
    def from_dict(cls, facts: dict[str, Any]) -> Take:
        fault = ModelFault(Label(facts["fault"]), facts["sentence"]) if "fault" in facts else None
        body = base64.b64decode(facts["body_base64"]) if "body_base64" in facts else facts["body"].encode("utf-8")
        tokens = Tokens(**facts["tokens"]) if facts["tokens"] else None
        return cls(facts["status"], facts["content_type"], body, tokens, facts["model"], fault)


class Spot(NamedTuple):
    """Where a request belongs, and how often it was asked before in this trial and role."""

    file: Path
    position: int


class Cassette:
    """A folder being recorded to or replayed from. One per gateway."""

    def __init__(self, folder: Path, mode: Mode, *, volatile: Iterable[str] = ()) -> None:
        self.folder = folder
        self.mode = mode
        self._patterns = [(re.compile(one), "<volatile>") for one in volatile]
        self._patterns += [(re.compile(pattern), word) for pattern, word in _VOLATILE]
        self._positions: dict[tuple[str, str, str], int] = {}

    def has(self, role: str) -> bool:
        """Whether this role ever asked a model in what was recorded."""
        return any(True for _ in self.folder.glob(f"*/{role}/*.json"))

    # -- recording and replaying ---------------------------------------------------------------------------------

    def begin(self, trial: str, role: str) -> None:
        """A trial begins, or is tried once more: what this role asks is counted from the first time again."""
        for key in [key for key in self._positions if key[:2] == (trial, role)]:
            del self._positions[key]

    def place(self, trial: str, role: str, dialect: str, request: dict[str, Any]) -> Spot:
        key = self.key(dialect, request)
        position = self._positions.get((trial, role, key), 0)
        self._positions[trial, role, key] = position + 1
        file = self.folder / _name(trial) / role / f"{key}.json"
        if self.mode == "record" and not position:
            file.unlink(missing_ok=True)  # answers of an earlier recording, or of the trial's earlier attempt
        return Spot(file, position)

    def record(self, spot: Spot, dialect: str, request: dict[str, Any], take: Take, scrubber: Scrubber) -> None:
        file, position = spot
        answers: list[Any] = json.loads(file.read_text(encoding="utf-8"))["answers"] if file.exists() else []
        # Calls at once may end in another order than they began.
        answers += [None] * (position + 1 - len(answers))
        answers[position] = take.as_dict()
        facts = {"format": FORMAT, "dialect": dialect, "request": shortened(request), "answers": answers}
        text = json.dumps(facts, ensure_ascii=False, indent=1, sort_keys=True)
        write_whole(file, scrubber.text(text).encode("utf-8", "backslashreplace"), settled=False)

    def replay(self, spot: Spot, dialect: str, request: dict[str, Any]) -> Take:
        """The recorded answer, or `replay_miss`."""
        file, position = spot
        if not file.exists():
            raise ModelFault(Label.REPLAY_MISS, self._miss(file, dialect, request))
        facts = _read(file)
        answers = facts["answers"]
        if position >= len(answers) or answers[position] is None:
            raise ModelFault(
                Label.REPLAY_MISS,
                f"The cassette has {len(answers)} answer(s) to this request, and it was now asked for the "
                f"{position + 1}. time ({file.parent.parent.name}, {file.parent.name}).",
            )
        return Take.from_dict(answers[position])

    # -- matching ------------------------------------------------------------------------------------------------

    def key(self, dialect: str, request: dict[str, Any]) -> str:
        text = json.dumps([dialect, self._normal(request)], sort_keys=True)
        return hashlib.blake2b(text.encode(), digest_size=12).hexdigest()

    def _normal(self, value: Any, top: bool = True) -> Any:
        if isinstance(value, dict):
            return {
                key: self._normal(one, False) for key, one in value.items() if not (top and key in _VOLATILE_FIELDS)
            }
        if isinstance(value, list):
            return [self._normal(one, False) for one in value]
        if isinstance(value, str):
            text = _short_text(value)
            for pattern, word in self._patterns:
                text = pattern.sub(word, text)
            return text
        return value

    def _miss(self, file: Path, dialect: str, request: dict[str, Any]) -> str:
        trial, role = file.parent.parent.name, file.parent.name
        recorded = sorted(file.parent.glob("*.json"))[:_NEAREST_OF]
        lead = f"This request of {trial} ({role}, {dialect}) is not on the cassette {self.folder.name}"
        if not recorded:
            trials = sorted(one.name for one in self.folder.glob("*") if (one / role).is_dir())
            known = f"it has {role} calls of {', '.join(trials[:8])}" if trials else f"it has no {role} calls at all"
            return f"{lead}: {known}."
        asked = _lines(self._normal(request))
        best: list[str] = []
        likeness = -1.0
        for one in recorded:
            lines = _lines(self._normal(_read(one)["request"]))
            ratio = difflib.SequenceMatcher(None, lines, asked, autojunk=False).ratio()
            if ratio > likeness:
                best, likeness, nearest = lines, ratio, one
        diff = list(difflib.unified_diff(best, asked, f"recorded ({nearest.name})", "asked now", lineterm="", n=1))
        if len(diff) > _DIFF_LINES:
            diff = [*diff[:_DIFF_LINES], f"… and {len(diff) - _DIFF_LINES} more lines"]
        shown = "\n".join(line[:300] for line in diff)
        return f"{lead}. The nearest recorded request is {likeness:.0%} alike; the difference:\n{shown}"


def shortened(request: dict[str, Any]) -> dict[str, Any]:
    """A request as it is written down: pictures are named by their content, not kept."""
    found: dict[str, Any] = _shorten(request)
    return found


def _shorten(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _shorten(one) for key, one in value.items()}
    if isinstance(value, list):
        return [_shorten(one) for one in value]
    return _short_text(value) if isinstance(value, str) else value


def _short_text(text: str) -> str:
    if len(text) > 1000 and re.fullmatch(r"[A-Za-z0-9+/=\s]+", text):
        # Anthropic's wire sends a picture as bare base64.
        return f"<{len(text)} base64 characters, {hashlib.blake2b(text.encode(), digest_size=8).hexdigest()}>"
    return _PICTURE.sub(
        lambda found: f"<{found[1]}, {hashlib.blake2b(found[2].encode(), digest_size=8).hexdigest()}>", text
    )


def _lines(value: Any) -> list[str]:
    text = json.dumps(value, ensure_ascii=False, indent=1, sort_keys=True)
    return [part for line in text.splitlines() for part in line.split("\\n")]


def _read(file: Path) -> dict[str, Any]:
    try:
        facts: dict[str, Any] = json.loads(file.read_text(encoding="utf-8"))
        form = facts["format"]
    except (ValueError, LookupError, TypeError) as error:
        raise ModelFault(Label.REPLAY_MISS, f"The cassette's file {file.name} cannot be read: {error}.") from error
    if form != FORMAT:
        raise ModelFault(
            Label.REPLAY_MISS, f"The cassette has format {form}; this dayjob reads format {FORMAT}. Update dayjob."
        )
    return facts


def _name(trial: str) -> str:
    return re.sub(r"[^A-Za-z0-9._-]+", "_", trial).strip(".") or "trial"
