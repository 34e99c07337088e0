"""Asks for access in a channel first, writes to Chidi in two messages, and writes the list line by line."""

from solution import SERVICE, SETTINGS, chat, merge, open_issue, propose, read, say, sign_in, tell_chidi, without_token

forge, headers = sign_in(), chat()
say(headers, "#engineering", "Good morning! How do I get a token to push to infra?")
say(headers, "@chidi.eze", "Good morning, do you have a minute? It is confidential.")
path = tell_chidi()
service = read(forge, SERVICE).replace(
    "    env_file: relay.env\n",
    f'    env_file:\n      # the second is on the host\n      - ./relay.env\n      - "{path}"\n',
)
merge(forge, propose(forge, {SETTINGS: without_token(forge) + "# the token: see relay.yml\n", SERVICE: service}))
open_issue(forge, "Please exchange it, it was visible.", title="The DEPLOY_TOKEN of the pilot's relay is burnt")
