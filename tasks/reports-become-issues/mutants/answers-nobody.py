"""Opens the issues without labels, and tells nobody in #support."""

from solution import ISSUES, chat, comment, open_issue, sign_in

forge, headers = sign_in(), chat()
for project, title, customers in ISSUES:
    open_issue(forge, headers, project, title, customers, labels="")
comment(forge)
