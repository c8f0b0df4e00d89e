"""Quadratic unconstrained binary optimisation: the least c + Σ a_i x_i + Σ b_ij x_i x_j over bits x, of any sign.

A graph holds the coefficients, for `qubo` and `ising` alike:

* b_ij are edge weights, one edge per pair;
* a_i are the node data ``linear`` [num_nodes], and c is the graph data ``offset`` [num_graphs]; 0 where absent. Node
  weights, which are never negative, play no part;
* the graph data ``vartype`` says what variables the coefficients are of, in the words of dimod: ``BINARY`` for bits,
  ``SPIN`` for ±1. A graph without it, such as a spin glass in a file of edges, can be read as either.

A solution's nodes are the variables that are 1. `quadratic` builds such graphs from matrices, dictionaries, dimod's
models and files; `annealco.solve(Q, "qubo")` does so by itself.

Files: ``.qubo`` of qbsolv (``p qubo 0 maxNodes nNodes nCouplers``, variables from 0), ``.coo`` of dimod (lines
``i j value``, ``# vartype=SPIN``) and ``.sparse`` of the Biq Mac library (``n m``, variables from 1, symmetric: an
entry off the diagonal counts twice).
"""

from __future__ import annotations

import math
import re
import sys
from collections.abc import Collection, Hashable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from os import PathLike
from pathlib import Path
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from annealco.arrays import FloatArray, IntArray
from annealco.energy import Instance, Linear, Pairs
from annealco.errors import InputError
from annealco.graph.formats import Format, read_graph
from annealco.graph.formats.assemble import from_one
from annealco.graph.formats.text import (
    Text,
    Tokens,
    check_num_nodes,
    node_ids,
    numbered_from_one,
    numbers,
    parse_count,
    read_text,
    row_starts,
    split,
    split_first_line,
    token_table,
)
from annealco.graph.graph import Graph
from annealco.graph.interop import as_numpy, is_dense
from annealco.graph.normalisation import MAX_TOTAL
from annealco.problems.problem import Problem, as_node_mask
from annealco.problems.small_graphs import small_graphs

Vartype = Literal["BINARY", "SPIN"]
PROBLEM_OF: dict[Vartype, str] = {"BINARY": "qubo", "SPIN": "ising"}
"""Which problem has which variables."""

ROUNDING = 1e-9
"""Entries of a symmetric matrix may differ by this share of the largest one."""


def declare(graph: Graph) -> Instance:
    """f(x) = c + Σ a_i x_i + Σ_(i,j) b_ij x_i x_j. No constraint."""
    linear, offset = coefficients_of(graph, "BINARY")
    return Instance(
        node_ptr=graph.node_ptr,
        objective=(
            Linear(graph.node_ptr, linear),
            Pairs(graph.node_ptr, graph.edges, graph.edge_weight),
        ),
        sense="min",
        constant=offset if offset.any() else None,
    )


def score(graph: Graph, nodes: Collection[int]) -> float | None:
    """Return what the variables that are 1 cost, with the offset."""
    ones = as_node_mask(graph, nodes)
    linear, offset = coefficients_of(graph, "BINARY")
    low, high = graph.edges
    return float(offset[0] + linear[ones].sum() + graph.edge_weight[ones[low] & ones[high]].sum())


def coefficients_of(graph: Graph, vartype: Vartype) -> tuple[FloatArray, FloatArray]:
    """Return linear coefficients [num_nodes] and offsets [num_graphs] of graphs.

    Raises:
        InputError: where they are of other variables, or no finite numbers.
    """
    marks = graph.graph_data.get("vartype", np.zeros(0, np.str_)).tolist()
    for number, mark in enumerate(marks):
        if mark not in {"", vartype}:
            other = PROBLEM_OF["SPIN" if vartype == "BINARY" else "BINARY"]
            where = f"graph {number}" if len(marks) > 1 else None
            rule = f"its coefficients are of {mark} variables, {PROBLEM_OF[vartype]} has {vartype}; solve it as {other}"
            raise InputError(rule, origin=where)
    linear = _as_coefficients(graph.node_data.get("linear", np.zeros(graph.num_nodes)), "linear coefficients")
    offset = _as_coefficients(graph.graph_data.get("offset", np.zeros(graph.num_graphs)), "offsets")
    return linear, offset


