"""Quadratic functions of bits: every container and file gives the same function, whose values are computed by hand."""

from __future__ import annotations

import gzip
from itertools import product

import numpy as np
import pytest
import scipy.sparse
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import annealco
from annealco import Graph, InputError, quadratic
from annealco.baselines import METHODS
from annealco.energy.structure import structure_of
from annealco.graph.formats import read_graph, write_graph
from annealco.problems import PROBLEMS, check_problem, qubo
from annealco.problems.qubo import QUBO, formats_of
from annealco.search.searches import default_search
from tests.budgets import BRIEF, FAR
from tests.cli.program import Output, call

UPPER = np.array([[-3.0, 2.0, 0.0], [0.0, -2.0, 4.0], [0.0, 0.0, -5.0]])


def values(matrix, offset=0.0):
    """Return x'Qx of all bits x, by the plain sum."""
    size = len(matrix)
    return [
        offset + sum(matrix[i][j] * x[i] * x[j] for i in range(size) for j in range(size))
        for x in product((0, 1), repeat=size)
    ]


def scores(graph):
    """Return the scores of all bits, in the same order."""
    every = product((0, 1), repeat=graph.num_nodes)
    return [QUBO.score(graph, [node for node, bit in enumerate(x) if bit]) for x in every]


FORMS = {
    "upper triangle": UPPER,
    "lower triangle": UPPER.T,
    "symmetric": (UPPER + UPPER.T) / 2,
    "symmetric up to rounding": (UPPER + UPPER.T) / 2 + 1e-14 * np.arange(9).reshape(3, 3),
    "rows": UPPER.tolist(),
    "csr": scipy.sparse.csr_array(UPPER),
    "symmetric coo matrix": scipy.sparse.coo_matrix((UPPER + UPPER.T) / 2),
    "dictionary": {(0, 0): -3, (1, 1): -2, (2, 2): -5, (0, 1): 2, (2, 1): 4.0},
    "dictionary of both orders": {(0, 0): -3, (1, 1): -2, (2, 2): -5, (0, 1): 1, (1, 0): 1, (1, 2): 2, (2, 1): 2},
    "linear apart": ([-3, -2, -5], {(0, 1): 2, (1, 2): 4}),
    "linear by label": ({0: -3, 1: -2, 2: -5}, np.triu(UPPER, 1)),
}


@pytest.mark.parametrize("name", FORMS)
def test_every_container_is_the_same_function(name):
    found = annealco.solve(FORMS[name], "qubo", **BRIEF)
    assert (found.nodes, found.value, found.optimal) == ([0, 2], pytest.approx(-8), True)
    graph = QUBO.read(FORMS[name])
    assert scores(graph) == pytest.approx(values(UPPER))


def test_stored_twice_is_added_up_as_scipy_does():
    matrix = scipy.sparse.coo_array(([1.0, 2.0], ([0, 0], [1, 1])), shape=(2, 2))
    assert quadratic(matrix).edge_weight.tolist() == [3]


def test_lists_are_many_and_a_list_of_rows_is_one():
    assert [each.value for each in annealco.solve([UPPER, UPPER.T], "qubo", **BRIEF)] == [-8, -8]
    assert [each.value for each in annealco.solve([UPPER], "qubo", **BRIEF)] == [-8]
    assert annealco.solve([[-1]], "qubo", **BRIEF).value == -1
    both = annealco.solve([quadratic(UPPER), {("a", "a"): 1.0, ("a", "b"): -4}], "qubo", **BRIEF)
    assert [(each.nodes, each.value) for each in both] == [([0, 2], -8), (["a", "b"], -3)]


