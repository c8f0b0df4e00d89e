from __future__ import annotations

import json
from pathlib import Path

import pytest

from annealco.errors import GraphFileError, InputError
from annealco.evaluation.bench import comparison as module
from annealco.evaluation.bench.comparison import Bench, Comparison, rows_of
from annealco.evaluation.bench.entries import parse_entries
from annealco.evaluation.bench.rows import key_of
from annealco.evaluation.bench.table import summarise
from tests.budgets import FAR


@pytest.fixture(autouse=True)
def _own_cache(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ANNEALCO_CACHE", str(tmp_path_factory.getbasetemp() / "bench-cache"))


def small_bench(methods: str = "greedy,mean_field,search", **options) -> Bench:
    given = {"data": "rb-small", "problem": "mis", "limit": 4, "seconds": FAR, "moves": 300, **options}
    return Bench(entries=tuple(parse_entries(methods)), **given)


def without_times(rows: list[dict]) -> list[dict]:
    return sorted(
        ({key: value for key, value in row.items() if key not in {"wall", "cpu", "budget", "trace"}} for row in rows),
        key=lambda row: (row["case"], row["method"]),
    )


def test_one_row_a_graph_and_method_scored_against_the_planted_optimum(tmp_path: Path) -> None:
    bench = small_bench()
    rows = list(Comparison(bench, tmp_path).rows())
    assert [(row["case"], row["method"]) for row in rows] == [
        (case, method) for case in range(4) for method in ("greedy", "mean_field", "search")
    ]
    graphs = bench.cases.graphs
    for row in rows:
        assert row["reference"] == graphs.graph_data["planted_size"][row["case"]]
        assert row["reference_kind"] == "planted optimum"
        assert row["feasible"]
        assert row["ratio"] == row["value"] / row["reference"] <= 1
        assert row["wall"] > 0
        assert row["cpu"] > 0
        assert row["version"]
    assert rows_of(bench, tmp_path) == rows


@pytest.mark.parametrize("killed_after", [0, 1, 5])
@pytest.mark.processes
def test_a_killed_comparison_goes_on_to_the_same_rows(tmp_path: Path, killed_after: int) -> None:
    bench = small_bench()
    whole = list(Comparison(bench, tmp_path / "whole").rows())
    parts = Comparison(bench, tmp_path / "parts").rows()
    for _ in range(killed_after):
        next(parts)
    parts.close()
    path = tmp_path / "parts" / module.FILE
    path.parent.mkdir(exist_ok=True)
    with path.open("ab") as file:
        file.write(b'{"data": "rb-small", "prob')
    rest = Comparison(bench, tmp_path / "parts")
    assert len(rest.missing) == len(whole) - killed_after
    list(rest.rows())
    assert without_times(rows_of(bench, tmp_path / "parts")) == without_times(whole)
    assert Comparison(bench, tmp_path / "parts").missing == []


@pytest.mark.processes
def test_two_comparisons_at_once_do_not_share_a_folder(tmp_path: Path) -> None:
    bench = small_bench("greedy")
    first, second = Comparison(bench, tmp_path), Comparison(bench, tmp_path)
    rows = first.rows()
    next(rows)
    with pytest.raises(InputError, match="another run is writing to this folder"):
        next(second.rows())
    assert len(list(rows)) == 3
    assert list(second.rows()) == second.missing == []


def test_a_damaged_row_is_told_before_anything_runs(tmp_path: Path) -> None:
    path = tmp_path / module.FILE
    [row] = Comparison(small_bench("greedy", limit=1), tmp_path).rows()
    damaged = json.dumps(row | {"value": float("inf")}) + "\n"
    path.write_text(damaged, encoding="utf-8")
    with pytest.raises(GraphFileError, match=r"rows.jsonl:1: .*value must be a number or null"):
        Comparison(small_bench("greedy"), tmp_path)
    assert path.read_text(encoding="utf-8") == damaged


def test_other_settings_are_other_rows_of_the_same_file(tmp_path: Path) -> None:
    for options in ({}, {"seed": 1}, {"moves": 200}, {"limit": 2}):
        list(Comparison(small_bench("search", **options), tmp_path).rows())
    assert len(rows_of(small_bench("search", limit=2), tmp_path)) == 2
    assert len(rows_of(small_bench("search", seed=1), tmp_path)) == 4
    values = [
        {row["case"]: row["value"] for row in rows_of(small_bench("search", **options), tmp_path)}
        for options in ({}, {"limit": 2})
    ]
    assert values[1].items() <= values[0].items()


def test_what_refuses_is_told_before_anything_runs(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"mqi cannot solve mis here: .*; crd cannot solve mis here: "):
        Comparison(small_bench("greedy,mqi,crd"), tmp_path)
    assert not (tmp_path / module.FILE).exists()


def test_an_error_on_one_graph_is_a_row(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_, **__):
        raise InputError("too large")

    bench = small_bench("greedy", limit=1)
    run = Comparison(bench, tmp_path)
    monkeypatch.setattr("annealco.baselines.search_methods.run_greedy", fail)
    [row] = run.rows()
    assert (row["value"], row["feasible"], row["ratio"], row["note"]) == (None, False, 0.0, "too large")


def test_stored_references_are_used(tmp_path: Path) -> None:
    [row] = Comparison(small_bench("greedy", data="ba-small", problem="mds", limit=1), tmp_path).rows()
    assert row["reference_kind"] == "optimum"
    assert row["ratio"] == row["reference"] / row["value"]


def test_references_that_come_later_are_used_too(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    bench = small_bench("greedy", data="ba-small", problem="mds", limit=1)
    monkeypatch.setattr(module, "known_references", lambda *_: {})
    [before] = Comparison(bench, tmp_path).rows()
    assert (before["reference"], before["ratio"]) == (None, None)
    assert rows_of(bench, tmp_path) == [before]
    monkeypatch.undo()
    [after] = rows_of(bench, tmp_path)
    assert after["reference_kind"] == "optimum"
    assert after["ratio"] == after["reference"] / after["value"]


def test_cuts_have_conductances_and_say_where_the_box_is_missed(tmp_path: Path) -> None:
    bench = small_bench("greedy,mqi", data="twitter", problem="cut", limit=3)
    try:
        run = Comparison(bench, tmp_path)
    except InputError as error:
        pytest.skip(f"the set is not here: {error}")
    for row in run.rows():
        assert row["graph"] == 0
        assert 0 <= row["conductance"] <= 1
        assert row["feasible"] == (row["note"] == "")
        if row["feasible"]:
            assert row["value"] == pytest.approx(row["conductance"] * row["volume"])


def test_conductance_is_compared_on_the_instances_of_cuts(tmp_path: Path) -> None:
    bench = small_bench("greedy,search,pagerank_nibble", data="twitter", problem="conductance", limit=3)
    try:
        run = Comparison(bench, tmp_path)
    except InputError as error:
        pytest.skip(f"the set is not here: {error}")
    for row in run.rows():
        assert row["value"] is None or row["value"] == pytest.approx(row["conductance"])
        assert (row["bound"], row["proven"], row["reference"]) == (None, False, None)
    lines = summarise(bench, rows_of(bench, tmp_path))
    assert {line.method: line.paper and line.paper.mean for line in lines}["pagerank_nibble"] == 0.603
    assert min(lines, key=lambda line: line.conductance or 0.0).method == "search"


@pytest.mark.parametrize(
    ("options", "rule"),
    [
        ({"data": "nothing"}, "unknown data set"),
        ({"problem": "nothing"}, "unknown problem"),
        ({"limit": 0}, "limit must be at least 1"),
        ({"threads": 0}, "threads must be at least 1"),
        ({"seconds": 0.0}, "time limit"),
        ({"moves": -1}, "moves must not be negative"),
        ({"moves": 2**63}, "moves must not be negative and at most"),
        ({"seed": 2**31}, "the seed must be at most 2147483647, which every solver takes"),
    ],
)
def test_settings_are_checked(options: dict, rule: str) -> None:
    with pytest.raises(InputError, match=rule):
        small_bench(**options)


def test_keys_go_case_by_case() -> None:
    bench = small_bench("greedy,search")
    assert [(key.case, key.method) for _, key in bench.keys(2)] == [
        (0, "greedy"),
        (0, "search"),
        (1, "greedy"),
        (1, "search"),
    ]
    assert len(bench.keys(100)) == 8
    _, key = bench.keys(1)[0]
    assert key_of({**key._asdict(), "value": 1}) == key


def test_seed_nodes_of_more_graphs_instead_of_all_of_a_few(tmp_path: Path) -> None:
    bench = small_bench("greedy", limit=2, every=3)
    assert [key.case for _, key in bench.keys(100)] == [0, 3]
    assert [key.case for _, key in small_bench("greedy", limit=None, every=40).keys(100)] == [0, 40, 80]
    rows = list(Comparison(bench, tmp_path).rows())
    assert [row["case"] for row in rows] == [0, 3]
    # Rows of other cases share the file and are not of this comparison.
    wider = small_bench("greedy", limit=4)
    assert [key.case for _, key in Comparison(wider, tmp_path).missing] == [1, 2]
    list(Comparison(wider, tmp_path).rows())
    assert [row["case"] for row in rows_of(bench, tmp_path)] == [0, 3]
    assert [row["case"] for row in rows_of(wider, tmp_path)] == [0, 3, 1, 2]
    with pytest.raises(InputError, match="every must be at least 1, it is 0"):
        small_bench(every=0)
