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
from annealco.experiments.networks import ERDOS_COLD, PAPER, record_of
from annealco.experiments.run_folder import RunFolder
from annealco.experiments.scale import Amount, Sample
from annealco.experiments.tables import CLIQUE, CUT, EXACT, MDS, MIS, NETWORKS_OF, Table
from tests.experiments.tiny import TINY, TINY_TABLE, rows_in


def folder_of(path: Path, **changes: object) -> RunFolder:
    return RunFolder(path, name="tiny", scale=replace(TINY, **changes))


def steps(folder: RunFolder, *only: str, table: Table = TINY_TABLE) -> list[str]:
    return [step.what for step in table.plan(folder, only)]


METHOD_STEPS = [f"methods of mis without a network on regular-{size}" for size in ("small", "large")]
NETWORK_STEPS = [
    "field learns mis on regular-small",
    "field on regular-small",
    "field learns mis on regular-large",
    "field on regular-large",
]


def test_networks_come_before_the_comparisons_that_need_them(tmp_path: Path) -> None:
    assert steps(folder_of(tmp_path)) == METHOD_STEPS + NETWORK_STEPS


def test_parts_are_sets_and_those_who_solve_them(tmp_path: Path) -> None:
    folder = folder_of(tmp_path)
    assert steps(folder, "regular-large") == METHOD_STEPS[1:] + NETWORK_STEPS[2:]
    assert steps(folder, "field") == NETWORK_STEPS
    assert steps(folder, "greedy_fixed", "regular-small") == METHOD_STEPS[:1]
    assert steps(folder, "search", "field", "regular-small") == METHOD_STEPS[:1] + NETWORK_STEPS[:2]
    assert set(TINY_TABLE.parts) == {
        *("regular-small", "regular-large"),
        *("greedy_fixed", "mean_field", "search", "gurobi", "cp_sat"),
        "field",
        *(f"seed-{number}" for number in range(20)),
    }


def test_all_networks_of_a_seed_come_before_those_of_the_next(tmp_path: Path) -> None:
    table = {**TINY.table, "field": replace(TINY.table["field"], seeds=2)}
    folder = folder_of(tmp_path, table=table)
    learning, comparing = NETWORK_STEPS[::2], NETWORK_STEPS[1::2]
    assert steps(folder, "field") == NETWORK_STEPS * 2
    assert steps(folder, "field", "seed-1") == steps(folder, "field", "seed-0") == NETWORK_STEPS
    assert steps(folder, "field", "seed-2") == []
    assert steps(folder, "seed-0") == NETWORK_STEPS
    trained(folder, "field-regular-small")
    assert steps(folder, "field", "seed-0") == [comparing[0], learning[1], comparing[1]]
    assert steps(folder, "field", "seed-1") == NETWORK_STEPS


def test_a_part_runs_nothing_else_and_the_result_says_what_is_missing(tmp_path: Path) -> None:
    folder = folder_of(tmp_path)

    def run(*only: str) -> str:
        for step in TINY_TABLE.plan(folder, only):
            step.work()
        return (tmp_path / "result.md").read_text(encoding="utf-8")

    text = run("regular-small", "greedy_fixed")
    assert {row["method"] for row in rows_in(tmp_path)} == {"greedy_fixed"}
    assert "**Not finished.**" in text
    assert "* regular-small: mean_field, search, field-regular-small" in text
    assert "* regular-large: everything" in text
    assert "| greedy_fixed | 2 |" in text

    text = run("regular-small")
    assert "* regular-small" not in text
    assert "* regular-large: everything" in text
    assert not TINY_TABLE.is_finished(folder)
    text = run()
    assert "Not finished" not in text
    assert TINY_TABLE.is_finished(folder)


def test_a_network_that_was_run_elsewhere_is_not_missing(tmp_path: Path) -> None:
    table = replace(TINY_TABLE, learners=(PAPER, ERDOS_COLD))
    folder = folder_of(tmp_path, table={"erdos": Amount(2, 1)})
    usages = ("", " steepest", " x32 steepest")
    rows = [{"data": "regular-small", "method": f"annealed=erdos-regular-small#0a1b2c3d{usage}"} for usage in usages]
    rows += [{"data": "regular-small", "method": f"erdos=erdos-cold-regular-small#0a1b2c3d{usages[0]}"}]
    small, large = table.missing(folder, {module.FILE: rows})
    assert small == "regular-small: greedy_fixed, mean_field, search, erdos-cold-regular-small"
    assert large == "regular-large: everything"


