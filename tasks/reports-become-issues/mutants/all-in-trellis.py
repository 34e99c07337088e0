"""Everything is Trellis, so everything goes into that repository."""

from solution import ISSUES, KNOWN, answer, chat, comment, open_issue, sign_in

forge, headers = sign_in(), chat()
for _, title, customers in ISSUES:
    link = open_issue(forge, headers, "larkspur/trellis", title, customers)
    for customer in customers:
        answer(headers, customer, link)
answer(headers, KNOWN[2], comment(forge))
