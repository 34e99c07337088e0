"""Comments on both of a pair, relates them, and goes item by item."""

from solution import Board, ask

board = Board()
twins = board.twins()
for number in [number for number in board.homeless() if number not in twins]:
    board.house([number])
for number in board.undated():
    if number not in twins:
        board.change(number, target_date="2026-03-13")
for later, earlier in twins.items():
    place = f"projects/{board.place}/issues/{board.items[later]['id']}"
    name = board.items[earlier]["name"]
    address = f"http://larkspur.test:8091/larkspur/browse/WEB-{earlier}/"
    said = f'<p>WEB-{later} is a duplicate of <a href="{address}">web-{earlier}</a> ({name}), so I cancel it.</p>'
    ask("POST", f"{place}/comments/", json={"comment_html": said})
    given = {"relation_type": "duplicate", "issues": [board.items[earlier]["id"]]}
    ask("POST", f"{place}/relations/", json=given)
    board.change(later, state=board.states["Cancelled"])
    said = f"<p>WEB-{later} was about this too.</p>"
    ask("POST", f"projects/{board.place}/issues/{board.items[earlier]['id']}/comments/", json={"comment_html": said})
