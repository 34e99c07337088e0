"""Three issues with all reports in each, everybody on the one that exists, and all links in every thread."""

from solution import FORGE, ISSUES, KNOWN, answer, chat, open_issue, place, sign_in

forge, headers = sign_in(), chat()
everybody = (*(customer for *_, customers in ISSUES for customer in customers), KNOWN[2])
links = [open_issue(forge, headers, project, "What customers reported", everybody) for project, *_ in ISSUES]
said = {"body": "Has it too: " + ", ".join(everybody)}
forge.post(f"{place(KNOWN[0])}/issues/{KNOWN[1]}/notes", json=said, timeout=30).raise_for_status()
links.append(f"{FORGE}/{KNOWN[0]}/-/issues/{KNOWN[1]}")
for customer in everybody:
    answer(headers, customer, " ".join(links))
