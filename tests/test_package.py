"""Tests of the package itself: its names, and what importing it costs."""

from __future__ import annotations

import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

import annealco

ROOT = Path(__file__).parents[1]


@pytest.mark.parametrize("name", annealco.__all__)
def test_every_public_name_is_there(name: str) -> None:
    assert getattr(annealco, name) is not None
    assert name in dir(annealco)


def test_dir_shows_public_names_only() -> None:
    _ = annealco.solve  # What was used, and modules that were imported for it, are attributes of the package too.
    assert dir(annealco) == sorted([*annealco.__all__, "__version__"])


def test_an_unknown_name_is_refused() -> None:
    with pytest.raises(AttributeError, match="no attribute 'solv'"):
        _ = annealco.solv


@pytest.mark.parametrize(
    ("statement", "absent"),
    [
        ("import networkx", ["annealco.graph", "numpy", "torch", "scipy"]),
        ("import annealco", ["numpy", "torch", "scipy", "lightning", "lightning_fabric"]),
        ("import annealco.networkx_backend", ["torch", "torch_geometric", "scipy"]),
        ("import annealco.cli", ["torch", "torch_geometric", "scipy", "matplotlib", "lightning", "lightning_fabric"]),
        ("import annealco.cli", ["statistics", "http.client", "zipfile", "rich.table", "annealco.problems"]),
        ("import annealco.problems", ["http.client", "ssl", "tarfile", "annealco.datasets"]),
        ("from annealco import solve", ["torch", "torch_geometric", "matplotlib", "lightning", "lightning_fabric"]),
        (
            "from annealco import load, TrainedModel",
            ["torch_geometric", "matplotlib", "lightning", "lightning_fabric", "tensorboard"],
        ),
    ],
)
def test_an_import_brings_nothing_heavy(statement: str, absent: list[str]) -> None:
    code = f"import sys; {statement}; print([name for name in {absent} if name in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_package_citation_and_changelog_name_the_same_release() -> None:
    changelog = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    newest = re.findall(r"^## (\d+\.\d+\.\d+) - (\d{4}-\d{2}-\d{2})$", changelog, re.MULTILINE)[0]
    citation = (ROOT / "CITATION.cff").read_text(encoding="utf-8")
    cited = [re.findall(rf"^{key}: (.+)$", citation, re.MULTILINE) for key in ("version", "date-released")]
    assert cited == [[newest[0]], [newest[1]]]
    assert annealco.__version__ == newest[0]
    with (ROOT / "pyproject.toml").open("rb") as file:
        project = tomllib.load(file)["project"]
    # The build reads the version off the package; a second place could differ.
    assert "version" in project["dynamic"]
    assert f"url: {project['urls']['Paper']}" in citation
    assert f"repository-code: {project['urls']['Repository']}" in citation
    assert all(url.startswith("https://") for url in project["urls"].values())


def test_the_changelog_is_in_groups() -> None:
    changelog = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    versions = [section.splitlines() for section in re.split(r"^## ", changelog, flags=re.MULTILINE)[1:]]
    assert versions
    assert versions[0][0] == "Unreleased"
    for name, *lines in versions:
        assert re.fullmatch(r"Unreleased|\d+\.\d+\.\d+ - \d{4}-\d{2}-\d{2}", name)
        groups = [line.removeprefix("### ") for line in lines if line.startswith("#")]
        assert groups == [group for group in ("Added", "Changed", "Deprecated", "Removed", "Fixed") if group in groups]
