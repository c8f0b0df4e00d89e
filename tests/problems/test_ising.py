"""Ising models: signs and conventions are those of dimod, and values are sums over spins by hand."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest

import annealco
from annealco import Graph, InputError, quadratic
from annealco.problems.ising import ISING
from tests.budgets import BRIEF, FAR
from tests.cli.program import Output, call

FIELDS, COUPLINGS = {"a": 1.0, "c": -0.5}, {("a", "b"): 2.0, ("b", "c"): -3.0}


def energies(graph):
    """Return the scores of all spins, in the order of `product`."""
    every = product((-1, 1), repeat=graph.num_nodes)
    return [ISING.score(graph, [node for node, spin in enumerate(s) if spin == 1]) for s in every]


def test_energies_are_sums_over_spins():
    graph = quadratic(COUPLINGS, linear=FIELDS, offset=0.25, vartype="SPIN")
    expected = [0.25 + a - 0.5 * c + 2 * a * b - 3 * b * c for a, b, c in product((-1, 1), repeat=3)]
    assert energies(graph) == expected
    instance = ISING.declare(graph)
    assert instance.value(list(product((0, 1), repeat=3))).ravel().tolist() == expected
    found = annealco.solve((FIELDS, COUPLINGS), "ising", **BRIEF)
    assert (found.nodes, found.value, found.optimal) == (["b", "c"], -6.5, True)


def test_a_negative_coupling_favours_equal_spins():
    pair = Graph.from_edges([[0], [1]], edge_weight=[-1], node_weight=[7, 9])
    assert energies(pair) == [-1, 1, 1, -1]


def test_dimod_agrees_on_every_sample():
    dimod = pytest.importorskip("dimod")
    model = dimod.BinaryQuadraticModel.from_ising(FIELDS, COUPLINGS, 0.75)
    graph = quadratic(model, vartype="SPIN")
    order = graph.labels.tolist()
    spins = [dict(zip(order, s, strict=True)) for s in product((-1, 1), repeat=3)]
    expected = [model.energy(s) for s in spins]
    assert energies(graph) == pytest.approx(expected)
    assert energies(quadratic(model.change_vartype("BINARY", inplace=False), vartype="SPIN")) == pytest.approx(expected)
    for each in (model, model.change_vartype("BINARY", inplace=False)):
        assert [annealco.solve(each, name, **BRIEF).value for name in ("ising", "qubo")] == pytest.approx([-5.75] * 2)


def test_matrices_are_read_as_dimod_reads_them():
    dimod = pytest.importorskip("dimod")
    matrix = np.array([[3.0, 2.0], [0.0, -1.0]])
    for each in (matrix, (matrix + matrix.T) / 2):
        theirs = dimod.BinaryQuadraticModel(each, "SPIN")
        expected = [theirs.energy(dict(enumerate(s))) for s in product((-1, 1), repeat=2)]
        assert energies(quadratic(each, vartype="SPIN")) == expected


def test_files(tmp_path, capsys: Output):
    (tmp_path / "glass.rudy").write_text("3 2\n1 2 -1\n2 3 1.5\n")
    glass = quadratic(tmp_path / "glass.rudy", vartype="SPIN")
    assert (glass.labels.tolist(), glass.edge_weight.tolist()) == ([1, 2, 3], [-1, 1.5])
    (tmp_path / "model.coo").write_text("# vartype=SPIN\n0 0 1\n0 1 -2\n")
    assert call("solve", "ising", str(tmp_path / "model.coo"), "--time-limit", str(FAR), "--json") == 0
    assert '"nodes": [], "value": -3.0' in capsys.readouterr().out
    (tmp_path / "bits.qubo").write_text("p qubo 0 2 0 1\n0 1 -2\n")
    for problem, name, told in (
        ("qubo", "model.coo", "its coefficients are of SPIN variables, qubo has BINARY; solve it as ising"),
        ("ising", "bits.qubo", "its coefficients are of BINARY variables, ising has SPIN; solve it as qubo"),
    ):
        assert call("solve", problem, str(tmp_path / name)) == 2
        assert told in capsys.readouterr().err
    both = [str(tmp_path / name) for name in ("bits.qubo", "model.coo")]
    assert call("solve", "ising", *both) == 2
    assert "graph bits: its coefficients are of BINARY variables" in capsys.readouterr().err
    (tmp_path / "loop.rudy").write_text("# a field\n2 1\n1 1 1\n")
    assert call("solve", "ising", str(tmp_path / "loop.rudy")) == 2
    assert "loop.rudy:3: a coupling must be of two spins" in capsys.readouterr().err


def test_fields_that_are_no_variable_are_refused():
    with pytest.raises(InputError, match="linear must have shape"):
        annealco.solve(([1.0], np.zeros((2, 2))), "ising")
