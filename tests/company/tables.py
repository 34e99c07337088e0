"""Rules written as tables: a line for each case, a column for each question, `+` for yes and `-` for no."""

from __future__ import annotations

from collections.abc import Iterator


def read(table: str) -> Iterator[tuple[str, dict[str, bool]]]:
    """Each line's name and its answers by column. Names may have spaces; answers may not."""
    head, *lines = (line for line in table.strip().splitlines() if line.strip())
    columns = head.split()
    for line in lines:
        words = line.split()
        name, answers = " ".join(words[: -len(columns)]), words[-len(columns) :]
        assert name, line
        assert set(answers) <= {"+", "-"}, f"not a line of {len(columns)} answers: {line}"
        yield name, {column: answer == "+" for column, answer in zip(columns, answers, strict=True)}


def written(found: dict[str, dict[str, bool]]) -> str:
    """The same the other way round, so that a difference reads as one."""
    return "\n".join(
        f"{name}: " + " ".join(column for column, yes in sorted(answers.items()) if yes)
        for name, answers in sorted(found.items())
    )
