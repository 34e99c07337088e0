"""An issue for every report, although two are about the same twice, and one has an issue already."""

from solution import ISSUES, KNOWN, answer, chat, open_issue, sign_in

forge, headers = sign_in(), chat()
for project, title, customers in (*ISSUES, (KNOWN[0], "Names are cut off", (KNOWN[2],))):
    for customer in customers:
        answer(headers, customer, open_issue(forge, headers, project, title, (customer,)))
