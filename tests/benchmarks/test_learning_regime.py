from __future__ import annotations

import json
from pathlib import Path

import learning_regime
import numpy as np
import pytest
from json_lines import read_lines
from learning_families import FAMILIES, STARTS, Family
from learning_regime import (
    COMPARISONS,
    DECODED,
    RESULTS,
    cells,
    details,
    gain_of,
    gains,
    key_of,
    keys,
    measure,
    outcome_of,
    run,
    starts,
    summary,
)
from learning_ways import STEEPEST, WAYS, Outcome, Task, decoded
from paired_sites import PAIRED_SITES
from scipy.stats import ttest_1samp

from annealco.evaluation.processor_share import Processor
from annealco.graph.generators import generate
from annealco.problems import find_problem

DOCS = Path(__file__).parents[2] / "docs"
NAME = "mis er-1e4"


def row(graph: int, way: str, value: float | None, *, name: str = NAME, limit: float = 1.0, seed: int = 0) -> dict:
    own = {"family": name, "network": FAMILIES[name].digest, "graph": graph, "nodes": 5, "limit": limit}
    return own | {"seed": seed, "way": way, "value": value, "cpu": 1.0}


def test_gains_are_relative_and_paired_and_seeds_are_joined_before_graphs() -> None:
    rows = [row(0, "search", 100.0, seed=seed) for seed in (0, 1)]
    rows += [row(0, "start", 102.0, seed=0), row(0, "start", 104.0, seed=1)]
    rows += [row(1, "search", 50.0), row(1, "start", 50.5), row(2, "search", 50.0), row(3, "start", 50.0)]
    assert gains(rows, NAME, 1.0, "start", "search").tolist() == pytest.approx([0.03, 0.01])
    least = [{**each, "family": "mds er-1e4", "network": FAMILIES["mds er-1e4"].digest} for each in rows]
    assert gains(least, "mds er-1e4", 1.0, "start", "search").tolist() == pytest.approx([-0.03, -0.01])


def test_runs_without_a_set_and_values_of_nothing_are_no_gains() -> None:
    rows = [row(0, "search", None), row(0, "start", 5.0), row(1, "search", 0.0), row(1, "start", 0.0)]
    assert gains(rows, NAME, 1.0, "start", "search").tolist() == [0.0]


def test_rows_of_networks_before_do_not_count() -> None:
    rows = [row(graph, way, 10.0) for graph in range(5) for way in WAYS]
    assert set(cells(rows, "start", "search")) == {(NAME, 1.0)}
    assert not cells([each for each in rows if each["graph"]], "start", "search")
    assert not cells([{**each, "network": "#0000"} for each in rows], "start", "search")


@pytest.mark.parametrize("seed", range(5))
def test_the_test_is_that_of_students_t(seed: int) -> None:
    each = np.random.default_rng(seed).normal(seed, 1.5, 5)
    assert gain_of(each).side == int(ttest_1samp(each, 0, alternative="greater").pvalue < 0.01)
    assert gain_of(-each).side == -gain_of(each).side


def test_what_is_ahead_is_counted_named_and_bold() -> None:
    rows = [row(graph, "search", 100.0) for graph in range(5)]
    rows += [row(graph, "start", 102.0 + 0.1 * graph) for graph in range(5)]
    rows += [row(graph, "network parts", 99.0 - 0.1 * graph) for graph in range(5)]
    assert "| a proposal as start | search alone | 1 | 1 | 0 | mis er-1e4 1 s (+2.20%) |" in summary(rows)
    assert "| parts chosen by the network | search alone | 1 | 0 | 1 | none |" in summary(rows)
    assert starts(rows).splitlines()[2:] == ["| mis er-1e4 | **+2.2 ± 0.07** |"]
    assert "| mis er-1e4 | −1.2 ± 0.07 (behind) |" in details(rows)


