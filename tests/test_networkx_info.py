from __future__ import annotations

import subprocess
import sys
from importlib.metadata import entry_points

import networkx as nx

from annealco.networkx_backend import BackendInterface
from annealco.networkx_info import FUNCTIONS, get_info
from annealco.solving.solver import TIME_LIMIT


def test_the_entry_points_are_installed() -> None:
    assert entry_points(group="networkx.backends")["annealco"].load() is BackendInterface
    assert entry_points(group="networkx.backend_info")["annealco"].load() is get_info


def test_the_functions_are_those_of_networkx_and_of_the_backend() -> None:
    for name in FUNCTIONS:
        assert callable(getattr(nx.approximation, name))
        assert callable(getattr(BackendInterface, name))
    others = {"convert_from_nx", "convert_to_nx", "can_run", "should_run"}
    assert set(vars(BackendInterface)) == set(FUNCTIONS) | others


def test_networkx_documents_the_backend() -> None:
    text = nx.approximation.max_clique.__doc__
    assert "annealco : Sets of nodes by energies, decoding and local search." in text
    assert f"time_limit : float, optional (default: {TIME_LIMIT})" in text


def test_importing_networkx_loads_nothing_heavy() -> None:
    program = "import networkx, sys; print(*sys.modules); print(*networkx.utils.backends.backend_info)"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    modules, backends = (set(line.split()) for line in done.stdout.splitlines())
    assert done.stderr == ""
    assert "annealco" in backends
    heavy = {"torch", "scipy", "matplotlib", "annealco.search", "annealco.bounds"}
    assert not modules & heavy
