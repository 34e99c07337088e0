"""Templates for ignore files, CI files, Dockerfiles and licences: short ones, written for this forge."""

from __future__ import annotations

from typing import Any

from dayjob.company.forge.api.call import Call
from dayjob.company.forge.api.routes import get
from dayjob.company.forge.errors import not_found

_LANGUAGES = {
    "Android": "*.apk\nbuild/\n",
    "Bash": "*.log\n",
    "C": "*.o\n*.a\n*.so\n",
    "C++": "*.o\n*.a\n*.so\nbuild/\n",
    "Clojure": "target/\n",
    "Crystal": "lib/\nbin/\n",
    "Dart": ".dart_tool/\nbuild/\n",
    "Django": "*.pyc\ndb.sqlite3\n",
    "Elixir": "_build/\ndeps/\n",
    "Erlang": "ebin/\n",
    "Go": "bin/\n*.test\n",
    "Gradle": ".gradle/\nbuild/\n",
    "Haskell": "dist/\n",
    "Java": "*.class\ntarget/\n",
    "Julia": "*.jl.cov\n",
    "Kotlin": "*.class\nbuild/\n",
    "LaTeX": "*.aux\n*.log\n",
    "Lua": "*.luac\n",
    "Maven": "target/\n",
    "Node": "node_modules/\nnpm-debug.log*\n",
    "Nodejs": "node_modules/\n",
    "PHP": "vendor/\n",
    "Perl": "blib/\n",
    "Python": "__pycache__/\n*.pyc\n.venv/\n",
    "R": ".Rhistory\n",
    "Ruby": ".bundle/\nvendor/\n",
    "Rust": "target/\n",
    "Scala": "target/\n",
    "Swift": ".build/\n",
    "Terraform": ".terraform/\n*.tfstate\n",
    "TypeScript": "node_modules/\ndist/\n",
    "Vue": "node_modules/\ndist/\n",
}
_IMAGES = {
    "Node": "node:20",
    "Nodejs": "node:20",
    "Python": "python:3.12",
    "Go": "golang:1.22",
    "Ruby": "ruby:3.3",
    "Rust": "rust:1",
    "PHP": "php:8.3",
    "Java": "eclipse-temurin:21",
    "Maven": "maven:3",
    "Gradle": "gradle:8",
    "Elixir": "elixir:1.16",
}
_MIT = """MIT License

Copyright (c) {year} {fullname}

Permission is hereby granted, free of charge, to any person obtaining a copy of this software to deal in it without
restriction, provided that this notice is kept in all copies. The software is provided "as is", without warranty.
"""
_BSD = """BSD 2-Clause License

Copyright (c) {year}, {fullname}

Redistribution and use in source and binary forms of {project}, with or without modification, are permitted
provided that this notice is kept. The software is provided "as is", without warranty.
"""
_LICENSES = {
    "mit": ("MIT License", _MIT), "bsd-2-clause": ('BSD 2-Clause "Simplified" License', _BSD),
    "unlicense": ("The Unlicense", "{project} is given to the public domain by {fullname}, {year}.\n"),
}  # fmt: skip


def _ci(name: str) -> str:
    image = _IMAGES.get(name, "debian:bookworm-slim")
    return (
        f'# A start for {name} projects.\nimage: {image}\n\ntest:\n  stage: test\n  script:\n    - echo "Test '
        f'{name} here"\n'
    )


def _docker(name: str) -> str:
    return f'FROM {_IMAGES.get(name, "debian:bookworm-slim")}\nWORKDIR /app\nCOPY . .\nCMD ["sh"]\n'


_KINDS = {
    "gitignores": dict(_LANGUAGES),
    "gitlab_ci_ymls": {name: _ci(name) for name in _LANGUAGES},
    "dockerfiles": {name: _docker(name) for name in _IMAGES},
}


def _listed(call: Call, kind: str) -> Any:
    return call.paged(sorted(_KINDS[kind]), lambda name: {"key": name, "name": name})


def _one(call: Call, kind: str) -> Any:
    content = _KINDS[kind].get(call.path["name"])
    if content is None:
        raise not_found()
    return {"name": call.path["name"], "content": content}


for _kind in _KINDS:
    get(f"/templates/{_kind}")(lambda call, kind=_kind: _listed(call, kind))
    get(f"/templates/{_kind}/{{name}}")(lambda call, kind=_kind: _one(call, kind))


def _license(call: Call, key: str) -> dict[str, Any]:
    name, text = _LICENSES[key]
    values = {
        "year": call.store.now()[:4],
        "fullname": call.text("fullname") or "[fullname]",
        "project": call.text("project") or "This project",
    }
    return {
        "key": key,
        "name": name,
        "nickname": None,
        "featured": True,
        "popular": True,
        "html_url": None,
        "source_url": None,
        "description": name,
        "conditions": ["include-copyright"],
        "permissions": ["commercial-use", "modifications", "distribution", "private-use"],
        "limitations": ["liability", "warranty"],
        "content": text.format(**values),
    }


@get("/templates/licenses")
def licenses(call: Call) -> Any:
    return call.paged(list(_LICENSES), lambda key: _license(call, key))


@get("/templates/licenses/{name}")
def license(call: Call) -> Any:
    if call.path["name"].lower() not in _LICENSES:
        raise not_found("License")
    return _license(call, call.path["name"].lower())


@get("/projects/{id}/templates/{kind}")
def project_templates(call: Call) -> Any:
    call.project()
    if call.path["kind"] == "licenses":
        return licenses(call)
    if call.path["kind"] in ("issues", "merge_requests"):
        return call.paged([])
    if call.path["kind"] not in _KINDS:
        raise not_found()
    return _listed(call, call.path["kind"])


@get("/projects/{id}/templates/{kind}/{name}")
def project_template(call: Call) -> Any:
    call.project()
    if call.path["kind"] == "licenses":
        return license(call)
    if call.path["kind"] not in _KINDS:
        raise not_found()
    return _one(call, call.path["kind"])
