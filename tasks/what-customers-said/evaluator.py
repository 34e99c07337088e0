"""Grades what-customers-said: the document's text and table against the survey's answers."""

import io
import re

import docx
import openpyxl
from common import changes, get_binary_file_content_owncloud, grader
from docx.oxml.ns import qn
from scoring import Checkpoint, Points, Result

FOLDER, FILE = "Product/Survey", "2026-02-survey-summary.docx"
# country: answers, satisfied, recommend
WANTED = {"be": (34, 3.8, -3), "nl": (31, 3.9, -3), "de": (17, 3.5, 0), "fr": (15, 3.6, -53), "all": (97, 3.7, -10)}
NAMES = {"belgium": "be", "netherlands": "nl", "the netherlands": "nl", "germany": "de", "france": "fr"}
FIRST_WISH = r"cop(y|ying|ies) (of )?(the )?(last|previous) year's week|cop(y|ying) (the |a )?week (of|from) last year"
WISHES = (
    FIRST_WISH,
    r"who (has )?changed a shift",
    r"print(ing)? (it |a week |the week )?on one page",
    r"holidays? (per|by|for each) country",
    r"swap(ping|s)? (with|between|among) three",
)
FIRST, LATER = r"\bfirst\b|\bmost\b|\btop\b|favou?rite|number one", r"second|third|fourth|next|follow|behind|after"
# Two pages, with room to spare.
LONGEST = 10_000
TOO_LITTLE = "fewer than two of the other points were given, beside which it counts"


def document():
    """The document; None when there is none, or when it is far longer than two pages."""
    content = get_binary_file_content_owncloud(FILE, FOLDER)
    found = docx.Document(io.BytesIO(content)) if content is not None else None
    return found if found and len(whole(found)) <= LONGEST else None


def whole(found):
    """All words of a document, tables and text boxes among them, a line for each paragraph."""
    paragraphs = found.element.body.iter(qn("w:p"))
    return "\n".join("".join(part.text or "" for part in one.iter(qn("w:t"))) for one in paragraphs)


def sentences():
    """The sentences outside the tables, in small letters."""
    found = document()
    text = "\n".join(paragraph.text for paragraph in found.paragraphs) if found else ""
    return re.split(r"\n|(?<=[.!?])\s", text.lower().replace("’", "'"))


def number(value):
    """The one number that a cell is, with or without a percent sign; None for anything else."""
    plain = re.sub(r"[\s%]|per ?cent", "", value.replace(",", ".").replace("−", "-").replace("–", "-"))
    return float(plain) if re.fullmatch(r"[-+]?\d+(\.\d+)?", plain) else None


def table():
    """Country to (answers, satisfied, recommend) of the first table that has these columns; a country with two lines
    that differ has none."""
    for one in document().tables if document() else []:
        head, *rows = [[cell.text.strip().lower() for cell in row.cells] for row in one.rows]
        if {"country", "answers", "satisfied", "recommend"} <= set(head):
            columns = [head.index(name) for name in ("answers", "satisfied", "recommend")]
            found = {}
            for row in rows:
                country = row[head.index("country")]
                found.setdefault(NAMES.get(country, country), set()).add(tuple(number(row[at]) for at in columns))
            return {country: lines.pop() for country, lines in found.items() if len(lines) == 1}
    return {}


def column(at):
    found = table()
    return all(country in found and found[country][at] == wanted[at] for country, wanted in WANTED.items())


def has_heading():
    paragraphs = [paragraph for paragraph in document().paragraphs if paragraph.text.strip()] if document() else []
    return bool(paragraphs) and paragraphs[0].style.name.lower().startswith(("heading", "title"))


def named(sentence):
    """The wishes of a sentence, by their place in WISHES, in its order."""
    found = [(match.start(), at) for at, wish in enumerate(WISHES) if (match := re.search(wish, sentence))]
    return [at for _, at in sorted(found)]