def test_models_of_dimod_keep_labels_offset_and_energies():
    dimod = pytest.importorskip("dimod")
    model = dimod.BinaryQuadraticModel({"a": 1.0, "b": -1.0}, {("a", "b"): 2.0, ("b", "c"): -3.0}, 0.5, "BINARY")
    for each in (model, model.change_vartype("SPIN", inplace=False)):
        graph = quadratic(each)
        assert graph.labels.tolist() == ["a", "b", "c"]
        bits = [dict(zip("abc", x, strict=True)) for x in product((0, 1), repeat=3)]
        assert scores(graph) == pytest.approx([model.energy(x) for x in bits])
        assert annealco.solve(each, "qubo", **BRIEF).value == dimod.ExactSolver().sample(model).first.energy
    assert [each.value for each in annealco.solve([model, model], "qubo", **BRIEF)] == [-3.5, -3.5]
    wider = dimod.QuadraticModel()
    with pytest.raises(InputError, match="cannot read a graph from dimod"):
        annealco.solve(wider, "qubo")


def test_dimod_is_not_imported_to_tell_its_models(monkeypatch):
    monkeypatch.delitem(__import__("sys").modules, "dimod", raising=False)
    assert annealco.solve(UPPER, "qubo", **BRIEF).value == -8
    assert "dimod" not in __import__("sys").modules


@given(
    st.integers(0, 5).flatmap(
        lambda n: st.lists(st.lists(st.integers(-4, 4), min_size=n, max_size=n), min_size=n, max_size=n).map(
            lambda rows: np.array(rows, dtype=float).reshape(n, n)
        )
    )
)
def test_a_matrix_its_transpose_and_its_even_half_are_one_function(matrix):
    upper = np.triu(matrix) + np.tril(matrix, -1).T
    expected = values(matrix)
    for each in (upper, upper.T, (matrix + matrix.T) / 2, scipy.sparse.csr_array((matrix + matrix.T) / 2)):
        assert scores(quadratic(each)) == pytest.approx(expected)


def test_a_plain_graph_has_no_linear_coefficients_and_weights_of_nodes_do_not_count():
    graph = Graph.from_edges([[0, 1], [1, 2]], edge_weight=[-2, 3], node_weight=[5, 7, 9])
    assert scores(graph) == [0, 0, 0, 3, 0, 0, -2, 1]
    assert annealco.solve(graph, "qubo", **BRIEF).nodes == [0, 1]


def test_coefficients_survive_batches_files_and_pieces(tmp_path):
    one, plain = quadratic(UPPER, offset=2.5), Graph.from_edges([[0], [1]], edge_weight=[-1])
    mixed = Graph.batch([plain, one])
    assert [QUBO.score(each, [0, 1]) for each in mixed] == [-1, -0.5]
    assert QUBO.declare(mixed).value([1, 1, 0, 0, 1]).tolist() == [-1, -2.5]
    assert mixed[1].bare().equals(one)
    assert not one.equals(quadratic(UPPER))
    write_graph(mixed, tmp_path / "both.npz")
    assert read_graph(tmp_path / "both.npz").equals(mixed)
    found = annealco.solve(tmp_path / "both.npz", "qubo", **BRIEF)
    assert [each.value for each in found] == [-1, -5.5]
    for name in ("one.edges", "one.col", "one.graphml"):
        with pytest.raises(InputError, match="cannot hold coefficients of a problem; choose one of npz"):
            write_graph(one, tmp_path / name)


def test_other_problems_ignore_coefficients():
    assert annealco.solve(quadratic([[-1, 5], [0, -1]]), "max_cut", **BRIEF).value == 5


def test_empty_and_single():
    assert annealco.solve(np.zeros((0, 0)), "qubo", **BRIEF).value == 0
    assert annealco.solve({}, "qubo", **BRIEF).nodes == []
    assert annealco.solve(quadratic([[2.0]], offset=-1.5), "qubo", **BRIEF).value == -1.5


