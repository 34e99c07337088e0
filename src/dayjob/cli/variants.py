"""Options of commands that run families: which variants, and of which set."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from dayjob.cli.folders import fail

if TYPE_CHECKING:
    from dayjob.trial.spec import TrialSpec
    from dayjob.trial.variants import VariantKey
    from dayjob.trial.variants.checking import Looked

key_option: Callable[[Callable[..., Any]], Callable[..., Any]] = click.option(
    "--variant-key",
    type=click.Path(dir_okay=False, path_type=Path),
    help="Draw the variants of families with the secret key in this file: a private set.",
)
variant_option: Callable[[Callable[..., Any]], Callable[..., Any]] = click.option(
    "--variant", type=click.IntRange(0), help="Which variant of families (default: 0, the canonical one)."
)
variants_option: Callable[[Callable[..., Any]], Callable[..., Any]] = click.option(
    "--variants", type=click.IntRange(1), help="So many variants of families, from 0 on."
)


def read_key(file: Path | None) -> VariantKey | None:
    """The key in a file; one that cannot be read ends the command."""
    from dayjob.trial.variants import BadKey, VariantKey

    try:
        return VariantKey.read(file) if file is not None else None
    except BadKey as error:
        fail(str(error))


def numbers_for(
    tasks: Sequence[Path], variant: int | None, variants: int | None, key: VariantKey | None = None
) -> dict[Path, list[int | None]]:
    """The variants to run of each task: of a family those that were asked for, of another task just itself."""
    from dayjob.task.family import is_family

    if variant is not None and variants is not None:
        raise click.UsageError("--variant names one and --variants so many from 0 on: say one of them.")
    families = {task for task in tasks if is_family(task)}
    if not families and (variant is not None or variants is not None or key is not None):
        raise click.UsageError(f"{tasks[0]} is no family, so it has no variants: there is no variant.py in it.")
    asked: list[int | None] = [variant or 0] if variants is None else list(range(variants))
    return {task: asked if task in families else [None] for task in tasks}


def made_folder(task: Path, sandbox: str = "embedded") -> Path:
    """A task's folder; of a family, its canonical variant's. Raises `TaskError` or `SandboxError`."""
    from dayjob.task.family import is_family
    from dayjob.trial.spec import TrialSpec
    from dayjob.trial.variants import make_here

    if not is_family(task):
        return task
    (folder,) = make_here([TrialSpec(str(task.resolve()), "nop", "", sandbox=sandbox)])
    return folder


def have_private(specs: Sequence[TrialSpec], key: VariantKey | None) -> None:
    """Make the variants of a private set now: what runs the trials has no key. One that cannot be ends the command."""
    from dayjob.sandbox.sandbox import SandboxError
    from dayjob.task import TaskError
    from dayjob.trial.variants import PrivateVariant, make_here

    if key is None:
        return
    if strange := [spec for spec in specs if spec.variant_set not in (None, key.fingerprint)]:
        fail(f"The key is that of the set {key.fingerprint}, and {strange[0].name} is of {strange[0].variant_set}.")
    try:
        make_here([spec for spec in specs if spec.variant_set], key)
    except (PrivateVariant, TaskError, SandboxError, OSError) as error:
        fail(str(error))


def have_variants(folder: Path, key: Path) -> None:
    """Make what a run has of a private set, where it is not here."""
    from dayjob.trial.run_folder import RunError, read_run

    try:
        with read_run(folder) as run:
            specs = run.specs
    except RunError as error:
        fail(str(error))
    have_private(specs, read_key(key))


def look_at_families(families: Sequence[Path]) -> dict[Path, Looked]:
    """What drawing and making shows of each family; where there is no room for it, a note that says so."""
    if not families:
        return {}
    import asyncio

    from dayjob.cli.folders import have_base
    from dayjob.company.world.snapshot import default_cache
    from dayjob.sandbox.choose import make_site
    from dayjob.sandbox.sandbox import SandboxError
    from dayjob.task.lint.family import not_made
    from dayjob.trial.variants.checking import Looked, look

    found: dict[Path, Looked] = {}

    async def main() -> None:
        async with make_site("embedded", default_cache()) as site:
            for family in families:
                found[family] = await look(site, family.resolve(), default_cache())

    try:
        have_base()
        asyncio.run(main())
    except (SandboxError, OSError) as error:
        for family in families:
            found.setdefault(family, Looked([not_made(str(error).rstrip("."))]))
    return found
