"""How colleagues did in a trial: what they were asked, what came of it, and where they were at fault.

Pure functions over evidence: the turns of colleagues.jsonl, chat in the journal, and the sheets. What was asked is
worked out by `plain_questions`, apart from how a mind understands, so that a fault of the mind is found. Nothing here
raises, whatever the evidence looks like, but `in_time` when there is too much of it; nothing here changes a score.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Sequence
from typing import Any

from dayjob.npc.audit_found import Asked, Audited, ColleagueAudit, Finding, Surroundings
from dayjob.npc.audit_words import (
    Known,
    as_compared,
    contradicts,
    gives_away,
    knows_not,
    made_up,
    names_another,
    promises_in,
    sheet_words,
    stems,
    tells,
    texts_of,
)
from dayjob.npc.heard_and_said import Journalled, Posted, Taken
from dayjob.npc.hearing import Line
from dayjob.npc.plain_questions import Question, asked_by_cue, asked_by_words, plain_questions, words_of
from dayjob.task.colleague_sheet import Fact, any_in

_OTHERWISE = ("unanswerable", "unusable", "hours", "rules")
"""Notes of a turn that was broken by what was written, or that answers in another way than by facts."""
_FAIR = 8
"""Nobody is held to account for what is asked with more questions at once than this."""
_MOST, _MOST_QUESTIONS, _MOST_AT_ONCE = 500, 1000, 40
"""So many findings and questions of one colleague are kept, and so many questions of one message."""


def audit(
    colleagues: Sequence[Audited],
    turns: Sequence[Taken],
    journal: Journalled | None = None,
    around: Surroundings | None = None,
    in_time: Callable[[], None] = lambda: None,
) -> list[ColleagueAudit]:
    """The audit of every colleague of a task, and of whoever else took a turn.

    `in_time` is called now and then, and may raise to give it up.
    """
    journal, around = journal or Journalled(), around or Surroundings()
    known = {one.name for one in colleagues}
    others = dict.fromkeys(one.colleague for one in turns if one.colleague not in known)
    everybody = [*colleagues, *(Audited(name) for name in others)]
    usernames = frozenset(one.username for one in everybody if one.username)
    return [
        _Looking(one, [turn for turn in turns if turn.colleague == one.name], journal, around, usernames).found(in_time)
        for one in everybody
    ]


class _Looking:
    """Goes through one colleague's turns."""

    def __init__(
        self, who: Audited, turns: list[Taken], journal: Journalled, around: Surroundings, cast: frozenset[str]
    ) -> None:
        self.who, self.turns, self.journal, self.around, self.cast = who, turns, journal, around, cast
        self.sheet = who.sheet
        self.facts: dict[str, Fact] = {}
        if who.sheet is not None:
            self.facts = {**{one.id: one for one in who.standing}, **who.sheet.facts}
        self.result = ColleagueAudit(who.name, turns[-1].mind if turns else "", who.sheet is not None, len(turns))
        self.reached: dict[str, set[str]] = {}
        self.told: dict[str, set[str]] = {}
        """By person: the facts they have been told so far."""
        self.heard = Known()
        """What anybody said to them so far."""
        self._ids: dict[str, deque[Posted]] = {}
        for one in journal.posted:
            if who.username and one.username == who.username:
                self._ids.setdefault(one.text, deque()).append(one)
        self._wrong: set[tuple[str, int]] = set()
        """Facts that were told wrongly, with the turn."""
        self._open: list[tuple[Asked, Question, list[Fact], Taken | None, bool]] = []

    def found(self, in_time: Callable[[], None]) -> ColleagueAudit:
        sentences: dict[str, set[str]] = {}
        for turn in self.turns:
            in_time()
            messages = [(one, self._posted(one)) for one in turn.said]
            self._repeats(turn, messages, sentences)
            if self.sheet is not None:
                self._take_turn(turn, messages)
            self._questions(turn)
            self.heard.add(*(line.text for line in turn.heard))
        self._unheard(in_time)
        for asked, question, open_then, of, fair in self._open:
            in_time()
            self._conclude(asked, question, open_then, of, fair)
        del self.result.findings[_MOST:]
        return self.result

    def _posted(self, text: str) -> Posted | None:
        """The message in chat that has these words; the first that was not taken for another."""
        found = self._ids.get(text)
        return found.popleft() if found else None

    def _find(self, kind: str, fact: str, quote: str, said: str, message: str, **more: Any) -> None:
        self.result.findings.append(Finding(self.who.name, kind, fact, quote, said, message, **more))

    # -- their words ---------------------------------------------------------------------------------------------

    def _repeats(self, turn: Taken, messages: list[tuple[str, Posted | None]], sentences: dict[str, set[str]]) -> None:
        for text, posted in messages:
            room = turn.heard[0].room if turn.heard else posted.room if posted is not None else turn.place
            before = sentences.setdefault(f"{room}/{turn.thread}", set())
            new = as_compared(text)
            if again := next((one for one in new if one in before), ""):
                self._find("repeated", "", again, text, posted.id if posted else _last(turn))
            before.update(new)

    def _take_turn(self, turn: Taken, messages: list[tuple[str, Posted | None]]) -> None:
        """What became open, what was told, and what should not have been."""
        people = {line.sender for line in turn.heard if line.sender not in self.cast}
        claimed, said = set(turn.noted("facts")), " ".join(turn.said)
        asked = " ".join(line.text for line in turn.heard)
        for who in people:
            self.reached.setdefault(who, set()).update(turn.noted("reached"))
            told = self.told.setdefault(who, set())
            told |= {id for id, one in self.facts.items() if tells(one, said, id in claimed, asked)}
        self._leaks(turn, messages, people)
        if turn.mind == "llm":
            self._inventions(turn, messages)
        self._promises(turn, messages)

    def _is_open(self, fact: Fact, who: str, direct: bool, told: Iterable[str]) -> bool:
        sheet = self.sheet
        if sheet is None or fact.tell == "never" or (fact.to and who not in fact.to):
            return False
        if not direct and (fact.place == "direct" or sheet.only_direct):
            return False
        if fact.tell.startswith("after:") and fact.tell.removeprefix("after:") not in self.reached.get(who, ()):
            return False
        return all(one in told for one in fact.follows)

    def _leaks(self, turn: Taken, messages: list[tuple[str, Posted | None]], people: set[str]) -> None:
        if len(people) != 1 or self.sheet is None:
            return  # of several people one may know what another does not
        (who,) = people
        told = self.told.get(who, set())
        closed = [one for one in self.facts.values() if not self._is_open(one, who, True, told)]
        if not closed or not messages:
            return
        free = self._has_from_somewhere(turn, [one for one in self.facts.values() if one not in closed])
        free.add(*(line.text for line in turn.heard))
        for fact in closed:
            for text, posted in messages:
                if shown := gives_away(fact, text, free):
                    self._find("leaked", fact.id, shown, text, posted.id if posted else _last(turn), person=who)

    def _has_from_somewhere(self, turn: Taken, facts: Iterable[Fact]) -> Known:
        """What they may say: these facts, what the world gave them, what they looked up, and what they heard before."""
        found = Known(set(self.heard.figures), set(self.heard.words))
        for fact in facts:
            found.add(*texts_of(fact), fact.why)
        if self.sheet is not None:
            found.add(*sheet_words(self.sheet))
        found.add(*self.who.about, *turn.noted("looked_up"), *turn.noted("hours"), *turn.noted("saw"))
        return found

    def _inventions(self, turn: Taken, messages: list[tuple[str, Posted | None]]) -> None:
        known = self._has_from_somewhere(turn, self.facts.values())
        known.add(*(line.text for line in turn.heard), *turn.noted("prompt"))
        for text, posted in messages:
            for what, sentence in made_up(text, known, self.around.words):
                self._find("invented", "", what, sentence, posted.id if posted else _last(turn))
            known.add(text)  # said once, it is found once

    def _promises(self, turn: Taken, messages: list[tuple[str, Posted | None]]) -> None:
        assert self.sheet is not None
        at = max((line.at for line in turn.heard), default=0)
        done = {id for one in self.turns for id in one.did}
        acted = any(one.username == self.who.username and one.at >= at for one in self.journal.done)
        steps = {step for one in self.turns for step in one.noted("reached")}
        noted = " ".join(turn.noted("promises"))
        for deed in self.sheet.may:
            waits = deed.when.partition(":")[2]
            if deed.id in done or acted or (waits and waits not in steps):
                continue
            own = stems([*words_of(deed.id), *words_of(deed.act), *(word for cue in deed.asked for word in cue.words)])
            for text, posted in messages:
                shown = next((one for one in promises_in(text) if stems(words_of(one)) & own), "")
                if shown or (stems(words_of(noted)) & own and text == turn.said[-1]):
                    self._find("promised", deed.id, shown.strip(), text, posted.id if posted else _last(turn))
                    break

    # -- what was asked ------------------------------------------------------------------------------------------

    def _questions(self, turn: Taken) -> None:
        meant = [line for line in turn.heard if self._meant(line, turn.direct)]
        asked = [(line, one) for line in meant for one in plain_questions(line.text)[:_MOST_AT_ONCE]]
        del asked[max(0, _MOST_QUESTIONS - len(self.result.questions)) :]
        if turn.noted("left_to_others"):
            return  # they were named beside somebody else, to whom it belongs
        people: dict[str, int] = {}
        for line, _ in asked:
            people[line.sender] = people.get(line.sender, 0) + 1
        for line, question in asked:
            open_then = self._wanted(question, line.sender, turn.direct, turn)
            entry = Asked(line.sender, line.id, question.text, tuple(one.id for one in open_then), "answered")
            self.result.questions.append(entry)
            self._open.append((entry, question, open_then, turn, people[line.sender] <= _FAIR))
            if self.sheet is not None:
                self._check_figures(turn, line, question, people[line.sender] <= _FAIR)

    def _meant(self, line: Line, direct: bool) -> bool:
        theirs = line.sender == self.around.examinee if self.around.examinee else line.sender not in self.cast
        return theirs and (direct or bool(line.mentions and self.who.username in line.mentions))

    def _wanted(self, question: Question, who: str, direct: bool, turn: Taken | None) -> list[Fact]:
        """The open facts that a question plainly asks for. What has an answer of another kind asks for none."""
        if self.sheet is None or any(any_in(cues, question.text) for cues, _ in self.sheet.refers):
            return []
        told = self.told.get(who, set())
        hits = asked_by_cue(question, self.facts.values())
        if not hits and (turn is None or not turn.noted("facts")):
            hits = asked_by_words(question, self.facts.values())
        return [one for one in hits if self._is_open(one, who, direct, told)]

    def _check_figures(self, turn: Taken, line: Line, question: Question, fair: bool) -> None:
        """Whether the answer is at odds with a fact that was asked for, or that it means to tell."""
        hits = asked_by_cue(question, self.facts.values())
        claimed = [self.facts[id] for id in turn.noted("facts") if id in self.facts]
        if not turn.said or not (hits or claimed):
            return
        said = " ".join(turn.said)
        for fact in {one.id: one for one in (*hits, *claimed)}.values():
            if (fact.id, turn.number) in self._wrong:
                continue  # found at another question of the same turn
            elsewhere = self._has_from_somewhere(turn, [one for one in self.facts.values() if one is not fact])
            wrong = contradicts(fact, said, question if hits == [fact] else None, elsewhere)
            if not wrong and turn.mind == "llm" and question.of_whom and hits == [fact]:
                wrong = names_another(fact, said, self.around.people)
            if wrong:
                self._wrong.add((fact.id, turn.number))
                text = next((one for one in turn.said if wrong in one), turn.said[0])
                posted = next((one for one in self.journal.posted if one.text == text and one.at >= line.at), None)
                message = posted.id if posted is not None else line.id
                more = {"person": line.sender, "material": fair and not turn.noted("hours")}
                self._find("contradicted", fact.id, fact.text, text, message, **more)

    def _unheard(self, in_time: Callable[[], None]) -> None:
        """Questions that no turn was taken over."""
        if not self.who.username:
            return
        heard = {line.id: line for turn in self.turns for line in turn.heard}
        last = {line.room: line.at for line in heard.values()}
        for one in self.journal.posted:
            in_time()
            direct = self.who.username in one.direct_with
            if one.id in heard or one.username in self.cast or one.role != "examinee":
                continue
            if not direct and self.who.username not in one.mentions:
                continue
            for question in plain_questions(one.text)[:_MOST_AT_ONCE]:
                if len(self.result.questions) >= _MOST_QUESTIONS:
                    return
                wanted = self._wanted(question, one.username, direct, None)
                facts = tuple(fact.id for fact in wanted)
                entry = Asked(one.username, one.id, question.text, facts, "ignored", "no turn was taken over it")
                self.result.questions.append(entry)
                # Who went on in the same room passed it over; nobody is to blame for an end, or for a closed door.
                if direct and last.get(one.room, 0) > one.at:
                    self._open.append((entry, question, wanted, None, True))

    def _conclude(self, asked: Asked, question: Question, wanted: list[Fact], turn: Taken | None, fair: bool) -> None:
        """What came of a question, now that all is known that was told."""
        got = self.told.get(asked.person, set())
        wrong = {one.fact for one in self.result.findings if one.kind == "contradicted" and one.person == asked.person}
        missed = [] if any(one.id in got or one.id in wrong for one in wanted) else wanted
        spoke = turn is not None and bool(turn.said or turn.did)
        if turn is not None and (turn.fault or any(turn.how.get(name) for name in _OTHERWISE)):
            missed = []  # what was written broke their mind, or their answer is of another kind
        if turn is not None and set(turn.noted("locked")) & {
            one.id for one in asked_by_cue(question, self.facts.values())
        }:
            missed = []
        puzzled = turn is not None and (bool(turn.noted("unknown")) or knows_not(" ".join(turn.said)))
        if missed and not asked_by_cue(question, missed) and spoke and not puzzled:
            missed = []  # it only shares its words with the fact, and was answered with something
        if not spoke:
            asked.came_of = "ignored"
        elif missed:
            asked.came_of = "withheld"
        elif self.sheet is not None and turn is not None and self._unknown(question, turn):
            asked.came_of = "unknown"
        if missed:
            said = " ".join(turn.said) if turn is not None else ""
            self._find(asked.came_of, missed[0].id, asked.text, said, asked.message, person=asked.person, material=fair)

    @staticmethod
    def _unknown(question: Question, turn: Taken) -> bool:
        """Whether they said that they do not know."""
        notes = turn.noted("unknown")
        if any(one in question.text or question.text in one for one in notes if one):
            return True
        return not turn.noted("facts") and knows_not(" ".join(turn.said))


def _last(turn: Taken) -> str:
    return turn.heard[-1].id if turn.heard else ""