BAD = {
    "nan": (np.array([[0, np.nan], [0, 0]]), r"coefficients must be finite, that of \(0, 1\) is nan"),
    "sparse inf": (scipy.sparse.csr_array([[0, np.inf], [0, 0]]), r"must be finite, that of \(0, 1\) is inf"),
    "not square": (np.zeros((2, 3)), r"must be square, this one has shape \[2, 3\]"),
    "flat": (np.zeros(3), r"must be square, this one has shape \[3\]"),
    "ragged": ([[1, 2], [3]], "its rows must be of one length"),
    "complex": ([[1j]], "must be real numbers, these are complex128"),
    "text": (np.array([["1"]]), "must be real numbers, these are <U1"),
    "neither": ([[1, 2], [3, 4]], r"neither triangular nor symmetric: \(0, 1\) and \(1, 0\) have two coefficients"),
    "neither, sparse": (scipy.sparse.csr_array([[1, 2], [3, 4]]), r"\(0, 1\) and \(1, 0\) have two coefficients"),
    "two keys": ({("a", "b"): 1, ("b", "a"): 2}, r"\('a', 'b'\) and \('b', 'a'\) have two coefficients"),
    "single keys": ({0: 1.0, 1: 2.0}, r"has keys \(i, j\), 0 is none; give linear ones as linear="),
    "three in a key": ({(0, 1, 2): 1.0}, r"has keys \(i, j\)"),
    "no number": ({(0, 1): "x"}, r"finite numbers, that of \(0, 1\) is 'x'"),
    "nan in a dictionary": ({(0, 1): float("nan")}, r"finite numbers, that of \(0, 1\) is nan"),
    "too large": ({(0, 0): 1e305}, "too large: together they must stay below"),
    "too large for a float": ({(0, 1): -(10**400)}, r"that of \(0, 1\) is too large for a float"),
    "linear too large": (({0: 10**5000}, {(0, 1): 1}), "that of 0 is too large for a float"),
    "complex in a dictionary": ({(0, 1): np.complex128(1 + 2j)}, r"finite numbers, that of \(0, 1\) is np.complex128"),
    "linear too long": (([1, 2, 3], np.zeros((2, 2))), r"linear must have shape \[2\], it has \[3\]"),
    "no matrix": (([1], None), "a matrix of coefficients must be real numbers, these are None"),
    "linear of nobody": (({"c": 1}, np.zeros((2, 2))), "'c', which is no variable of the matrix"),
}


@pytest.mark.parametrize("name", BAD)
def test_bad_input_is_one_line(name):
    source, rule = BAD[name]
    with pytest.raises(InputError, match=rule) as told:
        annealco.solve(source, "qubo")
    assert "\n" not in str(told.value)


def test_an_error_in_a_list_names_the_place():
    with pytest.raises(InputError, match=r"^graph 1: coefficients must be finite, that of \(0, 0\) is nan"):
        annealco.solve([UPPER, np.array([[np.nan]])], "qubo")


def test_whole_numbers_of_any_length_are_coefficients():
    found = annealco.solve({("a", "b"): -(10**30), ("a", "a"): np.int8(-1)}, "qubo", **BRIEF)
    assert (found.nodes, found.value) == (["a", "b"], -1e30)


def test_tensors_are_matrices():
    torch = pytest.importorskip("torch")
    upper = np.array([[-3.0, 2, 0], [0, -2, 4], [0, 0, -5]])
    for matrix in (upper, (upper + upper.T) / 2):
        for problem in ("qubo", "ising"):
            expected = annealco.solve(matrix, problem, **BRIEF)
            found = annealco.solve(torch.tensor(matrix), problem, **BRIEF)
            assert (found.nodes, found.value) == (expected.nodes, expected.value)
    pairs = torch.tensor(np.triu(upper, 1))
    assert annealco.solve((torch.tensor([-3.0, -2, -5]), pairs), "qubo", **BRIEF).value == -8
    with pytest.raises(InputError, match="a torch tensor must be dense here"):
        annealco.solve(pairs.to_sparse(), "qubo")


