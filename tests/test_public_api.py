"""What version 0.1 offered still works: its public names, and the programs and commands of its README."""

from __future__ import annotations

import re
import shlex
import shutil
from importlib import import_module
from pathlib import Path

import pytest

import annealco
from tests.cli.program import Output, call

ROOT = Path(__file__).parents[1]
README = (ROOT / "tests" / "fixtures" / "README-0.1.md").read_text(encoding="utf-8")

NAMES = {
    "annealco": "PROBLEMS Graph InputError Problem Solution TrainedModel as_graph check_problem generate load"
    " load_dataset read_graph solve train write_graph",
    "annealco.problems": "PROBLEMS Problem ProblemError check_problem",
    "annealco.energy": "AllPairs Constraint Cover Energy Instance Linear Pairs Range Term",
    "annealco.models": "MODELS Model Field TwoSided Erdos RunCsp build_model",
    "annealco.training": "TrainedModel load load_graphs",
    "annealco.bounds": "Bound bound_at_optimum prove_bound",
    "annealco.baselines": "METHODS Method Outcome find_method",
    "annealco.evaluation.report": "write_report",
    "annealco.evaluation.references": "load_references",
    "annealco.experiments.reproduce": "reproduce",
    "annealco.experiments.scale": "Scale",
}
"""What the page `docs/api.md` of version 0.1 named, where it has not moved."""


@pytest.mark.parametrize(
    ("module", "name"), [(module, name) for module, names in NAMES.items() for name in names.split()]
)
def test_every_public_name_is_there(module: str, name: str) -> None:
    assert getattr(import_module(module), name) is not None


def test_a_star_import_brings_the_names_of_0_1() -> None:
    names: dict[str, object] = {}
    exec("from annealco import *", names)
    assert set(NAMES["annealco"].split()) <= set(names)
    assert set(annealco.__all__) <= set(names)


def test_registries_are_mappings_as_they_were() -> None:
    assert list(annealco.PROBLEMS)[:3] == ["mis", "clique", "mds"]
    assert {name: problem.name for name, problem in annealco.PROBLEMS.items()} == {
        name: name for name in annealco.PROBLEMS
    }
    assert annealco.PROBLEMS.get("tsp") is None
    with pytest.raises(KeyError):
        annealco.PROBLEMS["tsp"]


def test_programs_of_the_readme_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Output) -> None:
    monkeypatch.chdir(tmp_path)
    blocks = re.findall(r"```python\n(.*?)```", README, re.DOTALL)
    assert len(blocks) == 3
    exec(compile("\n".join(blocks), "README-0.1.md", "exec"), {"__name__": "readme"})
    # The karate club has an independent set of 20 nodes, and no larger one.
    assert " 20.0\n20.0 0.0 True\n" in capsys.readouterr().out


SMALLER = {
    "train": "--graphs 4 --validation-graphs 2 --epochs 1 --validation-restarts 1",
    "bench": "--limit 1 --time-limit 0.02",
    "solve": "--restarts 1",
}
"""Options behind those of a command, where the last of equals counts."""


def test_commands_of_the_readme_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Output) -> None:
    """All but those that take long or need a checkout: the others are the shell of `make docs-test`."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("ANNEALCO_CACHE", str(tmp_path / "cache"))
    shutil.copytree(ROOT / "examples" / "graphs", "examples/graphs")
    lines = [line for block in re.findall(r"```sh\n(.*?)```", README, re.DOTALL) for line in block.splitlines()]
    commands = [shlex.split(line, comments=True)[1:] for line in lines if line.startswith("annealco ")]
    run = [words for words in commands if words[0] != "reproduce" and words[:2] != ["data", "verify"]]
    assert len(run) == len(commands) - 2 > 8
    for words in run:
        given = [str(path) for word in words for path in (sorted(Path().glob(word)) if "*" in word else [word])]
        assert call(*given, *SMALLER.get(words[0], "").split()) == 0, (words, capsys.readouterr().err)