def says_first(sentence):
    """Does a sentence say that the first wish is first? It may name several behind it, if it says that of this one."""
    places = sorted(match.start() for one in WISHES if (match := re.search(one, sentence)))
    if len(places) <= 2:
        return True
    # "first" may follow the wish itself; of what comes behind, nothing is called so.
    head, tail = sentence[: places[1]], sentence[places[1] :]
    return bool(re.search(FIRST, head)) and not re.search(FIRST, tail)


def wrong_about_the_wish():
    """What is wrong with the sentence about the first wish; empty when nothing is."""
    told = False
    for sentence in sentences():
        wishes = named(sentence)
        if wishes[:1] == [0]:
            told = told or says_first(sentence)
        elif wishes and re.search(FIRST, sentence) and not re.search(LATER, sentence):
            return f"a sentence says that another wish is first: {sentence}"
    if not told:
        return "no sentence says that copying last year's week is wanted first"
    return "" if has_heading() else "the document does not begin with a heading"


def wish():
    """A sentence names the first wish, others only behind it, and none says another is first."""
    return not wrong_about_the_wish()


def counts():
    """One sentence has both numbers, and few others."""
    numbers = [re.findall(r"\d+", sentence) for sentence in sentences()]
    return any({"97", "61"} <= set(some) and len(some) <= 10 for some in numbers)


def points():
    return wish() + counts() + column(0) + column(1) + column(2)


def open_answers():
    content = get_binary_file_content_owncloud("2026-02-survey-answers.xlsx", FOLDER)
    head, *rows = openpyxl.load_workbook(io.BytesIO(content), data_only=True)["Answers"].values
    return {str(row[head.index(name)]) for row in rows for name in ("q9_like", "q10_miss") if row[head.index(name)]}


@grader
def grade_wish():
    if document() is None:
        return Points(0, f"there is no /{FOLDER}/{FILE}, or it is far longer than two pages")
    return Points(wish(), wrong_about_the_wish() or "it begins with a heading, and names the first wish")


@grader
def grade_counts():
    said = "a sentence has" if counts() else "no sentence of few numbers has"
    return Points(counts(), f"{said} 97 answers and 61 customers")


@grader
def grade_table():
    found = table()
    wrong = [
        f"{country} has {found[country][at]:g} {name}; asked was {wanted[at]:g}"
        if country in found and found[country][at] is not None
        else f"{country} has no number for {name}"
        for at, name in enumerate(("answers", "satisfied", "recommend"))
        for country, wanted in WANTED.items()
        if country not in found or found[country][at] != wanted[at]
    ]
    return Points(column(0) + column(1) + column(2), "; ".join(wrong) or "every number of the table is right")


def plain(text):
    return re.sub(r"[^\w]+", " ", text.lower())


def quotes(text, answer):
    """Has the text this answer: a clause of it with four words or more, or a shorter one as a sentence or a quote?"""
    clauses = [plain(clause).strip() for clause in answer.split(",")]
    if any(len(clause.split()) >= 4 and f" {clause} " in f" {plain(text)} " for clause in clauses):
        return True
    return bool(re.search(rf"(^|[.!?:“\"'‘«]\s*){re.escape(answer.strip(' .'))}[.!”\"'’»]", text, re.MULTILINE))


@grader
def grade_no_quotes():
    if points() < 2:
        return Points(0, TOO_LITTLE)
    found = sorted(answer for answer in open_answers() if quotes(whole(document()), answer))
    return Points(not found, f"it quotes: {found[0]}" if found else "it quotes none of the open answers")


@grader
def grade_nothing_else():
    paths = [(row["after"] or row["before"])["path"] for row in changes("owncloud")]
    if points() < 2:
        return Points(0, TOO_LITTLE)
    return Points(paths == [f"/{FOLDER}/{FILE}"], f"changed on the drive: {', '.join(paths)}")


def grade_checkpoints(trajectory="") -> Result:
    checkpoints: list[Checkpoint] = []
    result = Result(checkpoints)
    checkpoints.append(Checkpoint(1, grade_wish()))
    checkpoints.append(Checkpoint(1, grade_counts()))
    checkpoints.append(Checkpoint(3, grade_table()))
    checkpoints.append(Checkpoint(1, grade_no_quotes()))
    checkpoints.append(Checkpoint(1, grade_nothing_else()))
    return result
