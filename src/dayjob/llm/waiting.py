"""How long an examinee was kept waiting by its provider, and not by its own doing.

Each call under way is in one of three states. It *works* from the moment the provider has the request until the answer
is complete: ordinary thinking. It waits for its *turn* while the limits that the settings give a provider hold it
back. It is *held up* while an attempt fails: the attempt itself, once it has failed, and the pause after it.

A moment counts as waited when at least one call is under way and none of them works. So a call that waits beside one
that thinks costs its examinee the time it would have cost anyway, and calls that wait at the same time count once.
What a call was doing may turn out later (an attempt that was silent until its time-out brought nothing), so its past
is kept for as long as a call that overlaps it is under way.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field
from enum import Enum


class State(Enum):
    """What a call under way is doing."""

    ASKING = "asking"
    """The provider has the request, and nothing of the answer has come yet: work, unless it turns out to be silence."""
    ANSWERED = "answered"
    """The answer is coming."""
    TURN = "turn"
    HELD_UP = "held up"


_WAITS = (State.TURN, State.HELD_UP)
_KEPT = 64


@dataclass(frozen=True, slots=True)
class Waited:
    """Seconds. `held_up`: a call was held up by a failing provider; `turn`: all only waited for their turn."""

    held_up: float = 0.0
    turn: float = 0.0

    def __add__(self, other: Waited) -> Waited:
        return Waited(self.held_up + other.held_up, self.turn + other.turn)


@dataclass(slots=True)
class _Span:
    start: float
    state: State
    end: float | None = None


@dataclass(slots=True, eq=False)
class CallWait:
    """One call, from its first state to `end`."""

    _all: Waits
    spans: list[_Span] = field(default_factory=list)
    ended: float | None = None

    def now(self, state: State) -> None:
        """It is in this state from now on."""
        moment = self._all.clock()
        if self.spans and self.ended is None:
            if self.spans[-1].state is state:
                return
            self.spans[-1].end = moment
        self.spans.append(_Span(moment, state))
        self._all.changed()

    def attempt_failed(self) -> None:
        """The attempt brought nothing: its time was the provider's, and so is what follows until the next begins."""
        self.spans[-1].state = State.HELD_UP
        self.now(State.HELD_UP)

    def own(self) -> None:
        """It failed because of what was asked: none of its time was the provider's."""
        for span in self.spans:
            span.state = State.ANSWERED
        self._all.changed()

    def end(self) -> None:
        if self.ended is None:
            self.ended = self._all.clock()
            if self.spans:
                self.spans[-1].end = self.ended
            self._all.settle()
            self._all.changed()


class Waits:
    """All calls of one pass. `on_change` is called whenever one of them comes, goes or changes its state."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self.clock = clock
        self.on_change: Callable[[], None] | None = None
        self._calls: list[CallWait] = []
        self._settled = Waited()
        self._settled_until = clock()

    def begin(self, state: State = State.TURN) -> CallWait:
        """A call begins."""
        call = CallWait(self)
        self._calls.append(call)
        call.now(state)
        return call

    @property
    def total(self) -> Waited:
        """What was waited so far."""
        return self._settled + self._measure(self._settled_until, self.clock())

    @property
    def paused(self) -> bool:
        """Whether every call under way waits right now (and there is one)."""
        states = self._states()
        return bool(states) and all(state in _WAITS for state in states)

    @property
    def held_up(self) -> bool:
        """Whether it is paused and a failing provider is part of the reason."""
        return self.paused and State.HELD_UP in self._states()

    @property
    def at_most(self) -> Waited:
        """What was waited if every call that has brought nothing yet turns out to be silence."""
        return self._settled + self._measure(self._settled_until, self.clock(), State.HELD_UP)

    def changed(self) -> None:
        if self.on_change is not None:
            self.on_change()

    def settle(self) -> None:
        """Add up what can no longer change, and forget it: all before the first call that is still under way.

        Of very many calls beside a long one the past is settled as it looks now, so that it never takes long.
        """
        under_way = [call.spans[0].start for call in self._calls if call.ended is None and call.spans]
        until = min(under_way, default=self.clock())
        if len(self._calls) > _KEPT:
            until = self.clock()
        if until > self._settled_until:
            self._settled += self._measure(self._settled_until, until)
            self._settled_until = until
            self._calls = [call for call in self._calls if call.ended is None or call.ended > until]

    def _states(self) -> list[State]:
        return [call.spans[-1].state for call in self._calls if call.ended is None]

    def _measure(self, start: float, end: float, asking: State = State.ASKING) -> Waited:
        """Walk through the moments at which a call changed its state, counting how many are in which.

        `asking`: what calls that ask right now are taken to do.
        """
        edges: list[tuple[float, State, int]] = []
        for call in self._calls:
            for span in call.spans:
                left, right = max(span.start, start), end if span.end is None else min(span.end, end)
                state = asking if span.end is None and span.state is State.ASKING else span.state
                if left < right:
                    edges += [(left, state, 1), (right, state, -1)]
        edges.sort(key=lambda edge: edge[0])
        counts = dict.fromkeys(State, 0)
        held_up = turn = 0.0
        before = start
        for moment, state, step in edges:
            if not counts[State.ASKING] and not counts[State.ANSWERED]:
                if counts[State.HELD_UP]:
                    held_up += moment - before
                elif counts[State.TURN]:
                    turn += moment - before
            before = moment
            counts[state] += step
        return Waited(held_up, turn)
