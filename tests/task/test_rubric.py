"""Points of checkpoints.md, read off headings."""

from __future__ import annotations

import pytest

from dayjob.task.rubric import Rubric, parse_rubric


@pytest.mark.parametrize(
    "heading",
    [
        *("## Checkpoint 1 (3 pts)", "###### Checkpoint (3 points)", "- Checkpoint 1: 3 pt", "1. checkpoint 3 marks"),
        *(
            "**Checkpoint 1** (3-point)",
            "Final checkpoint: 3 points",
            "* Checkpoints: 3 Points",
            "  # CHECKPOINT 3 pts",
        ),
        *("## Checkpoint 1 [3pts]", "## [3pts] Checkpoint 1", "## Checkpoint 1: (3pts)", "- [3 pts] **checkpoint**"),
        *("## Checkpoint1 (3pts)", "## Checkpoint_1 [3 points]", "## Checkpoint 1 - 3pts", "## Checkpoint 1 [3]"),
        *("## Checkpoint 1 (3)", "## Check point 1 (3 pts)", "## Check-point 1 [3pt]", "__Checkpoint 1__ (3 pts)"),
        *("## Checpoint 1 (3 pts)", "## Chekcpoint 1 (3 pts)", "## Checkpoitn 1 [3pts]", "## Chekpoints (3 pts)"),
        *("## Checkpiont 1 (3 pts)", "## Checkpont 1 (3 pts)", "## Ckeckpoint 1 (3 pts)"),
    ],
)
def test_a_heading_with_points_is_a_checkpoint(heading: str) -> None:
    assert parse_rubric(f"\n{heading}\n") == Rubric(((3, 2),), None, 0)


@pytest.mark.parametrize(
    "line",
    [
        *("## Checkpoint 1", "The first checkpoint is worth 3 pts", "## Part 1 (3 pts)", "## Checkpointed (3 pts)"),
        *("<!-- ## Checkpoint 1 (3 pts) -->", "## Checkpoint 1 (3 ptsx)", f"## Checkpoint {'x' * 500} (3 pts)"),
        *("## Checklist (3 pts)", "## Endpoints (3 pts)", "## Checking the report (3 pts)", "- Viewpoint 1 (3 pts)"),
        *("## Checkpoint (3 ptsd)", "## Checkpoint 3", "## Checkpoint [three]", "## [3pts] The report is there"),
    ],
)
def test_other_lines_are_none(line: str) -> None:
    assert parse_rubric(line).checkpoints == ()


@pytest.mark.parametrize("length", [499, 500, 501])
def test_a_line_of_more_than_five_hundred_signs_is_passed_over(length: int) -> None:
    heading = "## Checkpoint (3 pts)"
    assert parse_rubric(heading + "." * (length - len(heading))).checkpoints == (((3, 1),) if length <= 500 else ())


@pytest.mark.parametrize(
    "line",
    [
        "Total: 5 pts",
        "There are 5 points in total",
        "This task has a total of 5 points.",
        "## Checkpoints (total 5 pts)",
    ],
)
def test_a_stated_total_is_no_checkpoint(line: str) -> None:
    assert parse_rubric(f"{line}\n## Checkpoint 1 (2 pts)\n\n## Checkpoint 2 (4 pts)\nTotal: 9 pts\n") == Rubric(
        ((2, 2), (4, 4)), 5, 1
    )


def test_the_total_is_the_sum_and_comments_keep_the_lines_below_in_their_place() -> None:
    found = parse_rubric("<!-- one\ntwo -->\n## Checkpoint 1 (2 pts)\n## Checkpoint 2 (4 pts)\n")
    assert (found.checkpoints, found.total) == (((2, 3), (4, 4)), 6)
