"""Asks the six, strikes out what they and the house say, and announces the hour that is left."""

import re
import time

import requests

CHAT = "http://larkspur.test:3000/api/v1"
SIX = ("ines.carvalho", "mara.lindqvist", "priya.nair", "jonas.weber", "luca.moretti", "tomas.okafor")
DAYS = ("Tuesday", "Wednesday", "Thursday", "Friday")
# The house: quiet Wednesdays from 13:00; the Orangery: sales on Tuesday, rehearsal on Friday.
TAKEN = {("Wednesday", hour) for hour in range(13, 16)} | {
    ("Tuesday", 10),
    ("Tuesday", 11),
    ("Friday", 13),
    ("Friday", 14),
}


def sign_in():
    given = {"user": "sam.reed", "password": "sam-reed-first-day"}
    login = requests.post(f"{CHAT}/login", json=given, timeout=30).json()["data"]
    return {"X-Auth-Token": login["authToken"], "X-User-Id": login["userId"]}


def say(headers, where, text):
    sent = requests.post(f"{CHAT}/chat.postMessage", json={"channel": where, "text": text}, headers=headers, timeout=30)
    sent.raise_for_status()
    return sent.json()["message"]


def ask(headers, username):
    sent = say(headers, f"@{username}", "Good morning! When can you not meet for an hour from Tuesday to Friday?")
    for _ in range(200):
        found = requests.get(f"{CHAT}/im.history", params={"roomId": sent["rid"]}, headers=headers, timeout=30).json()
        for message in found["messages"]:
            if message["u"]["username"] == username and message["ts"] > sent["ts"]:
                return message["msg"]
        time.sleep(0.05)
    raise SystemExit(f"{username} did not answer")


def busy(text):
    """The hours that somebody cannot, out of what they say."""
    found = set()
    for part in re.split(r"[.,](?= )|\band on\b", text):
        for day in DAYS:
            if day in part:
                hours = [int(hour) for hour in re.findall(r"(\d{1,2}):00", text[text.index(part) :])]
                found |= {(day, hour) for hour in spread(text[text.index(part) :], hours)}
    return found


def spread(text, hours):
    if not hours or "all day" in text.split(".")[0]:
        return range(10, 16)
    first = text.index(f"{hours[0]:02d}:00")
    if re.search(r"(until|before) $", text[:first]):
        return range(10, hours[0])
    if re.match(r"\d\d:00 to ", text[first:]):
        return range(hours[0], hours[1])
    return range(hours[0], 16)


def free(headers, some=SIX):
    taken = set(TAKEN)
    for username in some:
        taken |= busy(ask(headers, username))
    return [(day, hour) for day in DAYS for hour in range(10, 16) if (day, hour) not in taken]


def announce(headers, day, hour, who=SIX):
    mentions = " ".join(f"@{one}" for one in who)
    number = 10 + DAYS.index(day)
    say(
        headers,
        "#launch",
        f"{mentions}: one hour together on {day}, {number} March, {hour}:00 to {hour + 1}:00, in the Orangery.",
    )
    say(
        headers,
        "@noor.haddad",
        f"Please put us on the door of the Orangery: {day}, {number} March, {hour}:00 to {hour + 1}:00.",
    )


if __name__ == "__main__":
    headers = sign_in()
    left = free(headers)
    assert len(left) == 1, left
    announce(headers, *left[0])
