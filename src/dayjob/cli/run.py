"""`dayjob run`: run tasks with an agent. Exit 0: every trial was scored; 1: one was not; 2: none could start."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

import click

from dayjob.cli.completion import agents, task_names, worlds
from dayjob.cli.conduct import PARALLEL, RunOptions, conduct, run_options
from dayjob.cli.folders import ready_or_fail, task_folders
from dayjob.cli.variants import have_private, key_option, numbers_for, read_key, variant_option, variants_option


@click.command(epilog="Example: dayjob run tasks/example -a oracle -o runs/first")
@click.argument("paths", nargs=-1, type=click.Path(path_type=Path), shell_complete=task_names)
@click.option(
    "--role", help="Only tasks of this role, such as finance; without PATHS, of those that `dayjob tasks` lists."
)
@click.option(
    "-a",
    "--agent",
    default="oracle",
    show_default=True,
    shell_complete=agents,
    help="oracle, nop, echo, clicker, worker, mini-swe-agent, claude-code, codex, openhands, command:LINE, "
    "host-command:LINE, mutant:NAME or package.module:Class; docs/agents.md says what each is.",
)
@click.option("-m", "--model", help="The examinee's model: provider/model, or script:FILE.")
@click.option("--npc-model", help="The colleagues' model; without one they follow their scripts.")
@click.option("--judge-model", help="The model evaluators ask; without one such a task stays ungraded.")
@click.option("-n", "--parallel", type=click.IntRange(1), help=PARALLEL)
@click.option("-k", "--attempts", default=1, show_default=True, type=click.IntRange(1), help="Trials per task.")
@click.option("--sandbox", default="embedded", show_default=True, type=click.Choice(("embedded", "docker")))
@click.option("--image", help="With docker: an image built of the task; {task} in it stands for the task's name.")
@click.option("--world", shell_complete=worlds, help="Another world than the tasks' own: a name or a folder.")
@click.option("--seed", default="0", show_default=True, help="Makes the company's ids; the same seed, the same ids.")
@click.option("--seconds", type=float, help="Another time limit to work than the tasks' own.")
@click.option("--egress", help="Another way out than the tasks' own: none, full, or host names with commas.")
@click.option("--grader-egress", help="The same for graders.")
@click.option("--clock", type=click.Choice(["running", "stepped"]), help="Another company clock than the tasks' own.")
@click.option("--score-every", metavar="step|change|N", help="Also grade along the way, on copies beside the work.")
@click.option("--score-judge", is_flag=True, help="Ask the judge's model along the way, too.")
@variant_option
@variants_option
@key_option
@click.option("-o", "--out", type=click.Path(path_type=Path), help="The run's folder (default: runs/ and the time).")
@run_options
def run(
    paths: tuple[Path, ...],
    role: str | None,
    agent: str,
    model: str | None,
    npc_model: str | None,
    judge_model: str | None,
    attempts: int,
    sandbox: str,
    image: str | None,
    world: str | None,
    seed: str,
    seconds: float | None,
    egress: str | None,
    grader_egress: str | None,
    clock: str | None,
    score_every: str | None,
    score_judge: bool,
    variant: int | None,
    variants: int | None,
    variant_key: Path | None,
    out: Path | None,
    options: RunOptions,
) -> None:
    """Run tasks with an agent: task folders, every task folder right below each of PATHS, or tasks by their names.

    The same command on the same folder runs only the trials that are not done.
    """
    from dayjob.trial.run_folder import open_run
    from dayjob.trial.spec import SpecError, TrialSpec, trial_name

    if image and sandbox != "docker":
        raise click.UsageError("--image is for containers: add --sandbox docker.")
    if not paths and role is None:
        raise click.UsageError("Missing argument 'PATHS...'. Name a task folder, or one that `dayjob tasks` lists.")
    folder = out or Path("runs", datetime.now(UTC).strftime("%Y%m%d-%H%M%S"))
    tasks = task_folders(paths, role)
    key = read_key(variant_key)
    numbers = numbers_for(tasks, variant, variants, key)
    set = key.fingerprint if key is not None else None
    specs = [
        TrialSpec(
            task=str(task.resolve()),
            agent=agent,
            out=str((folder / trial_name(task.resolve().name, agent, attempt, number, set)).resolve()),
            variant=number,
            variant_set=set if number is not None else None,
            sandbox=sandbox,
            image=image,
            world=str(Path(world).resolve()) if world and (Path(world) / "world.toml").is_file() else world,
            attempt=attempt,
            seed=f"{seed}/{attempt}",
            seconds=seconds,
            egress=egress,
            grader_egress=grader_egress,
            clock=clock,
            score_every=score_every,
            score_judge=score_judge,
            model=model,
            npc_model=npc_model,
            judge_model=judge_model,
        )
        for attempt in range(1, attempts + 1)
        for task in tasks
        for number in numbers[task]
    ]
    if score_judge and score_every is None:
        raise click.UsageError("--score-judge is for gradings along the way: add --score-every.")
    for option, check in (
        ("--egress", lambda: specs[0].way_out),
        ("--grader-egress", lambda: specs[0].graders_way_out),
        ("--score-every", specs[0].check_score_every),
    ):
        try:
            check()  # the same for all: what it cannot mean is said before anything is written
        except SpecError as error:
            raise click.BadParameter(f"{error}.", param_hint=option) from None
    have_private(specs, key)
    ready_or_fail(specs, here=options.on == "local")
    conduct(open_run(folder, specs), options)