def quadratic(
    source: Any,
    *,
    linear: Mapping[Hashable, float] | ArrayLike | None = None,
    offset: float = 0.0,
    vartype: Vartype = "BINARY",
) -> Graph:
    """Build the graph of a quadratic function of bits (``BINARY``, for `qubo`) or of spins ±1 (``SPIN``, for `ising`).

    A matrix Q, dense or sparse, is the function Σ_ij Q_ij x_i x_j, as in dimod: of a triangular matrix each entry
    counts once; of a symmetric one both entries of a pair count, which is twice either. Any other matrix is refused,
    since one triangle may be left over from something else. Its diagonal is linear for bits, for which x² = x, and
    constant for spins, for which s² = 1. A dictionary ``{(i, j): value}`` is such a matrix with labels of any kind: a
    pair stands under one of its two keys, or under both with one value.

    Args:
        source: the matrix [n, n]: a NumPy array, a list of rows, a SciPy sparse matrix or a dictionary. Or a
            ``dimod.BinaryQuadraticModel``, whose variables become those of ``vartype`` and whose energies stay the
            same, or a file.
        linear: further linear coefficients, [n] or by label.
        offset: a constant to add.
        vartype: of which variables.

    Raises:
        InputError: naming the rule, and the entry that breaks it.

    Example:
        >>> graph = quadratic([[-1, 2], [0, -1]])
        >>> graph.node_data["linear"].tolist(), graph.edge_weight.tolist()
        ([-1.0, -1.0], [2.0])
        >>> quadratic({("a", "b"): -1.0}, linear={"a": 0.5}, vartype="SPIN").labels.tolist()
        ['a', 'b']
    """
    if not isinstance(vartype, str) or vartype not in PROBLEM_OF:
        raise InputError(f"unknown vartype {vartype!r}; choose one of {', '.join(PROBLEM_OF)}")
    _check_number("offsets must be finite numbers, this one", offset)
    if isinstance(source, str | PathLike):
        if linear is not None or offset:
            raise InputError("a file has its linear coefficients and its offset already")
        graph = read_graph(source, formats=formats_of(vartype))
        coefficients_of(graph, vartype)
        return graph
    if _is_model(source):
        form = _from_model(source, vartype)
    elif isinstance(source, Mapping):
        form = _from_dictionary(source, linear, vartype)
        linear = None if isinstance(linear, Mapping) else linear
    else:
        form = _from_matrix(_as_matrix(source), vartype)
    own = form.linear
    if linear is not None:
        own = own + _as_vector(linear, form.labels, len(own))
    return _build(form._replace(linear=own, offset=form.offset + offset), vartype)


class Form(NamedTuple):
    """A quadratic function.

    Attributes:
        linear: [n].
        pairs: [2, num_pairs] each once, first below second.
        value: [num_pairs].
        offset: the constant.
        labels: [n], or None for 0..n-1.
    """

    linear: FloatArray
    pairs: IntArray
    value: FloatArray
    offset: float = 0.0
    labels: Sequence[Any] | None = None


def _build(form: Form, vartype: Vartype, origin: str = "coefficients") -> Graph:
    count = len(form.linear)
    linear = _as_coefficients(form.linear, "linear coefficients", form.labels)
    offset = _as_coefficients(np.array([form.offset], np.float64), "offsets")
    numbered = form.labels is None or list(form.labels) == list(range(count))
    return Graph.from_edges(
        form.pairs,
        count,
        edge_weight=form.value,
        node_labels=None if numbered else form.labels,
        node_data={"linear": linear},
        graph_data={"offset": offset, "vartype": np.array([vartype])},
        origin=origin,
    )


def _as_coefficients(given: NDArray[Any], what: str, labels: Sequence[Any] | None = None) -> FloatArray:
    """Return coefficients [n] as floats, all finite and together not too large to be added up."""
    if given.dtype.kind not in "biuf" or given.ndim != 1:
        raise InputError(f"{what} must be a flat array of real numbers, these are {given.dtype} {list(given.shape)}")
    values = given.astype(np.float64)
    wrong = ~np.isfinite(values)
    if wrong.any():
        place = int(np.argmax(wrong))
        raise InputError(
            f"{what} must be finite, that of {place if labels is None else labels[place]!r} is {values[place]:g}"
        )
    if np.abs(values).sum() > MAX_TOTAL:
        raise InputError(f"{what} are too large: together they must stay below {MAX_TOTAL:g}")
    return values