def test_bad_arguments_are_one_line():
    with pytest.raises(InputError, match="unknown vartype 'BIT'; choose one of BINARY, SPIN"):
        quadratic(UPPER, vartype="BIT")
    with pytest.raises(InputError, match="unknown vartype"):
        quadratic(UPPER, vartype=["BINARY"])
    for offset in (float("nan"), "x", None, 1j, 10**400):
        with pytest.raises(InputError, match="offsets must be finite numbers, this one is "):
            quadratic(UPPER, offset=offset)
    with pytest.raises(InputError, match="its coefficients are of SPIN variables, qubo has BINARY; solve it as ising"):
        annealco.solve(quadratic(UPPER, vartype="SPIN"), "qubo")
    wrong = Graph.from_edges([[0], [1]], node_data={"linear": ["a", "b"]})
    with pytest.raises(InputError, match="linear coefficients must be a flat array of real numbers"):
        annealco.solve(wrong, "qubo")


QBSOLV = "c a comment\np qubo 0 4 2 3\nc nodes\n0 0 -3\n2 2 1.5\nc couplers\n0 1 2\n3 0 -4\n1 2 0\n"
FILES = {
    "a.qubo": (QBSOLV, [-3, 0, 1.5, 0], {(0, 1): 2.0, (0, 3): -4.0}, [0, 1, 2, 3]),
    "a.coo": ("# vartype=BINARY\n0 0 -1.5\n0 7 2\n3 7 1\n", [-1.5, 0, 0], {(0, 7): 2.0, (3, 7): 1.0}, [0, 3, 7]),
    "b.coo": ("0 1 2 # no header\n", [0, 0], {(0, 1): 2.0}, [0, 1]),
    # Of a symmetric matrix one triangle is listed: x'Qx counts it twice.
    "a.sparse": ("# Biq Mac\n3 3\n1 1 -5\n1 2 3\n2 3 -1\n", [-5, 0, 0], {(1, 2): 6.0, (2, 3): -2.0}, [1, 2, 3]),
}


@pytest.mark.parametrize("name", FILES)
def test_files_are_read(name, tmp_path):
    text, linear, pairs, labels = FILES[name]
    (tmp_path / name).write_text(text)
    graph = quadratic(tmp_path / name)
    assert graph.node_data["linear"].tolist() == linear
    assert graph.labels.tolist() == labels
    ends = [tuple(graph.labels[each].tolist()) for each in graph.edges.T]
    assert dict(zip(ends, graph.edge_weight.tolist(), strict=True)) == pairs
    packed = tmp_path / f"{name}.gz"
    packed.write_bytes(gzip.compress(text.encode()))
    assert annealco.read_graph(packed, formats=formats_of("BINARY")).equals(graph)


BAD_FILES = {
    "empty.qubo": ("", None, "the file is empty"),
    "no_header.qubo": ("0 0 1\n", 1, "the first line must be 'p qubo 0 maxNodes nNodes nCouplers'"),
    "size.qubo": ("p qubo 0 x 1 0\n0 0 1\n", 1, "a size must be a non-negative integer, not 'x'"),
    "truncated.qubo": (QBSOLV[:-7], 2, "3 couplers are declared, but the file lists 2"),
    "cut_line.qubo": ("p qubo 0 2 1 1\n0 0 1\n0 1\n", 3, "every line must be 'i j value'"),
    "outside.qubo": ("p qubo 0 2 0 1\n\n0 2 1\n", 3, "variable 2 is outside 0..1"),
    "nan.qubo": ("p qubo 0 2 0 1\n0 1 nan\n", 2, "'nan' is not a finite number"),
    "twice.qubo": ("p qubo 0 2 0 2\n0 1 1\n1 0 1\n", 3, "the pair 0 1 occurs twice"),
    "huge.qubo": ("p qubo 0 999999999999 0 0\n", 1, "nodes are declared, but a file of"),
    "float_id.coo": ("0.5 1 1\n", 1, "node id '0.5' is not an integer"),
    "vartype.coo": ("# vartype=BIT\n0 1 1\n", 1, "the vartype must be one of BINARY, SPIN, it is 'BIT'"),
    "nothing.coo": ("# vartype=SPIN\n", None, "the file has no coefficients"),
    "large.coo": ("0 1 1e300\n0 2 1e302\n", None, "edge weights must add up to less than 1e+301"),
    "zero.sparse": ("2 1\n0 1 1\n", 2, "variable 0 is outside 1..2"),
    "short.sparse": ("2 2\n1 1 1\n", 1, "2 entries are declared, but the file lists 1"),
    "words.sparse": ("2 2 2\n", 1, "the first line must be 'variables entries', this one has 3 words"),
}


