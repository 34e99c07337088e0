"""The item is due on the day itself, when it is too late."""

from solution import channel, folder, item, sign_in, tell

headers = sign_in()
channel(headers)
item(due="2026-04-01")
folder()
tell(headers)
