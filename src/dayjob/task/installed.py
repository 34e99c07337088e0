"""Which Python modules a task's Dockerfile installs, told from its RUN lines and the requirements files they name.

A package seldom comes alone, and its modules need not bear its name: `MODULES` knows the usual ones. Where
anything else is installed the answer is None ("not known"), never a guess.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator
from pathlib import Path, PurePosixPath

from dayjob.task.dockerfile import Dockerfile

# Packages by their normalised names, and every module that comes with them.
_PANDAS = "pandas numpy dateutil pytz six tzdata"
_PLOTS = (
    "numpy matplotlib mpl_toolkits pylab contourpy cycler fontTools kiwisolver packaging PIL pyparsing dateutil six"
)
_LEARNING = "sklearn numpy scipy joblib threadpoolctl"
_WEB = "requests urllib3 idna certifi charset_normalizer"
_TESTS = "pytest _pytest pluggy iniconfig packaging exceptiongroup tomli pygments"
MODULES = {
    name: frozenset(modules.split())
    for name, modules in {
        "aiohttp": "aiohttp aiosignal async_timeout attr attrs frozenlist multidict yarl propcache idna",
        "beautifulsoup4": "bs4 soupsieve typing_extensions",
        "chardet": "chardet",
        "click": "click",
        "cryptography": "cryptography cffi pycparser",
        "django": "django asgiref sqlparse",
        "docx2txt": "docx2txt",
        "et-xmlfile": "et_xmlfile",
        "fastapi": "fastapi starlette pydantic pydantic_core annotated_types anyio idna sniffio typing_extensions",
        "flask": "flask werkzeug jinja2 markupsafe itsdangerous click blinker",
        "gitpython": "git gitdb smmap",
        "httpx": "httpx httpcore h11 anyio sniffio idna certifi",
        "imagehash": "imagehash PIL numpy scipy pywt",
        "jinja2": "jinja2 markupsafe",
        "jsonschema": "jsonschema jsonschema_specifications referencing rpds attr attrs",
        "lxml": "lxml",
        "markdown": "markdown",
        "matplotlib": _PLOTS,
        "networkx": "networkx",
        "nltk": "nltk click joblib regex tqdm",
        "numpy": "numpy",
        "odfpy": "odf defusedxml",
        "opencv-python": "cv2 numpy",
        "opencv-python-headless": "cv2 numpy",
        "openpyxl": "openpyxl et_xmlfile",
        "packaging": "packaging",
        "pandas": _PANDAS,
        "pdf2image": "pdf2image PIL",
        "pdfminer-six": "pdfminer cryptography cffi charset_normalizer",
        "pdfplumber": "pdfplumber pdfminer PIL pypdfium2 cryptography cffi charset_normalizer",
        "pillow": "PIL",
        "pip": "pip",
        "psutil": "psutil",
        "psycopg2-binary": "psycopg2",
        "pyarrow": "pyarrow",
        "pydantic": "pydantic pydantic_core annotated_types typing_extensions typing_inspection",
        "pymupdf": "fitz pymupdf",
        "pypdf": "pypdf typing_extensions",
        "pypdf2": "PyPDF2 typing_extensions",
        "pypdfium2": "pypdfium2",
        "pytest": _TESTS,
        "python-dateutil": "dateutil six",
        "python-docx": "docx lxml typing_extensions",
        "python-dotenv": "dotenv",
        "python-pptx": "pptx lxml PIL xlsxwriter typing_extensions",
        "pytz": "pytz",
        "pyyaml": "yaml _yaml",
        "rapidfuzz": "rapidfuzz",
        "regex": "regex",
        "requests": _WEB,
        "rocketchat-api": f"rocketchat_API packaging {_WEB}",
        "ruamel-yaml": "ruamel",
        "scikit-learn": _LEARNING,
        "scipy": "scipy numpy",
        "seaborn": f"seaborn {_PANDAS} {_PLOTS}",
        "setuptools": "setuptools pkg_resources",
        "six": "six",
        "sqlalchemy": "sqlalchemy greenlet typing_extensions",
        "tabulate": "tabulate",
        "toml": "toml",
        "tqdm": "tqdm",
        "typing-extensions": "typing_extensions",
        "ujson": "ujson",
        "urllib3": "urllib3",
        "wheel": "wheel",
        "xlrd": "xlrd",
        "xlsxwriter": "xlsxwriter",
    }.items()
}
# Debian's names where they are not `python3-` before those above.
_DEBIAN = {
    "bs4": "beautifulsoup4", "dateutil": "python-dateutil", "docx": "python-docx", "pil": "pillow",
    "pptx": "python-pptx", "psycopg2": "psycopg2-binary", "sklearn": "scikit-learn", "yaml": "pyyaml",
    "opencv": "opencv-python", "git": "gitpython",
}  # fmt: skip
_NOT_MODULES = frozenset({"dev", "venv", "full", "minimal", "distutils", "doc", "dbg", "apt", "all"})

_PIP = re.compile(r"(?:^|[\s/])(?:pip3?(?:\.\d+)?|python\S* -m pip|uv pip)\s+install\s+([^&|;]*)")
_APT = re.compile(r"\bapt(?:-get)?\s+(?:-\S+\s+)*install\s+([^&|;]*)")
_OTHER_WAYS = re.compile(r"\b(?:conda|mamba|poetry|pipenv|pdm|easy_install|setup\.py|uv\s+(?:sync|add))\b")
_ELSEWHERE = {"-t", "--target", "--root", "--prefix", "--user", "--dry-run"}
_WITH_VALUE = {"-c", "--constraint", "-i", "--index-url", "--extra-index-url", "-f", "--find-links", "--trusted-host"}
_WITH_VALUE |= {"--timeout", "--retries", "--progress-bar", "--cache-dir", "--platform", "--python-version"}
_NAME = re.compile(r"([A-Za-z0-9][\w.-]*)(?:\[[^\]]*\])?\s*(?:[=<>~!;@ ].*)?$")


class _NotKnown(Exception):
    """Something is installed whose modules cannot be told."""


def installed_modules(dockerfile: Dockerfile, folder: Path) -> frozenset[str] | None:
    """The modules that RUN lines install; None when they cannot be told."""
    found: set[str] = set()
    try:
        for each in dockerfile.instructions:
            if each.keyword == "RUN":
                command = " ".join(each.parts) if each.parts is not None else each.text
                found |= _of_command(command, folder)
    except _NotKnown:
        return None
    return frozenset(found)


def _of_command(command: str, folder: Path) -> set[str]:
    if _OTHER_WAYS.search(command):
        raise _NotKnown
    found: set[str] = set()
    for match in _PIP.finditer(command):
        for name in _pip_names(_words(match.group(1)), folder):
            found |= _modules(name)
    for match in _APT.finditer(command):
        for word in _words(match.group(1)):
            package = word.partition("=")[0]
            if package.startswith("python3-") and package[8:] not in _NOT_MODULES:
                found |= _modules(_DEBIAN.get(package[8:], package[8:]))
    return found


def _modules(name: str) -> frozenset[str]:
    known = MODULES.get(re.sub(r"[-_.]+", "-", name).lower())
    if known is None:
        raise _NotKnown
    return known


def _words(text: str) -> list[str]:
    try:
        return shlex.split(text)
    except ValueError:
        return text.split()


def _pip_names(words: list[str], folder: Path) -> Iterator[str]:
    pending = iter(words)
    for word in pending:
        flag, _, value = word.partition("=")
        if word.startswith(("-r", "--requirement")):
            file = value or (word[2:] if word[:2] == "-r" and len(word) > 2 else next(pending, ""))
            yield from _required(folder, file)
        elif flag in _ELSEWHERE or flag in ("-e", "--editable") or "$" in word:
            raise _NotKnown
        elif word.startswith("-"):
            if word in _WITH_VALUE:
                next(pending, None)
        elif name := _NAME.match(word):
            if "/" in word or word.endswith((".whl", ".gz", ".zip")):
                raise _NotKnown
            yield name.group(1)
        else:
            raise _NotKnown


def _required(folder: Path, file: str) -> Iterator[str]:
    """The packages of a requirements file, which lies in the task's folder under its last name or somewhere below."""
    for path in sorted(folder.rglob(PurePosixPath(file).name or "?"))[:1]:
        try:
            lines = path.read_text("utf-8", "replace").splitlines()
        except OSError:
            break
        for line in lines:
            text = line.partition("#")[0].strip()
            if text.startswith(("-", ".", "/")) or "://" in text:
                raise _NotKnown
            if text and (name := _NAME.match(text)):
                yield name.group(1)
        return
    raise _NotKnown
