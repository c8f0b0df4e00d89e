from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from annealco.baselines import METHODS
from annealco.baselines.learned import LEARNED
from annealco.baselines.method import problems_of
from annealco.datasets import DATASETS
from annealco.evaluation.bench.table import ALIASES, paper_cells
from annealco.experiments import tables as module
from annealco.experiments.run_folder import RunFolder
from annealco.experiments.scale import Sample
from annealco.experiments.tables import CLIQUE, CUT, EXACT, MDS, MIS, NETWORKS_OF, Table
from tests.experiments.tiny import TINY, TINY_TABLE


def folder_of(path: Path, **changes: object) -> RunFolder:
    return RunFolder(path, name="tiny", scale=replace(TINY, **changes))


def test_networks_come_before_the_sets_that_need_them(tmp_path: Path) -> None:
    shared = [step.what for step in TINY_TABLE.plan(folder_of(tmp_path / "a"))]
    assert shared == [
        "field learns mis on regular-small",
        "all methods of mis on regular-small",
        "field learns mis on regular-large",
        "all methods of mis on regular-large",
    ]


def test_large_sets_have_networks_of_their_own_or_their_kin_s(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(module.NETWORKS_OF, "regular-large", "regular-small")
    folder = folder_of(tmp_path / "a")
    [network] = TINY_TABLE.networks(folder, "regular-large")
    assert (network.name, network.data) == ("field-regular-small", "regular-small")
    assert [step.what for step in TINY_TABLE.plan(folder)].count("field learns mis on regular-small") == 1
    [network] = TINY_TABLE.networks(folder_of(tmp_path / "b", own_networks=True), "regular-large")
    assert network.name == "field-regular-large"
    assert (
        MIS.networks(
            RunFolder(
                tmp_path / "c", name="mis", scale=replace(TINY, table={**TINY.table, "run_csp": TINY.table["field"]})
            ),
            "rb-large",
        )[0].data
        == "rb-small"
    )


def test_only_what_gets_better_with_time_is_run_with_every_limit(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = folder_of(tmp_path, seconds=(0.5, 2.0), moves=None)
    first, second = TINY_TABLE.benches(folder, "regular-small")
    assert [each.name for each in first.entries] == [
        "greedy_fixed",
        "mean_field",
        "search",
        "annealed",
        "annealed+search",
    ]
    assert [each.name for each in second.entries] == ["search", "annealed+search"]
    assert (first.seconds, second.seconds) == (0.5, 2.0)
    assert (first.limit, first.every) == (2, 1)


def test_exact_solvers_take_part_where_they_are_installed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = folder_of(tmp_path, exact=True)
    monkeypatch.setitem(METHODS._loaded, "gurobi", replace(METHODS["gurobi"], package="no_such_package"))
    monkeypatch.setitem(METHODS._loaded, "cp_sat", replace(METHODS["cp_sat"], package="json"))
    [bench] = TINY_TABLE.benches(folder, "regular-small")
    names = [each.name for each in bench.entries]
    assert "cp_sat" in names
    assert "gurobi" not in names
    assert folder.notes == ["gurobi is left out: it needs pip install 'annealco[exact]'"]


def test_exact_solvers_take_no_part_on_huge_graphs(tmp_path: Path) -> None:
    folder = folder_of(tmp_path, exact=True)
    [bench] = replace(TINY_TABLE, sets=("facebook",)).benches(folder, "facebook")
    assert not {each.name for each in bench.entries} & set(module.EXACT)
    assert folder.notes == ["gurobi and cp_sat are left out on facebook: its graphs are too large for them"]


def test_cuts_have_their_own_limits_and_instances(tmp_path: Path) -> None:
    samples = {"twitter": Sample(4, 15)}
    folder = folder_of(tmp_path, cut_seconds=(10.0,), cut_samples=samples, samples={"twitter": Sample(9)})
    [bench] = CUT.benches(folder, "twitter")
    assert (bench.seconds, bench.limit, bench.every) == (10.0, 4, 15)


def test_the_result_has_the_paper_s_numbers_beside_its_own_methods_only(tmp_path: Path) -> None:
    table = replace(TINY_TABLE, sets=("rb-small",))
    folder = folder_of(tmp_path, samples={"rb-small": Sample(1)})
    assert table.finish(folder) == "# A tiny table: scale tiny"
    for step in table.plan(folder):
        step.work()
    text = (tmp_path / "result.md").read_text(encoding="utf-8")
    assert text == table.finish(folder) + "\n"
    assert "## rb-small, 200 moves" in text
    lines = {line.split("|")[1].strip(): line for line in text.splitlines() if line.startswith("| ")}
    assert lines["greedy_fixed"].endswith("| 0.761 ± 0.058 in 0.002 s |")
    [ours] = [line for name, line in lines.items() if name.startswith("annealed=field-rb-small#")]
    assert ours.endswith("| - |")
    assert "* references by graph: planted optimum (1)" in text
    assert lines["field-rb-small"].split("|")[3:5] == [" 3 ", " 2 "]
    # Everything is there: only the comparison is looked through again.
    assert [step.what for step in table.plan(folder)] == ["all methods of mis on rb-small"]


TABLES = (MIS, CLIQUE, MDS, CUT)


@pytest.mark.parametrize("table", TABLES, ids=lambda each: each.problem)
def test_every_method_and_set_of_the_paper_is_there(table: Table) -> None:
    ways = {way for learner in table.learners for way in learner.ways}
    methods = {*table.methods, *EXACT, *ways}
    sets = {ALIASES.get(data, data) for data in table.sets}
    cells = [cell for cell in paper_cells() if cell.problem == table.problem]
    assert {cell.method.partition("@")[0] for cell in cells} <= methods
    assert {cell.data for cell in cells} == sets


@pytest.mark.parametrize("table", TABLES, ids=lambda each: each.problem)
def test_methods_take_the_problem_and_sets_serve_it(table: Table) -> None:
    assert all(table.problem in problems_of(METHODS[name]) for name in (*table.methods, *EXACT))
    for learner in table.learners:
        for way in learner.ways:
            assert not LEARNED[way].problems or table.problem in LEARNED[way].problems
    assert all(table.problem in DATASETS[data].problems for data in table.sets)
    assert len({learner.name for learner in table.learners}) == len(table.learners)


@pytest.mark.parametrize("table", TABLES, ids=lambda each: each.problem)
def test_ours_are_there_alone_and_together(table: Table) -> None:
    ways = [way for learner in table.learners for way in learner.ways]
    assert {"search", "greedy", "mean_field"} <= set(table.methods)
    assert {"annealed", "annealed+search"} <= set(ways)


def test_kin_are_sets_of_the_same_family() -> None:
    for large, small in NETWORKS_OF.items():
        assert large.replace("large", "small") == small
        assert {large, small} <= set(DATASETS)