def test_decoding_alone_is_no_cell_with_search() -> None:
    sizes = {"search": 5.0, STEEPEST: 10.0, "start": 11.0}
    rows = [row(graph, way, sizes[way] + graph, limit=DECODED) for graph in range(5) for way in sizes]
    assert "| a proposal as start | search alone | 0 | 0 | 0 | none |" in summary(rows)
    # A network is compared with the better way to decode without one.
    gain = gain_of(np.array([1 / (10 + graph) for graph in range(5)]))
    assert starts(rows).splitlines() == ["| problem and graphs | decoding alone |", "|---|---|", f"| {NAME} | {gain} |"]


def once(task: Task, limit: float, seed: int, way: str) -> tuple[Outcome, float]:
    """Run a way as it comes, however long a busy machine takes."""
    return (decoded(task, seed, way) if limit == DECODED else WAYS[way](task, limit, seed)), 1.0


@pytest.mark.parametrize("name", ["conductance", "mds"])
def test_rows_are_of_all_ways_that_are_missing(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(learning_regime, "outcome_of", once)
    family = Family(find_problem(name), lambda number: generate("ba-small", count=1, seed=number), (0.02, 0.1, 5.0))
    later = {key for key in keys(family) if key[0] == 5.0}
    rows = list(measure("some", family, 0, [key for key in keys(family) if key not in later]))
    assert {key_of(each) for each in rows} == set(keys(family)) - later
    assert {each["network"] for each in rows} == {family.digest}
    assert all(each["value"] >= 0 for each in rows)
    assert json.loads(json.dumps(rows)) == rows
    assert list(measure("some", family, 0, [])) == []


@pytest.mark.parametrize(
    ("seconds", "cpu", "counts"),
    [
        (2.0, 1.0, True),
        (2.0, 0.7, False),
        (2.0, 1.6, False),
        # It came to its end, or had to wait for most of the time.
        (0.4, 0.2, True),
        (1.5, 0.1, False),
    ],
)
def test_runs_count_that_had_their_cpu_seconds_or_came_to_an_end(
    seconds: float, cpu: float, counts: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(learning_regime, "PROCESSOR", Processor(share=0.5))
    found = Outcome(3.0, seconds)
    monkeypatch.setattr(learning_regime, "run_for_cpu", lambda _, limit: (found, cpu, 2.0))
    task = Task(find_problem("mis"), generate("ba-small", count=1, seed=0), None)
    assert outcome_of(task, 1.0, 0, "search") == ((found, cpu) if counts else None)


def test_runs_on_a_busy_machine_are_left_for_later(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(learning_regime, "outcome_of", lambda *_: None)
    family = Family(find_problem("mis"), lambda number: generate("ba-small", count=1, seed=number), (0.1,), ways=STARTS)
    assert list(measure("some", family, 0, [(0.1, seed, way) for seed in (0, 1) for way in STARTS])) == []
    assert capsys.readouterr().err.count("left for a later run, the machine is too busy") == 4


def test_at_the_shortest_and_longest_limits_only_starts_are_compared() -> None:
    limits = (0.02, 0.1, 1.0, 5.0)
    ways = {limit: {way for each, _, way in keys(FAMILIES[NAME]) if each == limit} for limit in limits}
    assert ways == {0.02: set(STARTS), 0.1: set(WAYS), 1.0: set(WAYS), 5.0: set(STARTS)}


def test_families_without_a_network_are_skipped_with_a_note(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    family = Family(PAIRED_SITES, lambda number: generate("ba-small", count=1, seed=number))
    run("sites", family, tmp_path / "rows.jsonl", more=0)
    assert not list(tmp_path.iterdir())
    assert capsys.readouterr().err == "sites: skipped, no network comes with the package for paired_sites\n"


def test_the_documents_show_the_tables_of_the_committed_rows() -> None:
    rows = read_lines(RESULTS)
    measured = {(each["family"], each["network"]) for each in rows}
    if any(family.digest is not None and (name, family.digest) not in measured for name, family in FAMILIES.items()):
        pytest.skip("a network is new: run benchmarks/learning_regime.py")
    shown, notes = (DOCS / "models.md").read_text(), (DOCS / "design-notes" / "models.md").read_text()
    assert summary(rows) in shown
    assert starts(rows) in shown
    assert details(rows) in notes
    assert {way for each in COMPARISONS for way in (each.way, each.than)} == set(WAYS)