def test_large_sets_have_networks_of_their_own_or_their_kin_s(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(module.NETWORKS_OF, "regular-large", "regular-small")
    folder = folder_of(tmp_path / "a")
    [network] = TINY_TABLE.networks(folder, "regular-large")
    assert (network.name, network.data) == ("field-regular-small", "regular-small")
    assert [step.what for step in TINY_TABLE.plan(folder)].count("field learns mis on regular-small") == 1
    [network] = TINY_TABLE.networks(folder_of(tmp_path / "b", own_networks=True), "regular-large")
    assert network.name == "field-regular-large"
    csp = {"run_csp": TINY.table["field"]}
    assert MIS.networks(folder_of(tmp_path / "c", table={**TINY.table, **csp}), "rb-large")[0].data == "rb-small"


def test_only_what_gets_better_with_time_is_run_with_every_limit(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = folder_of(tmp_path, seconds=(0.5, 2.0), moves=None)
    trained(folder, "field-regular-small")
    quick, slow, more = TINY_TABLE.benches(folder, "regular-small")
    assert [each.name for each in quick.entries] == ["greedy_fixed", "mean_field", "annealed"]
    assert [each.name for each in slow.entries] == [each.name for each in more.entries] == ["search", "annealed+search"]
    assert (quick.seconds, slow.seconds, more.seconds) == (0.5, 0.5, 2.0)
    assert {(each.limit, each.every) for each in (quick, slow, more)} == {(2, 1)}


def trained(folder: RunFolder, name: str) -> None:
    """Make a folder look like that of a network that is trained."""
    place = folder.network(name)
    place.mkdir(parents=True)
    (place / "state.json").write_text('{"finished": true}')


def test_methods_that_take_seconds_may_have_fewer_graphs(tmp_path: Path) -> None:
    samples = {"rb-small": Sample(slow=Sample(100, 2))}
    csp = {"run_csp": TINY.table["field"]}
    folder = folder_of(tmp_path, samples=samples, table={**TINY.table, **csp}, moves=None)
    for network in MIS.networks(folder, "rb-small"):
        trained(folder, network.name)
    quick, slow = MIS.benches(folder, "rb-small")
    assert (quick.limit, quick.every, slow.limit, slow.every) == (None, 1, 100, 2)
    assert [each.name for each in slow.entries] == ["search", "run_csp", "annealed+search"]
    assert [each.name for each in quick.entries] == [
        *("greedy_fixed", "greedy", "mean_field"),
        # The network of the paper is decoded in two orders.
        *("erdos",) * 6,
        *("annealed",) * 3,
        *("not_annealed", "not_annealed", "annealed"),
    ]
    # What is run is told by the column.
    [bench] = MIS.benches(folder, "rb-small", {"search"})
    assert [each.name for each in bench.entries] == ["search"]


def test_several_seeds_are_networks_of_their_own_with_a_mean(tmp_path: Path) -> None:
    table = {**TINY.table, "field": replace(TINY.table["field"], seeds=2)}
    one = replace(TINY_TABLE, sets=("regular-large",))
    folder = folder_of(tmp_path, table=table)
    for step in one.plan(folder, ("field",)):
        step.work()
    text = one.finish(folder)
    assert [each["seed"] for each in one.material(folder)["networks.jsonl"]] == [0, 1]
    assert "| field-regular-large | our recurrence, annealed training as by default | 3 | 2 |" in text
    assert "| field-regular-large-seed-1 | our recurrence, annealed training as by default | 3 | 2 |" in text
    assert {row["method"].partition("#")[0] for row in rows_in(tmp_path)} == {
        f"{way}=field-regular-large{seed}" for way in ("annealed", "annealed+search") for seed in ("", "-seed-1")
    }
    first, second = (record_of(folder, each)["recipe"]["seed"] for each in one.networks(folder, "regular-large"))
    assert (first, second) == (0, 1)
    assert "| mean over seeds | networks | ratio |" in text
    assert "| annealed=field | 2 | " in text


def test_exact_solvers_take_part_where_they_are_installed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = folder_of(tmp_path, exact=True)
    monkeypatch.setitem(METHODS._loaded, "gurobi", replace(METHODS["gurobi"], package="no_such_package"))
    monkeypatch.setitem(METHODS._loaded, "cp_sat", replace(METHODS["cp_sat"], package="json"))
    names = [each.name for bench in TINY_TABLE.benches(folder, "regular-small") for each in bench.entries]
    assert "cp_sat" in names
    assert "gurobi" not in names
    assert folder.notes == ["gurobi is left out: it needs pip install 'annealco[exact]'"]


def test_exact_solvers_take_no_part_on_huge_graphs(tmp_path: Path) -> None:
    folder = folder_of(tmp_path, exact=True)
    benches = replace(TINY_TABLE, sets=("facebook",)).benches(folder, "facebook")
    assert not {each.name for bench in benches for each in bench.entries} & set(module.EXACT)
    assert folder.notes == ["gurobi and cp_sat are left out on facebook: its graphs are too large for them"]


def test_cuts_have_their_own_limits_and_instances(tmp_path: Path) -> None:
    samples = {"twitter": Sample(4, 15)}
    folder = folder_of(tmp_path, cut_seconds=(10.0,), cut_samples=samples, samples={"twitter": Sample(9)})
    for bench in CUT.benches(folder, "twitter"):
        assert (bench.seconds, bench.limit, bench.every) == (10.0, 4, 15)


def test_the_result_has_the_paper_s_numbers_beside_its_own_methods_only(tmp_path: Path) -> None:
    table = replace(TINY_TABLE, sets=("rb-small",))
    folder = folder_of(tmp_path, samples={"rb-small": Sample(1)})
    assert table.finish(folder) == (
        f"# A tiny table: scale tiny\n\n{TINY.caution}\n\n**Not finished.** What is not there yet:\n\n"
        "* rb-small: everything"
    )
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
    # Everything is there: only the comparisons are looked through again.
    assert steps(folder, table=table) == ["methods of mis without a network on rb-small", "field on rb-small"]


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
def test_the_loss_of_others_the_energy_and_annealing_stand_side_by_side(table: Table) -> None:
    names = [learner.name for learner in table.learners]
    first = names.index("erdos-kl")
    assert names[first : first + 3] == ["erdos-kl", "erdos-cold", "erdos"]


@pytest.mark.parametrize("table", TABLES, ids=lambda each: each.problem)
def test_ours_are_there_alone_and_together(table: Table) -> None:
    ways = [way for learner in table.learners for way in learner.ways]
    assert {"search", "greedy", "mean_field"} <= set(table.methods)
    assert {"annealed", "annealed+search"} <= set(ways)


def test_kin_are_sets_of_the_same_family() -> None:
    for large, small in NETWORKS_OF.items():
        assert large.replace("large", "small") == small
        assert {large, small} <= set(DATASETS)
