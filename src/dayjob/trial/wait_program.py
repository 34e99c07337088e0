"""`company-wait`: the program in every examinee's room that lets company time pass. Python's standard library only."""

from __future__ import annotations

COMMAND = "company-wait"
PATH = f"/usr/local/bin/{COMMAND}"

_PROGRAM = '''#!/usr/bin/env python3
"""Let the company's time pass, and say what is new. All times are the company's (UTC)."""
import json, sys, urllib.error, urllib.request

USAGE = """usage: company-wait 45m                    let so much time pass (90s, 45m, 1h30m, 2d)
       company-wait --until "Tue 09:00"    or until then (17:00, tomorrow 08:30, 2026-03-10 14:00)
       company-wait                        what time is it, and what is new?
       --json                              the answer as JSON"""
ADDRESS = "@ADDRESS@"


def main(given):
    as_json = "--json" in given
    given = [one for one in given if one != "--json"]
    if given and given[0] in ("-h", "--help"):
        print(USAGE)
        return 0
    if not given:
        asked = {}
    elif given[0] == "--until" and len(given) > 1:
        asked = {"until": " ".join(given[1:])}
    elif given[0].startswith("--until=") and len(given) == 1:
        asked = {"until": given[0][8:]}
    elif given[0].startswith("-"):
        print(USAGE, file=sys.stderr)
        return 2
    else:
        asked = {"for": " ".join(given)}
    headers = {"content-type": "application/json"}
    request = urllib.request.Request(ADDRESS + "/clock/wait", json.dumps(asked).encode(), headers)
    try:
        # No proxy knows the company.
        opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
        answer = json.load(opener.open(request))
    except urllib.error.HTTPError as refused:
        try:
            sentence = json.load(refused)["error"]
        except (ValueError, KeyError):
            sentence = f"the company answered {refused.code}"
        print(f"company-wait: {sentence}", file=sys.stderr)
        return 1
    except (OSError, ValueError) as error:
        print(f"company-wait: {ADDRESS} did not answer: {error}", file=sys.stderr)
        return 1
    print(json.dumps(answer, indent=1) if as_json else answer["text"], end="\\n" if as_json else "")
    return 0


sys.exit(main(sys.argv[1:]))
'''


def wait_program(address: str) -> str:
    """The program's text; it asks the control API at this address."""
    return _PROGRAM.replace("@ADDRESS@", address)
