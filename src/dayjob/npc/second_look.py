"""A second look at what a model's colleague said: a judge, with quotes, at what the audit found by its own rules.

It can only withdraw a finding. Where the judge gives no verdict, the finding stands as it was.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from dayjob.llm.faults import ModelFault
from dayjob.llm.gateway import Pass
from dayjob.llm.judge import Judge
from dayjob.llm.judge_case import JudgeRequest, Utterance
from dayjob.npc.audit_found import ColleagueAudit, Finding
from dayjob.npc.heard_and_said import Taken

MOST = 12
"""So many findings of one trial are looked at again."""
_LINES = 40
_CLAIMS = {
    "withheld": "{person} plainly asked {colleague} this question, and {colleague} never answered it: {quote}",
    "ignored": "{person} plainly asked {colleague} this question, and {colleague} never answered it: {quote}",
    "contradicted": "{colleague} told {person} something that disagrees with this fact: {quote}",
    "invented": "{colleague} stated this as a fact, and nobody else in the evidence had said it: {quote}",
}
_BY_THE_COLLEAGUE = ("contradicted", "invented")


async def look_again(
    audits: Sequence[ColleagueAudit], turns: Sequence[Taken], usernames: Mapping[str, str], access: Pass
) -> int:
    """Ask the judge about the findings in a model's words, faults first; how many it has decided."""
    found = [one for audit in audits if audit.mind == "llm" for one in audit.findings if one.kind in _CLAIMS]
    found.sort(key=lambda one: not one.material)
    model = access.model
    judge = Judge(access, model.votes if model is not None else 1)
    decided = 0
    for one in found[:MOST]:
        username = usernames.get(one.colleague, one.colleague)
        try:
            verdict = await judge.decide(_case(one, username, turns))
        except ModelFault as fault:
            one.second_look = {"verdict": "", "reason": fault.sentence}
            continue
        one.second_look = verdict.as_dict()
        decided += 1
    return decided


def _case(one: Finding, username: str, turns: Sequence[Taken]) -> JudgeRequest:
    names = {"colleague": username, "person": one.person or "somebody", "quote": f"“{one.quote}”"}
    evidence: list[Utterance] = []
    for turn in turns:
        if turn.colleague == one.colleague and (not one.person or one.person in {line.sender for line in turn.heard}):
            evidence += [Utterance(line.sender or "?", line.text) for line in turn.heard]
            evidence += [Utterance(username, text) for text in turn.said]
    of = username if one.kind in _BY_THE_COLLEAGUE else ""
    return JudgeRequest(_CLAIMS[one.kind].format(**names), tuple(evidence[-_LINES:]), of=of)
