"""A tag with a message, notes with a sentence before them and links in them, an announcement in other words."""

from solution import BRANCH, FORGE, PROJECT, TAG, announce, merged, sign_in, tick

NEWS = f"""Good morning! Trellis {TAG} is tagged.
* **What changed for customers:** holidays in Germany and France, closed days, lunch
* **What to watch:** closed days
* **Who to call:** Lena Fischer
{FORGE}/larkspur/trellis/-/releases/{TAG}"""

forge = sign_in()
content = {"tag_name": TAG, "ref": BRANCH, "message": "First candidate of Trellis 2.0"}
forge.post(f"{PROJECT}/repository/tags", json=content, timeout=30).raise_for_status()
lines = [f"* {one['title']} ([!{one['iid']}]({one['web_url']}))" for one in merged(forge)]
text = "The first candidate, for Ewa.\n\n## Merged since v1.5.0\n\n" + "\n".join(lines)
content = {"tag_name": TAG, "name": TAG, "description": text, "milestones": ["Spring launch"]}
forge.post(f"{PROJECT}/releases", json=content, timeout=30).raise_for_status()
announce(NEWS)
tick(forge, "Release candidate")
said = {"body": "@ewa.kowalska, it is there."}
forge.post(f"{PROJECT}/issues/11/notes", json=said, timeout=30).raise_for_status()
