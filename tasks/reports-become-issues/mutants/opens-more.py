"""Opens issues for what others have answered already."""

from solution import ISSUES, KNOWN, answer, chat, comment, open_issue, sign_in

ANSWERED = (
    ("larkspur/trellis", "Jobs of the same hour change places", ("Fernhill",)),
    ("larkspur/sync", "Tablets show yesterday's plan", ("Jardins Delacroix",)),
    ("larkspur/timesheets", "The export opens in one column", ("Orchidee & Co",)),
)

forge, headers = sign_in(), chat()
for project, title, customers in ISSUES + ANSWERED:
    link = open_issue(forge, headers, project, title, customers)
    for customer in customers:
        answer(headers, customer, link)
answer(headers, KNOWN[2], comment(forge))
