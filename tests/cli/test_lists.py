from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from annealco.baselines import METHODS, Method
from annealco.baselines.learned import LEARNED
from annealco.bounds import BOUNDS
from annealco.energy.schedules import SCHEDULES
from annealco.graph.formats import FORMATS
from annealco.graph.generators import GENERATORS
from annealco.models import MODELS
from annealco.problems import PROBLEMS
from annealco.search import SEARCHES
from tests.cli.program import Output, call


def first_words(out: str) -> list[str]:
    return [line.split()[0] for line in out.splitlines()[2:]]


def test_lists_are_the_registries(capsys: Output) -> None:
    for what, registry in {"problems": PROBLEMS, "formats": FORMATS, "generators": GENERATORS}.items():
        assert call("list", what) == 0
        assert first_words(capsys.readouterr().out) == list(registry)


def test_listed_problems_tell_title_and_sense(capsys: Output) -> None:
    call("list", "problems")
    lines = capsys.readouterr().out.splitlines()[2:]
    for line, problem in zip(lines, PROBLEMS.values(), strict=True):
        assert problem.title in line
        assert line.endswith(problem.sense)


def test_models_are_listed_with_their_settings(capsys: Output) -> None:
    assert call("list", "models") == 0
    lines = capsys.readouterr().out.splitlines()
    assert [line.split()[0] for line in lines[2:]] == list(MODELS)
    assert "num_steps=" in lines[2]


def test_schedules_are_listed_with_what_they_do(capsys: Output) -> None:
    assert call("list", "schedules") == 0
    rows = [line.split() for line in capsys.readouterr().out.splitlines()[2:]]
    assert [row[0] for row in rows] == list(SCHEDULES)
    assert rows[0] == ["linear", "10", "0.003999", "0.002", "0.001333", "0.001"]


def test_methods_are_listed_with_problems_and_needs(capsys: Output) -> None:
    assert call("list", "methods") == 0
    lines = capsys.readouterr().out.splitlines()[2:]
    assert [line.split()[0] for line in lines] == [*METHODS, *(f"{name}=DIR" for name in LEARNED)]
    by_name = {line.split()[0]: line for line in lines}
    assert by_name["mqi"].split()[1:4] == ["cut", "conductance", "-"]
    assert "annealco[exact]" in by_name["scip"]
    assert "annealco[peers]" in by_name["redu_mis"]
    assert "a checkpoint" in by_name["annealed=DIR"]
    assert by_name["run_csp=DIR"].split()[1:3] == ["mis", "clique"]
    assert by_name["l1=DIR"].split()[1] == by_name["l2=DIR"].split()[1] == "cut"
    assert "as trained" in by_name["erdos=DIR"]


def test_what_fails_when_it_is_listed_is_one_row(monkeypatch: pytest.MonkeyPatch, capsys: Output) -> None:
    """Code of a package of others keeps nothing else from being listed."""

    def fail(*given: Any, **options: Any) -> Any:
        raise ZeroDivisionError("on purpose")

    monkeypatch.setitem(PROBLEMS, "bad", replace(PROBLEMS["mis"], name="bad", declare=fail))
    monkeypatch.setitem(SEARCHES, "bad", replace(SEARCHES["tabu"], name="bad", takes=fail))
    monkeypatch.setitem(BOUNDS, "bad", replace(BOUNDS["gains"], name="bad", takes=fail))
    monkeypatch.setitem(METHODS, "bad", Method("bad", "fails", fail, refuses=fail))
    for what, registry in {"searches": SEARCHES, "bounds": BOUNDS, "methods": METHODS}.items():
        assert call("list", what) == 0
        lines = capsys.readouterr().out.splitlines()[2:]
        [row] = [line for line in lines if line.startswith("bad ")]
        assert "this process" in row
        assert "broken: " in row
        assert "ZeroDivisionError: on purpose" in row
        assert [line.split()[0] for line in lines][: len(registry)] == list(registry)
    assert call("list", "problems") == 0