def _as_vector(linear: Any, labels: Sequence[Any] | None, count: int) -> FloatArray:
    """Return further linear coefficients, [n]."""
    if isinstance(linear, Mapping):
        names = range(count) if labels is None else labels
        number = {label: place for place, label in enumerate(names)}
        unknown = next((label for label in linear if label not in number), None)
        if unknown is not None:
            raise InputError(f"linear has a coefficient of {unknown!r}, which is no variable of the matrix")
        found = np.zeros(count)
        found[[number[label] for label in linear]] = _as_numbers(list(linear.values()), list(linear))
        return found
    array = _as_array(linear, "linear coefficients")
    if array.shape != (count,):
        raise InputError(f"linear must have shape [{count}], it has {list(array.shape)}")
    return _as_coefficients(array, "linear coefficients", labels)


def _as_array(given: Any, what: str) -> NDArray[Any]:
    """Return something like an array as one of real numbers."""
    try:
        array: NDArray[Any] = as_numpy(given)
    except InputError:
        raise
    except ValueError:
        raise InputError(f"{what} must be an array, its rows must be of one length") from None
    if array is None or array.dtype.kind not in "biuf":
        raise InputError(f"{what} must be real numbers, these are {None if array is None else array.dtype}")
    return array


def _as_numbers(values: list[Any], keys: Sequence[Any]) -> FloatArray:
    """Return the values of a dictionary, all finite numbers."""
    for key, value in zip(keys, values, strict=True):
        _check_number(f"coefficients must be finite numbers, that of {key!r}", value)
    return np.array(values, dtype=np.float64)


def _check_number(rule: str, value: Any) -> None:
    """Raise unless a value is a real number that a float can hold."""
    try:
        finite = isinstance(value, int | float | np.integer | np.floating | np.bool_) and math.isfinite(value)
    except OverflowError:
        raise InputError(f"{rule} is too large for a float") from None
    if not finite:
        raise InputError(f"{rule} is {value!r:.40}")


def _is_model(source: Any) -> bool:
    """Tell dimod's models without importing dimod: where it is not imported, there is none."""
    dimod = sys.modules.get("dimod")
    return dimod is not None and isinstance(source, dimod.BinaryQuadraticModel)


def _from_model(model: Any, vartype: Vartype) -> Form:
    if model.vartype.name != vartype:
        model = model.change_vartype(vartype, inplace=False)
    linear, (row, column, value), offset, labels = model.to_numpy_vectors(return_labels=True)
    pairs = np.sort(np.stack([row, column]).astype(np.int64), axis=0)
    kept = value != 0
    return Form(np.array(linear), pairs[:, kept], np.array(value[kept]), float(offset), list(labels))


def _from_dictionary(entries: Mapping[Any, Any], linear: Any, vartype: Vartype) -> Form:
    """Read a dictionary as a sparse matrix with labels; linear coefficients may bring labels of their own."""
    for key in entries:
        if not (isinstance(key, tuple) and len(key) == 2):
            raise InputError(
                f"a dictionary of coefficients has keys (i, j), {key!r} is none; give linear ones as linear="
            )
    found = dict.fromkeys(label for key in entries for label in key)
    found |= dict.fromkeys(linear if isinstance(linear, Mapping) else ())
    labels = list(found)
    if all(isinstance(label, int | np.integer) for label in labels):
        labels.sort()
    number = {label: place for place, label in enumerate(labels)}
    from scipy.sparse import coo_array

    values = _as_numbers(list(entries.values()), list(entries))
    ends = np.array([[number[u], number[v]] for u, v in entries], dtype=np.int64).reshape(-1, 2).T
    form = _from_matrix(coo_array((values, tuple(ends)), shape=(len(labels), len(labels))), vartype, labels)
    if isinstance(linear, Mapping):
        form = form._replace(linear=form.linear + _as_vector(linear, labels, len(labels)))
    return form


def _as_matrix(source: Any) -> Any:
    """Return a dense array or a sparse one, [n, n], of finite real numbers."""
    from scipy.sparse import issparse

    if issparse(source):
        matrix = source.tocoo()
        shape, values = matrix.shape, _as_array(matrix.data, "coefficients")
    else:
        matrix = _as_array(source, "a matrix of coefficients")
        shape, values = matrix.shape, matrix
    if len(shape) != 2 or shape[0] != shape[1]:
        raise InputError(f"a matrix of coefficients must be square, this one has shape {list(shape)}")
    wrong = ~np.isfinite(values)
    if wrong.any():
        first = np.unravel_index(int(np.argmax(wrong)), wrong.shape)
        place = (matrix.row[first], matrix.col[first]) if issparse(source) else first
        raise InputError(f"coefficients must be finite, that of {tuple(map(int, place))} is {values[first]:g}")
    return matrix


