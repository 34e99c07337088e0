"""One issue with everything in it, and its link everywhere."""

from solution import ISSUES, KNOWN, WEB, answer, chat, open_issue, sign_in

forge, headers = sign_in(), chat()
everybody = (*(customer for *_, customers in ISSUES for customer in customers), KNOWN[2])
link = open_issue(forge, headers, WEB, "What customers reported last week", everybody)
for customer in everybody:
    answer(headers, customer, link)
