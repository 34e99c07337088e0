"""`dayjob doctor`: what works here, what to install, what is left. Exit 1: no trial can run, or no model answers."""

from __future__ import annotations

import json
import sys
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from dayjob.llm.check import ModelCheck
    from dayjob.sandbox.doctor import Finding


@click.command(epilog="Example: dayjob doctor --clean")
@click.option("--clean", is_flag=True, help="Remove what killed processes left behind.")
@click.option("--model", "ask_models", is_flag=True, help="Ask the configured models whether they are there.")
@click.option("--json", "as_json", is_flag=True, help="Everything as JSON.")
def doctor(clean: bool, ask_models: bool, as_json: bool) -> None:
    """Say what this machine can run, what to install for the rest, and what was left behind."""
    from dayjob.company.world.snapshot import default_cache
    from dayjob.sandbox import doctor as examination

    findings = [*examination.examine(default_cache()), _companies(), _browser(), _previews()]
    done = examination.clean(default_cache()) if clean else []
    left = examination.leftovers()
    models = _models() if ask_models else []
    ready = all(finding.works for finding in findings if finding.needed)
    if as_json:
        facts = {
            "findings": [asdict(finding) for finding in findings],
            "capabilities": {name: one.as_dict() for name, one in examination.abilities(default_cache()).items()},
            "leftovers": left,
            "cleaned": done,
            "models": [model.as_dict() for model in models],
        }
        click.echo(json.dumps(facts, indent=1))
    else:
        for finding in findings:
            sign, colour = ("✓", "green") if finding.works else ("✗", "red" if finding.needed else "yellow")
            fix = f"  → {finding.fix}" if finding.fix else ""
            click.echo(f"{click.style(sign, fg=colour)} {finding.name:28} {finding.says}{fix}")
        for sentence in done:
            click.echo(sentence)
        for sentence in left:
            click.echo(f"Left behind: {sentence}. Remove it: dayjob doctor --clean")
        for model in models:
            sign, colour = ("✓", "green") if model.ready else ("✗", "red")
            click.echo(f"{click.style(sign, fg=colour)} {'model for ' + model.role:28} {model.sentence}")
        if ask_models and not models:
            click.echo("No model is configured: colleagues follow their scripts, and a judge cannot be asked.")
        click.echo("The embedded sandbox works here." if ready else "The embedded sandbox does not work here yet.")
    sys.exit(0 if ready and all(model.ready for model in models) else 1)


def _companies() -> Finding:
    """Where the company of a trial runs, and what keeps it from the host."""
    from dayjob.sandbox.doctor import Finding
    from dayjob.trial.company_process.confine import can_make_root

    if can_make_root():
        return Finding("companies", True, "each in a process with files, a network and limits of its own")
    says = "each in a process of its own, which sees the files that this user sees"
    return Finding("companies", False, says, "allow unprivileged user namespaces, or run as root")


def _browser() -> Finding:
    """What the worker browses with."""
    from dayjob.agent.worker.browser import has_driver
    from dayjob.sandbox.doctor import Finding

    if has_driver():
        return Finding("browser", True, "Playwright; Chromium comes into a room from Debian's packages, once")
    return Finding("browser", False, "the worker goes without one", "pip install 'dayjob[browser]'")


def _previews() -> Finding:
    """How far a hostile document on the drive would get that takes over the process which reads it."""
    from dayjob.company.drive.previews.confinement import described
    from dayjob.sandbox.doctor import Finding

    confined, says = described()
    return Finding("document previews", confined, says, "" if confined else "open only documents you trust")


def _models() -> list[ModelCheck]:
    import asyncio
    import os

    from dayjob.llm.check import check_models
    from dayjob.llm.settings import SettingsError, load_settings

    try:
        return asyncio.run(check_models(load_settings(Path("dayjob.toml"), os.environ)))
    except SettingsError as error:
        click.echo(str(error), err=True)
        sys.exit(2)
