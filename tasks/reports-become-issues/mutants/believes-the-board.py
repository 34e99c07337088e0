"""Leaves Sunday out, since the board has an item for it."""

from solution import ISSUES, KNOWN, answer, chat, comment, open_issue, sign_in

forge, headers = sign_in(), chat()
for project, title, customers in ISSUES:
    if "Sunday" not in title:
        link = open_issue(forge, headers, project, title, customers)
        for customer in customers:
            answer(headers, customer, link)
answer(headers, KNOWN[2], comment(forge))
