"""Right, with what careful people add: the label on the issue that existed, and pointers from one issue to another."""

from solution import FORGE, ISSUES, KNOWN, answer, chat, comment, open_issue, place, sign_in

forge, headers = sign_in(), chat()
links = [open_issue(forge, headers, *issue) for issue in ISSUES]
known = comment(forge)
forge.put(f"{place(KNOWN[0])}/issues/{KNOWN[1]}", json={"add_labels": "customer"}, timeout=30).raise_for_status()
asked = {"target_project_id": KNOWN[0], "target_issue_iid": KNOWN[1]}
printed, night = (f"{place(link.removeprefix(FORGE + '/').partition('/-/')[0])}/issues/{link.rpartition('/')[2]}"
                  for link in links[1:])  # fmt: skip
forge.post(f"{printed}/links", json=asked, timeout=30).raise_for_status()
said = {"body": f"See also {known}, which came with the same build (Serres du Lac)."}
forge.post(f"{night}/notes", json=said, timeout=30).raise_for_status()
for (_, _, customers), link in zip(ISSUES, links, strict=True):
    for customer in customers:
        answer(headers, customer, f"It is {link} now (see also {known}, of the same week).")
answer(headers, KNOWN[2], f"That is {known}, not {links[1]}.")
