from __future__ import annotations

import signal
import subprocess
import sys
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import networkx as nx
import numpy as np
import pytest

from annealco.datasets import DATASETS, load_dataset
from annealco.errors import InputError
from annealco.evaluation import references
from annealco.evaluation.references import best_rows, best_value, extend_references, load_references
from annealco.evaluation.references.cases import Case, Cases, count_cases, load_cases
from annealco.evaluation.references.store import Reference
from annealco.problems import PROBLEMS
from annealco.solving.solver import Solver
from tests.budgets import FAR
from tests.datasets.samples import needs_data
from tests.evaluation.packaged import packaged_names
from tests.waiting import PATIENCE

STORED = packaged_names()

SOME = {("imdb", "mis"), ("twitter", "cut"), ("ba-small", "mds"), ("rb-small", "vertex_cover"), ("er-small", "max_cut")}
"""What is looked at by default."""

LARGE, FEW = 10_000, 20
"""Of drawn graphs with more edges than this only a few are drawn."""


@pytest.fixture(autouse=True)
def _own_cache(monkeypatch: pytest.MonkeyPatch, tmp_path_factory: pytest.TempPathFactory) -> None:
    """Share the graphs between tests; references are kept elsewhere."""
    monkeypatch.setenv("ANNEALCO_CACHE", str(tmp_path_factory.getbasetemp() / "references-cache"))


BRIEF = {"time_limit": FAR, "exact": "none"}
"""With these, what `few_moves` leaves to do is over at once."""


