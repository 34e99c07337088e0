"""Every report is answered with its issue and with the one that was there before."""

from solution import ISSUES, KNOWN, answer, chat, comment, open_issue, sign_in

forge, headers = sign_in(), chat()
known = comment(forge)
for issue in ISSUES:
    link = open_issue(forge, headers, *issue)
    for customer in issue[2]:
        answer(headers, customer, f"{link} {known}")
answer(headers, KNOWN[2], known)
