"""What the services' answers say about time, where several companies share a process: each its own company's."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime

import pytest
import requests

from dayjob.company.chat.pages.page import TOKEN
from dayjob.company.clock import Clock
from dayjob.company.pages.forms import FIELD, form_token
from dayjob.company.world import Snapshot
from dayjob.service_names import NAMES
from tests.company.serving import WORLDS, Served, serve, snapshot_of

SAM, PASSWORD = "sam.reed", "sam-reed-first-day"
LATER = datetime(2031, 5, 4, 3, 2, 1, tzinfo=UTC)
HOUR = 3600.0


@pytest.fixture(scope="module")
def snapshot() -> Snapshot:
    return snapshot_of(WORLDS / "larkspur")


@pytest.fixture
def served(snapshot: Snapshot) -> Iterator[Served]:
    with serve(snapshot) as found:
        yield found


def dates(served: Served) -> dict[str, datetime]:
    answers = {name: requests.get(served.url(name), allow_redirects=False, timeout=60) for name in served.ports}
    return {name: parsedate_to_datetime(answer.headers["Date"]) for name, answer in answers.items()}


def test_every_answer_has_one_date_and_it_is_its_companys(snapshot: Snapshot, served: Served) -> None:
    with serve(snapshot, clock=Clock(LATER)) as other:
        for company, began in ((served, snapshot.info.now), (other, LATER)):
            assert began is not None
            assert {
                name for name, date in dates(company).items() if not 0 <= (date - began).total_seconds() < HOUR
            } == set()
    too_long = requests.get(served.url("chat") + "/" + "x" * 20_000, timeout=60)
    assert (too_long.status_code, too_long.headers["Date"].split()[3]) == (414, "2026")
    assert "," not in too_long.headers["Date"].partition(",")[2]


def test_a_clock_that_stands_is_told_as_it_stands(snapshot: Snapshot) -> None:
    clock = Clock(LATER)
    clock.pause(True)
    with serve(snapshot, clock=clock) as served:
        assert {date.timestamp() for date in dates(served).values()} == {int(clock.seconds())}


def signed_in(served: Served) -> dict[str, requests.Response]:
    """The answers to signing in on each service's pages."""
    forms = {
        "chat": ("/login", {"usernameOrEmail": SAM, "password": PASSWORD}),
        "forge": ("/users/sign_in", {"user[login]": SAM, "user[password]": PASSWORD}),
        "board": ("/auth/sign-in/", {"email": "sam.reed@larkspur.test", "password": PASSWORD}),
        "drive": ("/index.php/login", {"user": SAM, "password": PASSWORD}),
    }
    return {
        name: requests.post(served.url(name) + path, data=form, allow_redirects=False, timeout=60)
        for name, (path, form) in forms.items()
    }


def test_cookies_end_after_a_while_and_not_at_a_date(served: Served) -> None:
    for name, answer in signed_in(served).items():
        cookie = answer.headers.get("Set-Cookie", "").lower()
        assert "max-age=" in cookie, (name, answer.status_code, cookie)
        assert "expires=" not in cookie, (name, cookie)


def test_signing_out_ends_the_cookie_without_a_date(served: Served) -> None:
    chat = served.url("chat")
    session = requests.Session()
    session.post(f"{chat}/login", data={"usernameOrEmail": SAM, "password": PASSWORD}, timeout=60)
    form = {FIELD: form_token(session.cookies[TOKEN])}
    gone = session.post(f"{chat}/logout", data=form, allow_redirects=False, timeout=60)
    cookie = gone.headers.get("Set-Cookie", "").lower()
    assert "max-age=0" in cookie, (gone.status_code, cookie)
    assert "expires=" not in cookie
    assert session.cookies.get_dict() == {}


def test_secrets_of_a_service_that_nobody_touched_are_there_when_somebody_does(snapshot: Snapshot) -> None:
    with serve(snapshot, role="examinee", phase="work") as served:
        company = served.company
        account = {"username": "root", "password": "another-password", "token": "another-token"}
        served.call(company.set_secrets, "forge", account)
        assert served.call(lambda: company.touched) == ()

        def asks(token: str) -> int:
            headers = {"PRIVATE-TOKEN": token}
            return requests.get(f"{served.url('forge')}/api/v4/user", headers=headers, timeout=60).status_code

        assert (asks("larkspur-root-token"), asks("another-token")) == (401, 200)
        assert served.call(lambda: company.touched) == ("forge",)
        # Nothing of it is a change by whoever happened to come first.
        assert served.call(lambda: company.changes(everyone=True)) == []


def test_pages_link_to_where_the_reader_reaches_the_others(snapshot: Snapshot) -> None:
    with serve(snapshot, role="examinee") as served:
        ports = served.call(lambda: served.company.ports["examinee"])

        session = requests.Session()
        session.post(f"{served.url('chat')}/login", data={"usernameOrEmail": SAM, "password": PASSWORD}, timeout=60)

        def page(host: str) -> str:
            cookies = "; ".join(f"{name}={value}" for name, value in session.cookies.items())
            headers = {"Host": host, "Cookie": cookies}
            return requests.get(f"{served.url('chat')}/home", headers=headers, timeout=60).text

        def links(host: str) -> set[str]:
            text = page(host)
            return {name for name in NAMES if name != "chat" and f"http://127.0.0.1:{ports[name]}/" in text}

        others = {"forge", "board", "drive"}
        assert links(f"127.0.0.1:{ports['chat']}") == others
        # One of them is where the world says, as when a forwarded port was free: the others may still be elsewhere.
        world = served.company.world.ports
        served.call(lambda: ports.update(chat=world["chat"]))
        assert links(f"127.0.0.1:{world['chat']}") == others
        own = page(f"larkspur.test:{world['chat']}")
        assert all(f"http://larkspur.test:{world[name]}/" in own for name in others)
