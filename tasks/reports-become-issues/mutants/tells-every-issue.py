"""Comments on every open issue of trellis-web that Serres du Lac has it too; one of them is the right one."""

from solution import ISSUES, KNOWN, WEB, answer, chat, comment, open_issue, place, sign_in

forge, headers = sign_in(), chat()
for one in forge.get(f"{place(WEB)}/issues", params={"state": "opened"}, timeout=30).json():
    if one["iid"] != KNOWN[1]:
        said = {"body": f"{KNOWN[2]} have it too."}
        forge.post(f"{place(WEB)}/issues/{one['iid']}/notes", json=said, timeout=30).raise_for_status()
for project, title, customers in ISSUES:
    link = open_issue(forge, headers, project, title, customers)
    for customer in customers:
        answer(headers, customer, link)
answer(headers, KNOWN[2], comment(forge))
