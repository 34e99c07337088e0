"""Paths to handlers."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dayjob.http.routing import MethodNotAllowed, NotFound, Router


def router(**options: bool) -> Router:
    made = Router(**options)
    made.add("GET", "/projects", "list")
    made.add("POST", "/projects", "create")
    made.add("GET", "/projects/{id}", "one")
    made.add("GET", "/projects/starred", "starred")
    made.add("GET", "/projects/{id}/files/{path:rest}", "file")
    made.add("GET PUT", "/projects/{id}/files/special", "special")
    made.add("DELETE", "/projects/{id}/{what}", "remove")
    return made


def test_fixed_text_wins_over_a_parameter() -> None:
    assert router().match("GET", "/projects/starred") == ("starred", {})
    assert router().match("GET", "/projects/7") == ("one", {"id": "7"})


def test_the_patterns_of_a_method_are_told() -> None:
    files = ["/projects/{id}/files/special", "/projects/{id}/files/{path:rest}"]
    assert router().patterns("GET") == ["/projects", "/projects/starred", "/projects/{id}", *files]
    assert router().patterns("DELETE") == ["/projects/{id}/{what}"]


def test_an_encoded_slash_stays_within_one_parameter() -> None:
    assert router().match("GET", "/projects/group%2Fname") == ("one", {"id": "group/name"})


def test_the_rest_takes_everything_that_follows() -> None:
    assert router().match("GET", "/projects/7/files/a/b%20c") == ("file", {"id": "7", "path": "a/b c"})
    assert router().match("GET", "/projects/7/files/special") == ("special", {"id": "7"})
    assert router().match("GET", "/projects/7/files/special/x") == ("file", {"id": "7", "path": "special/x"})


def test_a_dead_end_in_fixed_text_falls_back_to_the_parameter() -> None:
    assert router().match("DELETE", "/projects/7/files") == ("remove", {"id": "7", "what": "files"})


def test_head_is_answered_by_get() -> None:
    assert router().match("HEAD", "/projects")[0] == "list"


def test_an_unknown_path_is_not_found_and_a_known_one_names_its_methods() -> None:
    with pytest.raises(NotFound):
        router().match("GET", "/people")
    with pytest.raises(MethodNotAllowed) as refused:
        router().match("DELETE", "/projects")
    assert refused.value.allowed == ["GET", "POST"]


def test_doubled_and_trailing_slashes_mean_nothing_to_a_tolerant_router_only() -> None:
    assert router(tolerant=True).match("GET", "//projects//7/") == ("one", {"id": "7"})
    with pytest.raises(NotFound):
        router().match("GET", "/projects//7/")


def test_one_path_has_one_handler() -> None:
    with pytest.raises(ValueError, match="GET /projects has a handler already"):
        router().add("GET", "/projects", "again")


SEGMENTS = st.sampled_from(["projects", "7", "files", "special", "starred", ""]) | st.text(max_size=8)
NAMES: dict[object, set[str]] = {"list": set(), "create": set(), "starred": set(), "one": {"id"}, "special": {"id"}}


@given(st.lists(SEGMENTS, max_size=6).map("/".join), st.sampled_from(["GET", "POST", "DELETE", "PROPFIND", ""]))
def test_no_path_breaks_the_router(path: str, method: str) -> None:
    try:
        handler, values = router().match(method, path)
    except (NotFound, MethodNotAllowed):
        assert path.removeprefix("/") != "projects" or method not in ("GET", "POST")
    else:
        assert set(values) == {**NAMES, "file": {"id", "path"}, "remove": {"id", "what"}}[handler]
