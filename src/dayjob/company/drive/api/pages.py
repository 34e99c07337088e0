"""placeholder"""
async def answer(drive, scope, receive, raw, headers):  # type: ignore
    from starlette.responses import Response
    return Response(b"", 404)
