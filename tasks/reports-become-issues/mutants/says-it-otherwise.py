"""In other words: labels set afterwards, a second customer in a comment, short links, a thank-you after the link."""

from solution import IMPORT, KNOWN, WEB, answer, chat, place, sign_in

ISSUES = (
    (
        IMPORT,
        "Import shows ? instead of é, ä, ö and ü",
        "Seen at Blumenhof KRAUSE, in CSV.",
        ("Blumenhof Krause", "Plantenrijk"),
    ),
    (WEB, "The printed week has only six days", "* De Linde (Firefox)\n", ("Tuinhuis De Linde", "Kwekerij Van Damme")),
    (WEB, "Phone: who starts at 10 p.m. stands on the next day", "Pepiniere Marchand.", ("Pépinière Marchand",)),
)

forge, headers = sign_in(), chat()
for project, title, text, customers in ISSUES:
    made = forge.post(f"{place(project)}/issues", json={"title": title, "description": text}, timeout=30).json()
    issue = f"{place(project)}/issues/{made['iid']}"
    forge.put(issue, json={"add_labels": "customer,bug,week view"}, timeout=30).raise_for_status()
    for customer in customers[1:]:
        said = {"body": f"Reported by {customer}, too."}
        forge.post(f"{issue}/notes", json=said, timeout=30).raise_for_status()
    for customer in customers:
        answer(headers, customer, f"{project}#{made['iid']}. Thank you for the report!")
said = {"body": "Another one: Serres du lac, three people on the small tablet."}
forge.post(f"{place(WEB)}/issues/{KNOWN[1]}/notes", json=said, timeout=30).raise_for_status()
answer(
    headers,
    KNOWN[2],
    f"[trellis-web 4](http://larkspur.test:8929/{WEB}/issues/4#note_1), which Yusuf opened on Thursday.",
)