@pytest.mark.parametrize("name", BAD_FILES)
def test_bad_files_are_one_line_with_status_2(name, tmp_path, capsys: Output):
    text, line, rule = BAD_FILES[name]
    path = tmp_path / name
    path.write_text(text)
    assert call("solve", "qubo", str(path)) == 2
    told = capsys.readouterr().err
    assert rule in told
    assert told.count("\n") == 1
    assert f"{path}:{line}: " in told if line else f"{path}: " in told


def test_the_command_line_solves_files_and_folders(tmp_path, capsys: Output):
    for name in ("a.qubo", "a.coo"):
        (tmp_path / name).write_text(FILES[name][0])
    assert call("solve", "qubo", str(tmp_path / "a.qubo"), "--time-limit", str(FAR), "--json") == 0
    assert '"nodes": [0, 3], "value": -7.0' in capsys.readouterr().out
    assert call("solve", "mis", str(tmp_path / "a.qubo")) == 2
    assert "unknown extension '.qubo'" in capsys.readouterr().err
    plain = tmp_path / "matrix"
    plain.write_text(FILES["a.sparse"][0])
    assert call("solve", "qubo", str(plain), "--format", "biqmac", "--time-limit", str(FAR), "--json") == 0
    assert '"nodes": [1], "value": -5.0' in capsys.readouterr().out
    out = tmp_path / "rows"
    arguments = ("--data", str(tmp_path), "--methods", "greedy,search,cp_sat", "--moves", "500", "--out", str(out))
    assert call("bench", "qubo", *arguments) == 0, capsys.readouterr().err
    assert "cp_sat" in capsys.readouterr().out


@pytest.mark.parametrize("name", ["qubo", "ising"])
def test_networks_learn_them(name, tmp_path):
    pytest.importorskip("torch")
    rng = np.random.default_rng(0)
    matrices = [np.triu(rng.normal(size=(8, 8)), 1) for _ in range(10)]
    trained = annealco.train(
        name, matrices, epochs=1, settings={"width": 4, "num_steps": 2}, progress=False, out=tmp_path / "run"
    )
    found = annealco.solve(matrices[0], name, model=trained, **BRIEF)
    assert found.value == pytest.approx(annealco.solve(matrices[0], name, **BRIEF).value)


def test_the_same_graph_with_other_coefficients_is_another_training_run(tmp_path):
    pytest.importorskip("torch")
    graphs = [quadratic(np.diag([float(k), -1.0]) + np.eye(2, k=1)) for k in range(1, 7)]
    settings = {"epochs": 1, "settings": {"width": 4, "num_steps": 2}, "progress": False, "out": tmp_path / "run"}
    annealco.train("qubo", graphs, **settings)
    others = [quadratic(np.diag([-float(k), -1.0]) + np.eye(2, k=1)) for k in range(1, 7)]
    with pytest.raises(InputError, match="fingerprint"):
        annealco.train("qubo", others, resume=True, **settings)


@pytest.mark.parametrize("seed", [0, 1])
def test_the_contract_holds_on_plain_graphs_too(seed):
    from annealco.problems.small_graphs import small_graphs

    for name in ("qubo", "ising"):
        check_problem(PROBLEMS[name], small_graphs(np.random.default_rng(seed), num_random=5))


