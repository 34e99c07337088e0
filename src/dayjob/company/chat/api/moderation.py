"""moderation.*: reports of messages and people, and what moderators do with them."""

from __future__ import annotations

import json
from typing import Any

from dayjob.company.chat import shapes
from dayjob.company.chat.api.call import Call
from dayjob.company.chat.api.endpoints import Answer, endpoint, listed
from dayjob.company.chat.errors import ChatError, invalid

_SEE = "view-moderation-console"
_ACT = "manage-moderation-actions"


@endpoint("POST", "moderation.reportUser", takes="userId description")
def report_user(call: Call) -> Answer:
    user = call.store.accounts.get(call.need("userId"))
    if user is None:
        raise ChatError("Invalid user id provided.")
    call.store.moderation.report_user(user, call.user, call.need("description"))
    return {}


@endpoint("GET", "moderation.reportsByUsers", takes="latest oldest selector count:int offset:int sort", needs=_SEE)
def reports_by_users(call: Call) -> Answer:
    page = call.page()
    found, total = call.store.moderation.by_user("message", page)
    reports = []
    for user_id, count, at, message in found:
        user = call.store.accounts.get(user_id)
        last = json.loads(message) if message else {}
        reports.append(
            {
                "userId": user_id,
                "username": user.username if user else None,
                "name": user.name if user else None,
                "count": count,
                "ts": at,
                "message": last.get("msg", ""),
                "msgId": last.get("_id"),
                "isUserDeleted": user is None,
                "rooms": [{"_id": last.get("rid")}],
            }
        )
    return listed("reports", reports, total, page.offset)


@endpoint("GET", "moderation.userReports", takes="latest oldest selector count:int offset:int sort", needs=_SEE)
def user_reports(call: Call) -> Answer:
    page = call.page()
    found, total = call.store.moderation.by_user("user", page)
    reports: list[dict[str, Any]] = [
        {"reportedUser": shapes.reference(call.store, user_id) or {"_id": user_id}, "count": count, "ts": at}
        for user_id, count, at, _ in found
    ]
    return listed("reports", reports, total, page.offset)


def _reports(call: Call, name: str, kind: str, **about: str) -> dict[str, Any]:
    page = call.page()
    found, total = call.store.moderation.reports(kind, page, **about)
    return listed(name, [shapes.report(call.store, one) for one in found], total, page.offset)


@endpoint("GET", "moderation.user.reportedMessages", takes="userId selector count:int offset:int", needs=_SEE)
def reported_messages(call: Call) -> Answer:
    user = call.store.accounts.get(id := call.need("userId"))
    return _reports(call, "messages", "message", user_id=id) | {"user": shapes.profile(user) if user else None}


@endpoint("GET", "moderation.user.reportsByUserId", takes="userId selector count:int offset:int", needs=_SEE)
def reports_by_user_id(call: Call) -> Answer:
    user = call.store.accounts.get(id := call.need("userId"))
    return _reports(call, "reports", "user", user_id=id) | {"user": shapes.account(user) if user else None}


@endpoint("GET", "moderation.reports", takes="msgId selector count:int offset:int", needs=_SEE)
def reports(call: Call) -> Answer:
    return _reports(call, "reports", "message", message_id=call.need("msgId"))


@endpoint("GET", "moderation.reportInfo", takes="reportId", needs=_SEE)
def report_info(call: Call) -> Answer:
    return {"report": shapes.report(call.store, call.store.moderation.report(call.need("reportId")))}


@endpoint("POST", "moderation.dismissReports", takes="userId msgId reason action", needs=_ACT)
def dismiss(call: Call) -> Answer:
    user_id, message_id = call.text("userId"), call.text("msgId")
    if user_id:
        call.store.moderation.dismiss("message", user_id=user_id)
    elif message_id:
        call.store.moderation.dismiss("message", message_id=message_id)
    else:
        raise invalid("must have required property 'userId' or 'msgId'")
    return {}


@endpoint("POST", "moderation.dismissUserReports", takes="userId reason action", needs=_ACT)
def dismiss_user(call: Call) -> Answer:
    call.store.moderation.dismiss("user", user_id=call.need("userId"))
    return {}


@endpoint("POST", "moderation.user.deleteReportedMessages", takes="userId reason", needs=_ACT)
def delete_reported(call: Call) -> Answer:
    call.store.moderation.delete_reported(call.need("userId"))
    return {}
