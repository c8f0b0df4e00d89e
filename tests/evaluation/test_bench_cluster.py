from __future__ import annotations

import os
import signal
import sys
from pathlib import Path

import pytest

from annealco.errors import InputError
from annealco.evaluation.bench import comparison
from annealco.evaluation.bench.comparison import Bench, Cluster, Comparison, rows_of
from annealco.evaluation.bench.entries import parse_entries
from annealco.evaluation.bench.isolation import run_safely
from annealco.solving.many import check_address
from tests.budgets import FAR


def small_bench() -> Bench:
    return Bench("rb-small", "mis", tuple(parse_entries("greedy,search")), limit=6, seconds=FAR, moves=200)


def plain(rows: list[dict]) -> list[dict]:
    found = [
        {key: value for key, value in row.items() if key not in {"wall", "cpu", "budget", "trace"}} for row in rows
    ]
    return sorted(found, key=lambda row: (row["case"], row["method"]))


def test_a_missing_package_names_the_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "ray", None)
    with pytest.raises(InputError, match=r"a cluster needs ray: pip install 'annealco\[cluster\]'"):
        Cluster("local")


@pytest.mark.slow
@pytest.mark.processes
def test_a_cluster_gives_the_same_rows_even_where_workers_are_lost(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("ray")
    monkeypatch.setenv("ANNEALCO_CACHE", str(tmp_path / "cache"))
    here = list(Comparison(small_bench(), tmp_path / "here").rows())
    killed = tmp_path / "killed"
    killed.mkdir()

    def run_or_die(task):
        mark = killed / f"{task.key.case}-{task.key.method}"
        if task.key.case % 2 == 0 and not mark.exists():
            mark.touch()
            os.kill(os.getpid(), signal.SIGKILL)
        return run_safely(task)

    monkeypatch.setattr(comparison, "run_safely", run_or_die)
    there = list(Comparison(small_bench(), tmp_path / "there").rows(Cluster("local")))
    assert len(list(killed.iterdir())) == 6
    assert plain(there) == plain(here)
    assert plain(rows_of(small_bench(), tmp_path / "there")) == plain(here)
    assert len((tmp_path / "there" / "rows.jsonl").read_text(encoding="utf-8").splitlines()) == len(here)


@pytest.mark.slow
@pytest.mark.processes
def test_a_solver_that_crashes_costs_one_row_on_a_cluster_too(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("ray")
    (tmp_path / "pyscipopt.py").write_text("import os\nos._exit(11)\n", encoding="utf-8")
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join([str(tmp_path), os.environ.get("PYTHONPATH", "")]))
    monkeypatch.setenv("ANNEALCO_CACHE", str(tmp_path / "cache"))
    monkeypatch.syspath_prepend(str(tmp_path))
    bench = Bench("rb-small", "mis", tuple(parse_entries("scip,greedy")), limit=2, seconds=FAR)
    rows = plain(list(Comparison(bench, tmp_path / "out").rows(Cluster("local"))))
    assert [row["feasible"] for row in rows] == [True, False, True, False]
    assert {row["note"] for row in rows if row["method"] == "scip"} == {"the solver crashed: exit status 11"}


def test_an_address_without_a_cluster_is_told_at_once() -> None:
    for address in ("127.0.0.1:1", "ray://127.0.0.1:1", "127.0.0.1:99999"):
        with pytest.raises(InputError, match=f"no Ray cluster at '{address}'"):
            check_address(address)
    check_address("auto")