def cp_sat_optimum(linear, pairs, *, spins):
    """Return the least value of a function of whole coefficients, by a model that is written here."""
    from ortools.sat.python import cp_model

    model = cp_model.CpModel()
    domain = cp_model.Domain.from_values([-1, 1] if spins else [0, 1])
    variables = [model.new_int_var_from_domain(domain, "") for _ in linear]
    cost = sum(int(a) * x for a, x in zip(linear, variables, strict=True))
    for (u, v), value in pairs.items():
        both = model.new_int_var(-1, 1, "")
        model.add_multiplication_equality(both, [variables[u], variables[v]])
        cost += int(value) * both
    model.minimize(cost)
    solver = cp_model.CpSolver()
    solver.parameters.num_workers = 1
    assert solver.solve(model) == cp_model.OPTIMAL
    return round(solver.objective_value)


@pytest.mark.parametrize("count", [20, pytest.param(200, marks=pytest.mark.slow)])
@pytest.mark.parametrize("name", ["qubo", "ising"])
def test_values_agree_with_cp_sat(name, count):
    pytest.importorskip("ortools")
    rng = np.random.default_rng(count)
    for number in range(count):
        size = int(rng.integers(2, 18))
        listed = np.argwhere(np.triu(rng.random((size, size)) < rng.uniform(0.2, 1), 1))
        pairs = {(int(u), int(v)): int(rng.integers(-9, 10)) for u, v in listed}
        linear = rng.integers(-9, 10, size).tolist()
        expected = cp_sat_optimum(linear, pairs, spins=name == "ising")
        # A search ends where the bound is met: the moves are seldom used up.
        found = annealco.solve((dict(enumerate(linear)), pairs), name, seed=number, moves=10**6, time_limit=FAR)
        assert found.value == expected, (linear, pairs)
        assert found.bound is None or found.bound <= expected
        graph = PROBLEMS[name].read((dict(enumerate(linear)), pairs))
        exact = METHODS["cp_sat"].run(PROBLEMS[name], graph, budget=FAR, seed=0)
        assert exact.proven
        assert PROBLEMS[name].score(graph, np.flatnonzero(exact.assignment).tolist()) == expected


@pytest.mark.parametrize(
    ("size", "density", "expected"), [(460, 1.0, "alternating"), (2100, 0.06, "alternating"), (2100, 0.04, "annealing")]
)
def test_dense_functions_are_searched_in_turns(size, density, expected):
    rng = np.random.default_rng(0)
    matrix = np.triu(rng.normal(size=(size, size)) * (rng.random((size, size)) < density))
    assert default_search(structure_of(QUBO.declare(quadratic(matrix)))).name == expected


@given(
    size=st.integers(0, 12),
    step=st.integers(1, 40),
    shape=st.sampled_from(["upper", "lower", "both", "symmetric", "any"]),
    seed=st.integers(0, 99),
)
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_a_dense_matrix_is_read_as_a_sparse_one_however_its_rows_are_dealt(size, step, shape, seed, monkeypatch):
    monkeypatch.setattr(qubo, "ROWS_AT_ONCE", step)
    matrix = np.random.default_rng(seed).integers(-2, 3, (size, size)).astype(float)
    if shape == "both":  # One triangle or the other for each pair.
        matrix = np.where(np.add.outer(np.arange(size), np.arange(size)) % 2 == 0, np.triu(matrix), np.tril(matrix, -1))
    elif shape != "any":
        matrix = {"upper": np.triu(matrix), "lower": np.tril(matrix), "symmetric": matrix + matrix.T}[shape]

    def outcome(source):
        try:
            return quadratic(source)
        except InputError as error:
            return str(error)

    dense, sparse = outcome(matrix), outcome(scipy.sparse.csr_array(matrix))
    assert dense == sparse if isinstance(dense, str) else dense.equals(sparse)
    assert not isinstance(dense, str) or shape == "any"
    if not isinstance(dense, str) and size <= 6:
        assert scores(dense) == pytest.approx(values(matrix))