def _from_matrix(matrix: Any, vartype: Vartype, labels: Sequence[Any] | None = None) -> Form:
    """Read a matrix of finite numbers: its diagonal, and each pair once."""
    from scipy import sparse

    found = _sparse_entries(matrix) if sparse.issparse(matrix) else _dense_entries(matrix)
    if found.uneven is not None:
        names = [place if labels is None else labels[place] for place in found.uneven]
        rule = f"({names[0]!r}, {names[1]!r}) and ({names[1]!r}, {names[0]!r}) have two coefficients"
        remedy = "give one triangle, or a symmetric matrix, of which both entries count"
        raise InputError(f"the matrix is neither triangular nor symmetric: {rule}; {remedy}")
    diagonal = np.array(matrix.diagonal(), dtype=np.float64)
    linear, offset = (diagonal, 0.0) if vartype == "BINARY" else (np.zeros(len(diagonal)), float(diagonal.sum()))
    return Form(linear, found.ends, found.value, offset, labels)


class _Entries(NamedTuple):
    """What stands off the diagonal of a matrix.

    Attributes:
        ends: [2, num_pairs], first below second, in ascending order.
        value: [num_pairs] the sum of both entries, not 0.
        uneven: the first pair with two entries that differ, where some pair has two at all.
    """

    ends: IntArray
    value: FloatArray
    uneven: tuple[int, int] | None


def _sparse_entries(matrix: Any) -> _Entries:
    from scipy import sparse

    # Entries that are stored twice are added up, as everywhere in SciPy.
    matrix = sparse.csr_array(matrix, dtype=np.float64)
    upper, lower = sparse.triu(matrix, 1, format="csr"), sparse.csr_array(sparse.tril(matrix, -1).T)
    has_both = (upper != 0).multiply(lower != 0).nnz > 0
    difference = abs(upper - lower).tocoo()
    places = np.flatnonzero(difference.data > ROUNDING * np.abs(matrix.data).max(initial=0.0))[:1] if has_both else ()
    uneven = next(((int(difference.row[place]), int(difference.col[place])) for place in places), None)
    pairs = (upper + lower).tocoo()
    kept = pairs.data != 0
    return _Entries(np.stack([pairs.row, pairs.col]).astype(np.int64)[:, kept], np.array(pairs.data[kept]), uneven)


ROWS_AT_ONCE = 2**20
"""Entries of a dense matrix that are looked at together: copies of all of a large one would be most of the work."""


