"""Grades what-customers-said: the document's text and table against the survey's answers."""

import io
import re

import docx
import openpyxl
from common import changes, get_binary_file_content_owncloud, grader
from docx.oxml.ns import qn
from scoring import Checkpoint, Points, Result
from variant import VALUES

FOLDER, FILE = "Product/Survey", "2026-02-survey-summary.docx"
# country: answers, satisfied, recommend
WANTED = VALUES["key"]["lines"]
NAMES = {"belgium": "be", "netherlands": "nl", "the netherlands": "nl", "germany": "de", "france": "fr"}
FIRST_WISH = VALUES["key"]["wish"]
SAYS = {
    "copy last year's week": r"cop(y|ying|ies) (of )?(the )?(last|previous) year's week"
    r"|cop(y|ying) (the |a )?week (of|from) last year",
    "who changed a shift": r"who (has |had )?changed (a |the )?shifts?",
    "print on one page": r"print(ing|s|ed)? (it |them |(a|the) (week|plan) |weeks |plans )?on (one|a single) page",
    "holidays per country": r"holidays? (per|by|for each|of each|in each) country",
    "swap with three people": r"swap(ping|s)? (a shift |shifts )?(with|between|among) (three|3)",
}
# The first wish, then the others.
WISHES = (SAYS[FIRST_WISH], *(pattern for wish, pattern in SAYS.items() if wish != FIRST_WISH))
# Not wanted, though named; and a wish that stands behind another one.
REFUSED = r"\b(not|n't|never) (want|wish|ask|choose|need)|\bnobody\b|\b(fewest|least)\b"
BEHIND = r"second|third|fourth|next|follow|behind|after|ahead|before|\bthan\b"
WORDS = {"ninety[- ]seven": "97", "sixty[- ]one": "61"}
SWAPPED = (
    r"\b97 (\w+ )?(customers|companies|nurseries|garden centres)\b|\b61 (\w+ )?(people|persons|answers|respondents)\b"
)
FIRST, LATER = r"\bfirst\b|\bmost\b|\btop\b|favou?rite|number one", r"second|third|fourth|next|follow|behind|after"
# A page or two, with room to spare.
LONGEST = 10_000
TOO_LITTLE = "fewer than two of the other points were given, beside which it counts"


def document():
    """The document; None when there is none, or when it is far longer than a page."""
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
    plain = re.sub(r"[−–\u2011]|\bminus\b", "-", value.replace(",", "."), flags=re.IGNORECASE)
    plain = re.sub(r"[\s%]|per ?cent", "", plain)
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
    if re.search(REFUSED, sentence[: places[0]]):
        return False
    if len(places) == 1:
        return True
    # "first" may follow the wish itself; of what comes behind, nothing is called so.
    head, tail = sentence[: places[1]], sentence[places[1] :]
    between = head[places[0] :]
    if len(places) == 2:
        return bool(re.search(BEHIND, between)) or not re.search(rf"\bor\b|{REFUSED}|{FIRST}", between + tail)
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
        return f"no sentence says that this is wanted first: {FIRST_WISH}"
    return "" if has_heading() else "the document does not begin with a heading"


def wish():
    """A sentence names the first wish, others only behind it, and none says another is first."""
    return not wrong_about_the_wish()


def counts():
    """One sentence has both numbers, each for what it counts, and few others."""
    return any(has_counts(sentence) for sentence in sentences())


def has_counts(sentence):
    for word, figure in WORDS.items():
        sentence = re.sub(word, figure, sentence)
    numbers = re.findall(r"\d+", sentence)
    return {"97", "61"} <= set(numbers) and len(numbers) <= 10 and not re.search(SWAPPED, sentence)


def points():
    return wish() + counts() + column(0) + column(1) + column(2)


def open_answers():
    content = get_binary_file_content_owncloud("2026-02-survey-answers.xlsx", FOLDER)
    head, *rows = openpyxl.load_workbook(io.BytesIO(content), data_only=True)["Answers"].values
    return {str(row[head.index(name)]) for row in rows for name in ("q9_like", "q10_miss") if row[head.index(name)]}


@grader
def grade_wish():
    if document() is None:
        return Points(0, f"there is no /{FOLDER}/{FILE}, or it is far longer than a page")
    return Points(wish(), wrong_about_the_wish() or "it begins with a heading, and names the first wish")


@grader
def grade_counts():
    said = "a sentence gives" if counts() else "no sentence of few numbers gives"
    return Points(counts(), f"{said} 97 people and 61 customers")


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
