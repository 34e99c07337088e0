"""Cancels the twins, fills the module, sets the dates."""

import html
import re

import requests

BOARD = "http://larkspur.test:8091/api/v1/workspaces/larkspur"
KEY = {"x-api-key": "plane_api_sam_reed_first_day"}


def ask(method, path, **given):
    answer = requests.request(method, f"{BOARD}/{path}", headers=KEY, timeout=30, **given)
    answer.raise_for_status()
    return answer.json() if answer.content else None


class Board:
    """The project Website: its items by number, and what is done to them."""

    def __init__(self):
        self.place = next(one["id"] for one in ask("GET", "projects/")["results"] if one["name"] == "Website")
        self.items = {one["sequence_id"]: one for one in self.list("issues/?per_page=100")}
        self.states = {one["name"]: one["id"] for one in self.list("states/")}
        self.open = {self.states["Todo"], self.states["In Progress"]}
        self.launch = next(one["id"] for one in self.list("labels/") if one["name"] == "launch")

    def list(self, path):
        return ask("GET", f"projects/{self.place}/{path}")["results"]

    def change(self, number, **fields):
        ask("PATCH", f"projects/{self.place}/issues/{self.items[number]['id']}/", json=fields)

    def cancel(self, later, earlier):
        self.change(later, state=self.states["Cancelled"])
        comment = {"comment_html": f"<p>The same as WEB-{earlier}.</p>"}
        ask("POST", f"projects/{self.place}/issues/{self.items[later]['id']}/comments/", json=comment)

    def modules(self):
        return {one["name"]: one["id"] for one in self.list("modules/")}

    def homeless(self):
        """Open items of the launch that are in no module."""
        housed = {
            item["id"] for module in self.modules().values() for item in self.list(f"modules/{module}/module-issues/")
        }
        return [
            number
            for number, item in self.items.items()
            if item["state"] in self.open and self.launch in item["labels"] and item["id"] not in housed
        ]

    def house(self, numbers):
        ids = [self.items[number]["id"] for number in numbers]
        ask(
            "POST",
            f"projects/{self.place}/modules/{self.modules()['Launch pages']}/module-issues/",
            json={"issues": ids},
        )

    def undated(self):
        return [n for n, item in self.items.items() if item["state"] in self.open and not item["target_date"]]

    def twins(self):
        """The number of each item whose description says that it is there already, and the number of the earlier."""
        found = {}
        for later, item in self.items.items():
            told = html.unescape(re.sub("<[^>]*>", "", item["description_html"] or ""))
            meant = re.search(r'The same as "([^"]+)"|Twice, I think: \w+ has the ([\w ]+)\.', told)
            if meant:
                words = (meant[1] or meant[2]).lower()
                [found[later]] = [n for n, one in self.items.items() if n < later and words in one["name"].lower()]
        return found


if __name__ == "__main__":
    board = Board()
    twins = board.twins()
    for later, earlier in twins.items():
        board.cancel(later, earlier)
    board.house([number for number in board.homeless() if number not in twins])
    for number in board.undated():
        if number not in twins:
            board.change(number, target_date="2026-03-13")
