"""Does all of it, and warns everybody in #engineering."""

from solution import chat, open_issue, repair, say, sign_in, tell_chidi

forge = sign_in()
say(chat(), "#engineering", "Careful: there is a deploy token in main of infra, in compose/relay.env!")
repair(forge, tell_chidi())
open_issue(forge)
