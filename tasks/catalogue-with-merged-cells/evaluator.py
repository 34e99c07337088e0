"""Grades catalogue-with-merged-cells by reading workbooks with the merge request's code."""

import functools
import json
import re
import sys
from decimal import Decimal, InvalidOperation
from pathlib import Path

from common import (
    get_binary_file_content_owncloud,
    get_from_gitlab,
    gitlab_tree,
    grader,
    newest_merge_request,
    run_as_examinee,
    with_parts_of,
)
from scoring import Checkpoint, Points, Result
from variant import VALUES

PROJECT, PACKAGE = "larkspur/catalogue-import", "catalogue"
ALLOWED = re.compile(r"catalogue/|tests/|samples/|docs/|[A-Z]+\.md$")
REFERENCES = Path(__file__).parent / "references"
NO_REQUEST = "there is no merge request of Sam's into main"
NOT_READ = "the sample is not read by a merge request of Sam's, beside which it counts"
SAMPLE = "2026-03-catalogue-hof-birkenau.xlsx"
PROBE = """
import json, sys
from catalogue import BadCatalogue, read
def plants(path):
    try:
        return [
            [one.article, one.genus, one.variety or "", one.pot, str(one.price), one.stock, one.group]
            for one in read(path)
        ]
    except BadCatalogue as error:
        return f"refused: {error}"
    except Exception:
        return None
found = [plants(path) for path in sys.argv[1:]]
print("\\n" + json.dumps(found))
"""


def request():
    """Sam's newest merge request into main, with what it changes; None when there is none."""
    return newest_merge_request(PROJECT, "sam.reed")


def branch():
    return gitlab_tree(PROJECT, request()["sha"])


def base():
    return gitlab_tree(PROJECT, request()["diff_refs"]["base_sha"])


def tests_pass(folder):
    """Without site-packages: the import has the standard library only."""
    return run_as_examinee(["python3", "-S", "-m", "unittest"], cwd=str(folder)).returncode == 0


@functools.cache
def read():
    """What `read` of the merge request makes of the sample, the next list and those to be refused.

    Of each the plants, a text when it refuses it, None when it fails.
    """
    paths = []
    sample = get_binary_file_content_owncloud(SAMPLE, "Customers/Catalogues")
    for number, data in enumerate((sample, next_list(), *unreadable())):
        paths.append(branch().parent / f"list-{number}.xlsx")
        paths[-1].write_bytes(data)
    done = run_as_examinee(["python3", "-S", "-c", PROBE, *map(str, paths)], cwd=str(branch()))
    if done.returncode != 0:
        return [None] * len(paths)
    return [
        [[*one[:4], amount(one[4]), *one[5:]] for one in found] if isinstance(found, list) else found
        for found in json.loads(done.stdout.splitlines()[-1])
    ]


def amount(text):
    """A price as a number; as it is when it is none."""
    try:
        return Decimal(text)
    except InvalidOperation:
        return text


def expected(name):
    """The plants of a list, `sample` or `next`, as `read` gives them."""
    return [[*one[:4], Decimal(one[4]), *one[5:]] for one in VALUES["key"][name]]


@functools.cache
def paper():
    """The module that writes unseen workbooks."""
    sys.path.insert(0, str(REFERENCES))
    import paper as found

    return found


@functools.cache
def points_for_reading():
    if request() is None:
        return 0
    found, unseen, *_ = read()
    wanted = expected("sample")
    if not isinstance(found, list) or [one[:6] for one in found] != [one[:6] for one in wanted]:
        return 0
    return 1 + (found == wanted) + (unseen == expected("next"))


def next_list(instead=None):
    """The unseen list. `instead`: plants in the place of others, by their place."""
    plants = [(instead or {}).get(at, one) for at, one in enumerate(VALUES["key"]["next"])]
    return paper().workbook(*paper().listed("Herbst", plants, VALUES["layout"]))


def unreadable():
    """Files that are to be refused."""
    plants = VALUES["key"]["next"]
    yield b"Gattung;Artikel;Preis\nAcer;1;2,00\n"
    yield paper().workbook([["Name", "Telefon"], ["Hof Birkenau", "0651 55 01 12"]], [])
    yield next_list({3: [*plants[3][:4], "auf Anfrage", *plants[3][5:]]})
    yield next_list({5: [plants[0][0], *plants[5][1:]]})


def first_difference(found, wanted):
    """Where the plants that were read differ from the right ones, in words; empty when they do not."""
    if not isinstance(found, list):
        return f"it is not read: {found or 'an exception, or no output'}"
    for given, right in zip(found, wanted, strict=False):
        if given != right:
            return f"{right[0]} comes out as {', '.join(map(str, given))}"
    return "" if len(found) == len(wanted) else f"{len(found)} plants are read of {len(wanted)}"


def own_test(own, without):
    """What became of the tests of the branch, in words."""
    if not own:
        return "the tests of the branch do not pass"
    return f"the tests of the branch pass, and with the code of main they {'pass too' if without else 'fail'}"


@grader
def grade_reading():
    if request() is None:
        return Points(0, NO_REQUEST)
    sample, unseen, *_ = read()
    wrong = {
        "the sample": first_difference(sample, expected("sample")),
        "an unseen list": first_difference(unseen, expected("next")),
    }
    said = "; ".join(f"{which}: {words}" for which, words in wrong.items() if words)
    return Points(points_for_reading(), said or "the sample and an unseen list are read")


@grader
def grade_refusals():
    if not points_for_reading():
        return Points(0, NOT_READ)
    kinds = ("no workbook", "no catalogue", "a price that is none", "an article twice")
    taken = [kind for kind, one in zip(kinds, read()[2:], strict=True) if not isinstance(one, str)]
    return Points(not taken, f"not refused with BadCatalogue: {', '.join(taken)}" if taken else "all four are refused")


@grader
def grade_the_rest():
    if not points_for_reading():
        return Points(0, NOT_READ)
    same = tests_pass(with_parts_of(base(), branch(), PACKAGE))
    return Points(same, f"the tests of main {'pass' if same else 'do not pass'} with the package of the branch")


@grader
def grade_own_test():
    if not points_for_reading():
        return Points(0, NOT_READ)
    own = tests_pass(branch())
    without = own and tests_pass(with_parts_of(branch(), base(), PACKAGE))
    return Points(own and not without, own_test(own, without))


@grader
def grade_merge_request():
    if not points_for_reading():
        return Points(0, NOT_READ)
    closed = get_from_gitlab(PROJECT, f"merge_requests/{request()['iid']}/closes_issues").json()
    others = [change["new_path"] for change in request()["changes"] if not ALLOWED.match(change["new_path"])]
    holds = {
        f"it is {request()['state']}, not open": request()["state"] == "opened",
        "it does not close #4": 4 in [issue["iid"] for issue in closed],
        "Lena is not its reviewer": "lena.fischer" in [one["username"] for one in request()["reviewers"]],
        f"it touches {', '.join(others)}": not others,
    }
    wrong = [words for words, right in holds.items() if not right]
    return Points(not wrong, f"!{request()['iid']}: {'; '.join(wrong) or 'as asked'}")


def grade_checkpoints(trajectory="") -> Result:
    checkpoints: list[Checkpoint] = []
    result = Result(checkpoints)
    checkpoints.append(Checkpoint(3, grade_reading()))
    checkpoints.append(Checkpoint(1, grade_refusals()))
    checkpoints.append(Checkpoint(1, grade_the_rest()))
    checkpoints.append(Checkpoint(1, grade_own_test()))
    checkpoints.append(Checkpoint(1, grade_merge_request()))
    return result
