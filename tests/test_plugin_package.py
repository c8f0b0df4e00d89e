"""A package outside the source tree adds a problem, a network, a search, a bound and a method by entry points.

It is installed into a folder of its own, which other processes then find as they find any installed package.
"""

from __future__ import annotations

import importlib
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.cli.program import ENVIRONMENT
from tests.waiting import PATIENCE

SOURCE = Path(__file__).parent / "plugin_package"
PACKAGE = "annealco-two-hop"
NAMES = {
    "problems": "hop_domination",
    "methods": "random_order",
    "models": "neighbour_mean",
    "searches": "random_restarts",
    "bounds": "uniform_prices",
}


def is_seam(place: str) -> bool:
    """Tell whether a registry is there that reads entry points."""
    module, _, name = place.partition(":")
    return hasattr(getattr(importlib.import_module(module), name, None), "origin")


HAS_MODELS, HAS_SEARCHES, HAS_BOUNDS = (
    is_seam(place) for place in ("annealco.models:MODELS", "annealco.search:SEARCHES", "annealco.bounds:BOUNDS")
)
LISTED = {"models": HAS_MODELS, "searches": HAS_SEARCHES, "bounds": HAS_BOUNDS}


@pytest.fixture(scope="session")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Build the package and install it into a folder, without a network."""
    folder = tmp_path_factory.mktemp("plugin")
    # Building writes beside the source.
    shutil.copytree(SOURCE, folder / "source")
    offline = ["--no-index", "--no-deps", "--no-build-isolation", "--disable-pip-version-check", "--quiet"]
    command = [sys.executable, "-m", "pip", "install", *offline, "--target", folder / "site", folder / "source"]
    done = subprocess.run(list(map(str, command)), capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return folder / "site"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    # A path 1-2-...-7: within two hops two nodes reach all, within three the middle one does.
    edges = "".join(f"e {node} {node + 1}\n" for node in range(1, 7))
    (tmp_path / "path.col").write_text(f"p edge 7 6\n{edges}")
    return tmp_path


def python(installed: Path, folder: Path, *arguments: str) -> str:
    """Run a program that finds the package, and return what it prints."""
    paths = [str(installed), *filter(None, [os.environ.get("PYTHONPATH")])]
    environment = ENVIRONMENT | {"PYTHONPATH": os.pathsep.join(paths), "COLUMNS": "200"}
    done = subprocess.run(
        [sys.executable, *arguments],
        capture_output=True,
        text=True,
        timeout=PATIENCE,
        check=False,
        env=environment,
        cwd=folder,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def annealco(installed: Path, folder: Path, *arguments: str) -> str:
    return python(installed, folder, "-m", "annealco", *arguments)


@pytest.mark.parametrize("seam", NAMES)
def test_it_is_listed_with_its_package(seam: str, installed: Path, folder: Path) -> None:
    if not LISTED.get(seam, True):
        pytest.skip(f"{seam} are no registry yet")
    lines = annealco(installed, folder, "list", seam).splitlines()
    assert lines[0].split()[1] == "package"
    [own] = [line.split() for line in lines if line.startswith(NAMES[seam])]
    assert own[1] == PACKAGE
    assert {line.split()[1] for line in lines[2:]} == {"annealco", PACKAGE}


CHECKS = """
import annealco
from annealco.baselines import METHODS
problem = annealco.PROBLEMS["hop_domination"]
annealco.check_problem("hop_domination")
annealco.check_problem("two_hop.problem:PROBLEM")
annealco.check_problem(problem.with_options(radius=3))
annealco.check_method("random_order")
annealco.check_method(METHODS["random_order"], [problem])
annealco.check_search("random_restarts", problems="hop_domination")
annealco.check_bound("uniform_prices", problems=[problem, "mds"])
"""


def test_problem_and_method_pass_their_checks(installed: Path, folder: Path) -> None:
    python(installed, folder, "-c", CHECKS)


def test_the_problem_is_solved_with_its_option(installed: Path, folder: Path) -> None:
    for options, value in (([], 2), (["--radius", "3"], 1), (["--radius", "1"], 3)):
        found = json.loads(
            annealco(installed, folder, "solve", "hop_domination", "path.col", *options, "--json", "--time-limit", "60")
        )
        assert (found["problem"], found["value"], found["optimal"]) == ("hop_domination", value, True)
    assert "Hops that a node of the set reaches." in annealco(installed, folder, "solve", "hop_domination", "--help")


def test_methods_are_compared_on_files_and_told_by_the_report(installed: Path, folder: Path) -> None:
    given = ["bench", "hop_domination", "--data", "path.col", "--radius", "3", "--methods", "random_order,greedy"]
    lines = annealco(installed, folder, *given, "--json", "--out", "rows").splitlines()
    assert [json.loads(line)["method"] for line in lines] == ["random_order", "greedy"]
    assert json.loads(lines[1])["ratio"] == 1.0
    annealco(installed, folder, "report", "rows")
    [row, _] = [json.loads(line) for line in (folder / "rows" / "rows.jsonl").read_text().splitlines()]
    assert (row["problem"], row["options"], row["sense"]) == ("hop_domination", '{"radius": 3}', "min")


def test_a_network_of_the_package_learns_the_problem(installed: Path, folder: Path) -> None:
    """The trained folder names the problem, and is for it alone."""
    given = ["--graphs", "4", "--validation-graphs", "2", "--epochs", "1", "--validation-restarts", "1"]
    train = ["train", "hop_domination", "--data", "regular-small", "--setting", "width=4", *given]
    annealco(installed, folder, *train, "--setting", "num_steps=2", "--out", "field")
    solve = ["solve", "hop_domination", "path.col", "--model", "field", "--json", "--time-limit", "60"]
    assert json.loads(annealco(installed, folder, *solve))["value"] == 2
    if not HAS_MODELS:
        return
    python(installed, folder, "-c", "import annealco; annealco.check_model('neighbour_mean')")
    annealco(installed, folder, *train, "--model", "neighbour_mean", "--out", "own")
    solve[4] = "own"
    assert json.loads(annealco(installed, folder, *solve))["value"] == 2
    bench = ["bench", "hop_domination", "--data", "path.col", "--methods", "annealed=own", "--json"]
    assert json.loads(annealco(installed, folder, *bench))["feasible"] == 1.0


@pytest.mark.skipif(not (HAS_SEARCHES and HAS_BOUNDS), reason="searches and bounds are no registries yet")
def test_searches_and_bounds_are_chosen_by_name(installed: Path, folder: Path) -> None:
    checks = "annealco.check_search('random_restarts'); annealco.check_bound('uniform_prices')"
    python(installed, folder, "-c", f"import annealco; {checks}")
    chosen = ["--search", "random_restarts", "--bounds", "uniform_prices", "--moves", "50", "--time-limit", "60"]
    found = json.loads(annealco(installed, folder, "solve", "hop_domination", "path.col", *chosen, "--json"))
    assert found["value"] == 2
    assert 0 < found["bound"] <= 2
    assert "random restarts" in found["method"]


def test_what_cannot_be_loaded_is_one_line_of_the_list(installed: Path, folder: Path) -> None:
    """A broken package of others does not keep anything else from being listed and used."""
    broken = folder / "broken"
    shutil.copytree(installed, broken)
    (broken / "two_hop" / "problem.py").write_text("import no_such_package\n")
    lines = annealco(broken, folder, "list", "problems").splitlines()
    assert [line.split()[0] for line in lines[2:]] == [
        "mis",
        "clique",
        "mds",
        "cut",
        "conductance",
        "vertex_cover",
        "max_cut",
        "qubo",
        "ising",
        "set_cover",
        "hitting_set",
        "hop_domination",
    ]
    assert "broken: 'hop_domination' of the package annealco-two-hop: problem" in lines[-1]
    assert "'two_hop.problem:PROBLEM' cannot be imported: No module named" in lines[-1]
    assert "random_order" in annealco(broken, folder, "list", "methods")
    assert (
        json.loads(annealco(broken, folder, "solve", "mis", "path.col", "--json", "--time-limit", "60"))["value"] == 4
    )
