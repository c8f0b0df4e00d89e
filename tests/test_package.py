"""Tests of the package itself: its names, and what importing it costs."""

from __future__ import annotations

import subprocess
import sys

import pytest

import annealco


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