@pytest.fixture
def few_moves(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let a few moves count instead of time, and prove nothing."""
    monkeypatch.setattr(best_value, "Solver", partial(Solver, moves=1000, bound=False))


@pytest.mark.usefixtures("few_moves")
def test_values_are_scored_and_kept(tmp_path: Path) -> None:
    given = {**BRIEF, "folder": tmp_path}
    made = list(extend_references("regular-small", "mds", limit=3, **given))
    assert [each.case for each in made] == [0, 1, 2]
    graphs = load_dataset("regular-small", "test", count=3)
    for each in made:
        assert PROBLEMS["mds"].score(graphs[each.case], each.nodes) == each.value
        assert nx.is_dominating_set(nx.Graph(graphs[each.case].edges.T.tolist()), each.nodes)
    assert load_references("regular-small", "mds", folder=tmp_path) == {each.case: each for each in made}
    assert list(extend_references("regular-small", "mds", limit=3, folder=tmp_path)) == []
    assert [each.case for each in extend_references("regular-small", "mds", limit=4, **given)] == [3]


def test_covers_are_what_independent_sets_leave(tmp_path: Path) -> None:
    known = load_references("ba-small", "mis")
    made = list(extend_references("ba-small", "vertex_cover", limit=3, folder=tmp_path))
    graphs = load_dataset("ba-small", "test", count=3)
    for each in made:
        graph, other = graphs[each.case], known[each.case]
        assert PROBLEMS["vertex_cover"].score(graph, each.nodes) == each.value == graph.num_nodes - other.value
        assert (each.proven, each.method) == (other.proven, other.method)
    assert [each.case for each in made] == [0, 1, 2]


@pytest.mark.parametrize("name", ["rb-small", "rb-large"])
def test_covers_of_forced_graphs_are_proven_by_what_is_planted(name: str) -> None:
    known = load_references(name, "vertex_cover")
    graphs = load_dataset(name, "test", count=3)
    left = [graph.num_nodes - size for graph, size in zip(graphs, graphs.graph_data["planted_size"], strict=True)]
    assert [known[number].value for number in range(3)] == left
    assert all(each.proven for each in known.values())


def test_what_the_package_has_is_not_computed_again(tmp_path: Path) -> None:
    assert list(extend_references("ba-small", "mds", folder=tmp_path)) == []


def test_forced_graphs_reach_what_is_planted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(best_value, "Solver", partial(Solver, moves=1_000_000))
    made = list(extend_references("rb-small", "mis", limit=3, time_limit=FAR, folder=tmp_path))
    planted = load_dataset("rb-small", "test", count=3).graph_data["planted_size"]
    assert [each.value for each in made] == planted.tolist()
    assert all(each.proven for each in made)


@pytest.mark.usefixtures("few_moves")
def test_only_what_is_not_proven_is_tried_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def first_is_proven(case: Case, **given: Any) -> Reference:
        return replace(best_value.best_known(case, **given), proven=case.number == 0)

    monkeypatch.setattr(references, "best_known", first_is_proven)
    first = list(extend_references("regular-small", "mds", limit=3, folder=tmp_path, **BRIEF))
    again = list(extend_references("regular-small", "mds", limit=3, again=True, folder=tmp_path, **BRIEF))
    assert [each.case for each in first] == [0, 1, 2]
    assert [each.case for each in again] == [1, 2]
    best = load_references("regular-small", "mds", folder=tmp_path)
    rows = [*first, *again]
    assert {number: each.value for number, each in best.items()} == {
        number: min(row.value for row in rows if row.case == number) for number in range(3)
    }


def test_nothing_is_an_error_with_a_remedy(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="there are no references of er-large for mds; 'annealco data reference'"):
        load_references("er-large", "mds", folder=tmp_path)
    with pytest.raises(InputError, match="er-small has no instances of cut"):
        list(extend_references("er-small", "cut"))


def test_of_equal_rows_the_proven_one_counts_and_of_these_the_one_with_nodes() -> None:
    plain = Reference(0, 5.0, False, "a", 1.0, (1,))
    proven = replace(plain, proven=True, nodes=None)
    both = replace(plain, proven=True)
    better = replace(plain, value=4.0)
    for rows, best in [
        ([plain, proven], proven),
        ([proven, plain], proven),
        ([proven, both], both),
        ([both, proven], both),
        ([both, better], better),
    ]:
        assert best_rows(PROBLEMS["mds"], rows) == {0: best}


@needs_data
def test_cut_references_are_of_instances_and_proven_by_an_exact_solver(tmp_path: Path) -> None:
    pytest.importorskip("ortools")
    made = list(extend_references("sf295-subset", "cut", limit=4, time_limit=FAR, folder=tmp_path, exact="cp_sat"))
    cases = load_cases(DATASETS["sf295-subset"], PROBLEMS["cut"])
    for each in made:
        assert each.proven
        assert cases[each.case].problem.score(cases[each.case].graph, each.nodes) == each.value
        assert each.volume == cases[each.case].graph.degree[list(each.nodes)].sum()
    assert load_references("sf295-subset", "cut", folder=tmp_path).items() >= {each.case: each for each in made}.items()


@needs_data
@pytest.mark.parametrize(
    ("name", "problem"),
    [each if each in SOME else pytest.param(*each, marks=pytest.mark.slow) for each in STORED],
)
def test_a_sample_of_the_stored_solutions_has_the_stored_values(name: str, problem: str) -> None:
    found = load_references(name, problem)
    assert problem in DATASETS[name].problems
    assert set(found) <= set(range(count_cases(DATASETS[name], PROBLEMS[problem])))
    kept = [number for number, each in found.items() if each.nodes is not None]
    assert len(kept) >= len(found) / 10
    if DATASETS[name].mean_edges > LARGE and DATASETS[name].kind == "synthetic":
        cases = Cases(PROBLEMS[problem], load_dataset(name, "test", count=FEW))
        kept = [number for number in kept if number < FEW]
    else:
        cases = load_cases(DATASETS[name], PROBLEMS[problem])
    for number in np.random.default_rng(0).permutation(kept)[:100].tolist():
        case, nodes = cases[number], found[number].nodes
        assert case.problem.score(case.graph, nodes) == found[number].value
        if case.has_volume:
            assert case.graph.degree[list(nodes)].sum() == found[number].volume


DYING = """
import signal, sys
from functools import partial
from annealco.cli import main
from annealco.evaluation.references import best_value
from tests.signalling import signal_after_lines

best_value.Solver = partial(best_value.Solver, moves=1000, bound=False)
signal_after_lines(4, signal.SIGKILL)
main(sys.argv[1:])
"""


@pytest.mark.processes
@pytest.mark.usefixtures("few_moves")
def test_a_killed_program_goes_on(tmp_path: Path) -> None:
    given = ["data", "reference", "regular-small", "mds", "--limit", "6", "--time-limit", str(FAR), "--exact", "none"]
    command = [sys.executable, "-c", DYING, *given, "--threads", "1", "--out", str(tmp_path)]
    assert subprocess.run(command, capture_output=True, timeout=PATIENCE, check=False).returncode == -signal.SIGKILL
    left = load_references("regular-small", "mds", folder=tmp_path)
    # The first line is the header.
    assert sorted(left) == [0, 1, 2]
    made = list(extend_references("regular-small", "mds", limit=6, num_threads=1, folder=tmp_path, **BRIEF))
    assert [each.case for each in made] == [3, 4, 5]
    whole = load_references("regular-small", "mds", folder=tmp_path)
    assert sorted(whole) == list(range(6))
    assert whole.items() >= left.items()
