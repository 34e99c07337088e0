"""method.call/:name: the realtime wire's methods over REST, their messages as JSON inside JSON."""

from __future__ import annotations

import json
from typing import Any

from starlette.responses import JSONResponse

from dayjob.company.chat.api.call import Call
from dayjob.company.chat.api.endpoints import Answer, endpoint
from dayjob.company.chat.errors import ChatError
from dayjob.company.chat.realtime.ejson import dated, method_error
from dayjob.company.chat.realtime.methods import Caller, run_method
from dayjob.http.bodies import parse_json


def _call(call: Call) -> Answer:
    try:
        wanted: Any = parse_json(call.need("message"))
    except ValueError:
        raise ChatError("Invalid params", "error-invalid-params") from None
    if not isinstance(wanted, dict):
        raise ChatError("Invalid params", "error-invalid-params")
    method, parameters, id = wanted.get("method"), wanted.get("params", []), wanted.get("id")
    if not isinstance(method, str) or not isinstance(parameters, list):
        raise ChatError("Invalid params", "error-invalid-params")
    answer: dict[str, Any] = {"msg": "result", "id": id}
    try:
        answer["result"] = dated(
            run_method(Caller(call.chat, call.somebody, call.token, call.base), method, parameters)
        )
    except ChatError as error:
        answer["error"] = method_error(error)
        return JSONResponse({"message": json.dumps(answer), "success": False}, 400)
    return {"message": json.dumps(answer)}


@endpoint("POST", "method.call/{name}", takes="message")
def method_call(call: Call) -> Answer:
    _ = call.user
    return _call(call)


@endpoint("POST", "method.callAnon/{name}", takes="message", auth=False)
def method_call_anon(call: Call) -> Answer:
    return _call(call)
