from __future__ import annotations

from functools import partial
from pathlib import Path

import pytest

from annealco.evaluation import best_known
from annealco.solving import Solver
from tests.budgets import FAR
from tests.cli.program import Output, assert_one_line, call


def test_the_share_that_is_proven_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Output) -> None:
    monkeypatch.setattr(best_known, "Solver", partial(Solver, moves=1000, bound=False))
    arguments = (
        "data",
        "reference",
        "regular-small",
        "mds",
        "--limit",
        2,
        "--time-limit",
        FAR,
        "--exact",
        "none",
        "--out",
        tmp_path,
    )
    assert call(*arguments) == 0
    out, err = capsys.readouterr()
    assert err == ""
    assert out.startswith("regular-small mds: 2 of 500 test graphs, ")
    assert out.endswith(" proven optimal, 2 computed now\n")
    assert call(*arguments) == 0
    assert capsys.readouterr().out.endswith(" 0 computed now\n")
    assert [path.name for path in tmp_path.iterdir()] == ["regular-small-mds.jsonl"]


def test_without_names_what_there_is_is_listed_without_any_graphs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Output
) -> None:
    monkeypatch.delenv("ANNEALCO_DATA", raising=False)
    assert call("data", "reference", "--out", tmp_path) == 0
    head, *rows = capsys.readouterr().out.splitlines()
    assert head.split() == ["set", "problem", "known", "of", "proven", "mean", "value", "proven", "by"]
    assert any(row.split()[:4] == ["imdb", "mis", "200", "200"] for row in rows)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("ba-small", "mis", "--exact-limit", 0), "the time limit must be more than 0"),
        (("ba-small",), "which problem of ba-small?"),
        (("ba-small", "mis", "--exact", "cplex"), "unknown exact solver 'cplex'"),
        (("nothing", "mis"), "unknown data set 'nothing'"),
        (("ba-small", "nothing"), "unknown problem 'nothing'"),
        (("ba-small", "mis", "--time-limit", 0), "the time limit must be more than 0"),
        (("ba-small", "mis", "--limit", -1), "Invalid value for '--limit'"),
    ],
)
def test_bad_arguments_are_one_line(arguments: tuple[str, ...], message: str, capsys: Output) -> None:
    assert call("data", "reference", *arguments) == 2
    err = capsys.readouterr().err
    assert_one_line(err)
    assert message in err