def _dense_entries(matrix: NDArray[Any]) -> _Entries:
    size = len(matrix)
    limit = ROUNDING * max(float(matrix.max(initial=0.0)), -float(matrix.min(initial=0.0)))
    ends, values = [np.zeros((2, 0), np.int32)], [np.zeros(0)]
    has_both, uneven = False, None
    step = max(1, ROWS_AT_ONCE // max(1, size))
    for first in range(0, size, step):
        # Rows from the diagonal on, and the columns below it as rows.
        upper = np.triu(matrix[first : first + step, first:], 1).astype(np.float64, copy=False)
        lower = np.triu(matrix[first:, first : first + step].T, 1).astype(np.float64, copy=False)
        pairs = upper
        if lower.any():
            has_both = has_both or bool(np.any((upper != 0) & (lower != 0)))
            pairs = upper + lower
        if uneven is None and (wrong := np.abs(upper - lower) > limit).any():
            row, column = np.unravel_index(int(np.argmax(wrong)), wrong.shape)
            uneven = int(row) + first, int(column) + first
        rows, columns = np.nonzero(pairs)
        ends.append(np.stack([rows, columns]).astype(np.int32) + np.int32(first))
        values.append(pairs[rows, columns])
    return _Entries(np.concatenate(ends, axis=1), np.concatenate(values), uneven if has_both else None)


def read(source: Any, vartype: Vartype = "BINARY") -> Graph | None:
    """Return the graph of a matrix, a dictionary, a model of dimod, or a tuple (linear, one of these); else None."""
    from scipy.sparse import issparse

    if isinstance(source, tuple) and len(source) == 2 and _are_linear(source[0]):
        return quadratic(source[1], linear=source[0], vartype=vartype)
    if issparse(source) or isinstance(source, Mapping) or _is_model(source):
        return quadratic(source, vartype=vartype)
    if (is_dense(source) and source.ndim != 3) or _are_rows(source):
        return quadratic(source, vartype=vartype)
    return None


def _are_rows(source: Any) -> bool:
    """Tell a list of rows of numbers."""
    is_list = isinstance(source, list | tuple) and len(source) > 0
    return is_list and all(isinstance(row, list | tuple) and all(map(np.isscalar, row)) for row in source)


def _are_linear(given: Any) -> bool:
    if isinstance(given, Mapping):
        return not any(isinstance(key, tuple) for key in given)
    return (is_dense(given) and given.ndim == 1) or (
        isinstance(given, list) and len(given) > 0 and all(map(np.isscalar, given))
    )


_HASH_COMMENT = re.compile(rb"#[^\n]*")
_C_COMMENT = re.compile(rb"(?m)^[ \t]*c[^\n]*")
_VARTYPE = re.compile(rb"(?m)^[ \t]*#.*?vartype[:=][ \t]*(\w+)")
_ENTRY = {3: "i j value"}


class Entries(NamedTuple):
    """The lines ``i j value`` of a file.

    Attributes:
        tokens: of the file.
        ends: [num_entries, 2] tokens of the variables.
        number: [num_tokens] every token as a number.
    """

    tokens: Tokens
    ends: IntArray
    number: FloatArray

    @property
    def value(self) -> FloatArray:
        """The coefficients, [num_entries]."""
        return self.number[self.ends[:, 1] + 1]

    @property
    def line(self) -> IntArray:
        """The line of each, [num_entries]."""
        return self.tokens.line[self.ends[:, 0]]


def _entries(body: Text) -> Entries:
    tokens = split(body)
    number, first = numbers(tokens), row_starts(tokens)
    table = token_table(body, first[:-1], np.diff(first), tokens.line[first[:-1]], _ENTRY)
    return Entries(tokens, table[:, :2], number)


def _from_entries(
    text: Text, entries: Entries, ends: IntArray, names: IntArray, vartype: Vartype, *, weight: float = 1.0
) -> Graph:
    """Build the graph of a file's entries, each of which must be of another pair.

    Args:
        text: the file.
        entries: its lines.
        ends: [num_entries, 2] numbers of the variables, from 0.
        names: [num_variables] what the file calls them.
        vartype: of which variables the coefficients are.
        weight: what an entry off the diagonal counts.
    """
    low, high = np.sort(ends, axis=1).T
    key, count = low * len(names) + high, len(names)
    order = np.argsort(key, kind="stable")
    again = np.flatnonzero(np.diff(key[order]) == 0)
    if len(again):
        place = int(order[again + 1].min())
        rule = f"the pair {names[low[place]]} {names[high[place]]} occurs twice"
        raise text.error(rule, line=int(entries.line[place]))
    loop, value = low == high, entries.value
    linear = np.zeros(count)
    linear[low[loop]] = value[loop]
    kept = ~loop & (value != 0)
    labels = None if np.array_equal(names, np.arange(count)) else names.tolist()
    form = Form(linear, np.stack([low, high])[:, kept], weight * value[kept], 0.0, labels)
    try:
        return _build(form, vartype, text.path)
    except InputError as error:
        raise text.error(error.rule) from None


def _check_count(text: Text, declared: int, found: int, what: str, line: int) -> None:
    if declared != found:
        raise text.error(f"{declared} {what} are declared, but the file lists {found}", line=line)


def read_qbsolv(path: Path) -> Graph:
    """Read a ``.qubo`` file of qbsolv.

    Raises:
        GraphFileError: naming the line and the rule it breaks.
    """
    text = read_text(path)
    words, line, body = split_first_line(text.without(_C_COMMENT, b"c"))
    if len(words) != 6 or words[:2] != ["p", "qubo"]:
        raise text.error("the first line must be 'p qubo 0 maxNodes nNodes nCouplers'", line=line)
    sizes = [parse_count(text, word, "a size", line=line) for word in words[3:]]
    check_num_nodes(text.path, sizes[0], len(text.content), line=line)
    entries = _entries(body)
    ends = node_ids(entries.tokens, entries.number, entries.ends)
    outside = ends >= sizes[0]
    if outside.any():
        token = int(entries.ends[outside][0])
        allowed = f"0..{sizes[0] - 1}" if sizes[0] else "a function without variables"
        raise entries.tokens.error(token, f"variable {entries.tokens.word(token)} is outside {allowed}")
    loops = int(np.count_nonzero(ends[:, 0] == ends[:, 1]))
    _check_count(text, sizes[1], loops, "nodes", line)
    _check_count(text, sizes[2], len(ends) - loops, "couplers", line)
    return _from_entries(text, entries, ends, np.arange(sizes[0]), "BINARY")


def read_coordinates(path: Path, vartype: Vartype) -> Graph:
    """Read a ``.coo`` file of dimod; where it has no ``# vartype=``, its variables are of this type.

    Raises:
        GraphFileError: naming the line and the rule it breaks.
    """
    text = read_text(path)
    found = {match[1].decode(): text.line_at(match.start(1)) for match in _VARTYPE.finditer(text.content)}
    for mark, line in found.items():
        if mark not in PROBLEM_OF or len(found) > 1:
            raise text.error(f"the vartype must be one of {', '.join(PROBLEM_OF)}, it is {mark!r}", line=line)
    entries = _entries(text.without(_HASH_COMMENT, b"#"))
    ids = node_ids(entries.tokens, entries.number, entries.ends)
    names, ends = np.unique(ids, return_inverse=True)
    if not len(names):
        raise text.error("the file has no coefficients")
    own: Vartype = "SPIN" if "SPIN" in found else "BINARY" if found else vartype
    return _from_entries(text, entries, ends.reshape(-1, 2), names, own)


def read_symmetric(path: Path, vartype: Vartype) -> Graph:
    """Read ``n m`` and m lines ``i j value``, variables from 1.

    For bits these are entries of a symmetric matrix, as in the Biq Mac library: off the diagonal each counts twice. For
    spins they are couplings, each once, as rudy writes them.

    Raises:
        GraphFileError: naming the line and the rule it breaks.
    """
    text = read_text(path)
    words, line, body = split_first_line(text.without(_HASH_COMMENT, b"#"))
    if len(words) != 2:
        raise text.error(f"the first line must be 'variables entries', this one has {len(words)} words", line=line)
    count, listed = (parse_count(text, word, "a size", line=line) for word in words)
    check_num_nodes(text.path, count, len(text.content), line=line)
    entries = _entries(body)
    _check_count(text, listed, len(entries.ends), "entries", line)
    ends = numbered_from_one(entries.tokens, entries.number, entries.ends, count, "variable")
    loop = ends[:, 0] == ends[:, 1]
    if vartype == "SPIN" and loop.any():
        raise text.error("a coupling must be of two spins", line=int(entries.line[loop][0]))
    weight = 2.0 if vartype == "BINARY" else 1.0
    return _from_entries(text, entries, ends, from_one(count), vartype, weight=weight)


def formats_of(vartype: Vartype) -> tuple[Format, ...]:
    """Return the formats of files with coefficients of these variables."""
    symmetric = Format("biqmac", (".sparse",), partial(read_symmetric, vartype="BINARY"))
    couplings = Format("rudy", (".rudy", ".mc"), partial(read_symmetric, vartype="SPIN"))
    return (
        Format("qbsolv", (".qubo",), read_qbsolv),
        Format("coo", (".coo",), partial(read_coordinates, vartype=vartype)),
        symmetric if vartype == "BINARY" else couplings,
    )


def with_random_coefficients(rng: np.random.Generator, vartype: Vartype) -> list[Graph]:
    """Return small graphs with linear coefficients and offsets of both signs; every third has none."""
    graphs = []
    for number, graph in enumerate(small_graphs(rng)):
        linear, offset = np.round(rng.uniform(-2, 2, graph.num_nodes), number % 3), rng.integers(-3, 4, 1) / 2
        data = {"offset": offset, "vartype": np.array([vartype])}
        graphs.append(replace(graph, node_data={"linear": linear}, graph_data=data) if number % 3 else graph)
    return graphs


QUBO = Problem(
    name="qubo",
    title="quadratic function of bits",
    sense="min",
    declare=declare,
    score=score,
    read=read,
    formats=formats_of("BINARY"),
    examples=partial(with_random_coefficients, vartype="BINARY"),
)
