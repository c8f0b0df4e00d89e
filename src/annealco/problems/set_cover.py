"""Minimum set cover: the cheapest sets that together hold every element.

A set system is a graph with a node per set and a node per element, joined where the set holds the element; the node
data ``element`` [num_nodes] says which nodes are elements. Node weights are costs: of the sets here, of the elements
for `hitting_set`, which is about the same graphs with the roles exchanged. Edge weights play no part.

Elements are nodes, but nothing that can be chosen: a constraint keeps them out, so that a set of nodes with an element
in it is not feasible, and their price keeps every search and every network away from them. A solution's nodes are the
labels of sets.

`set_system` builds such graphs from lists of sets, dictionaries, matrices, bipartite graphs and files;
`annealco.solve([{1, 2}, {2, 3}], "set_cover")` does so by itself. Files are those of the OR-library: ``.scp`` and
``.txt`` list the columns of each row (``scp41.txt``), ``.rail`` the rows of each column; columns are sets, rows are
elements.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Collection, Hashable, Iterable, Mapping, Sequence
from functools import partial
from itertools import chain
from os import PathLike
from pathlib import Path
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from annealco.arrays import FloatArray, IntArray, segment_max, unmasked
from annealco.energy import Constraint, Cover, Instance, Linear
from annealco.errors import GraphFileError, InputError
from annealco.graph.formats import Format, read_graph
from annealco.graph.formats.text import Text, Tokens, check_num_nodes, numbers, read_text, split
from annealco.graph.graph import Graph
from annealco.graph.interop import as_graph, as_numpy, is_dense
from annealco.problems.problem import Problem, as_node_mask, total_weight

Side = Literal["sets", "elements"]
SINGULAR: dict[Side, str] = {"sets": "set", "elements": "element"}


def declare(graph: Graph) -> Instance:
    """f(x) = Σ_s w_s x_s + Σ_e β_e Π_{s∋e} (1 − x_s) + Σ_e 2 γ x_e with β_e = min{w_s : s ∋ e}, γ > 0.

    Adding the cheapest set of an element that is not covered never raises f. γ, the largest weight, is what an element
    costs that is chosen though it must not be, and once more its penalty.
    """
    return declare_cover(graph, "sets")


def score(graph: Graph, nodes: Collection[int]) -> float | None:
    """Return what the sets cost, or None where they leave an element uncovered or an element is among them."""
    return score_cover(graph, nodes, "sets")


def declare_cover(graph: Graph, chosen: Side) -> Instance:
    """Declare that nodes of one side are chosen such that each of the other side has one for a neighbour.

    Raises:
        InputError: where a node has no neighbour, which makes this impossible.
    """
    fixed = sides(graph) if chosen == "sets" else ~sides(graph)
    alone = fixed & (graph.degree == 0)
    if alone.any():
        node = int(np.argmax(alone))
        name, number = _label(graph, node), int(graph.graph_of_node[node])
        rule = f"element {name} is in no set" if chosen == "sets" else f"set {name} is empty"
        where = f"graph {number}" if graph.num_graphs > 1 else None
        raise InputError(f"{rule}, so that no choice of {chosen} is feasible", origin=where, node=node)
    heaviest = segment_max(graph.node_weight, graph.node_ptr)
    price = np.where(heaviest > 0, heaviest, 1.0)[graph.graph_of_node]
    rows = np.flatnonzero(fixed)
    lengths = graph.degree[rows]
    set_ptr = np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64)
    members = graph.indices[np.repeat(graph.indptr[rows] - set_ptr[:-1], lengths) + np.arange(set_ptr[-1])]
    lightest = np.minimum.reduceat(graph.node_weight[members], set_ptr[:-1]) if len(rows) else np.zeros(0)
    held = Cover(graph.node_ptr, set_ptr, members, np.ones(len(rows)))
    kept_out = Linear(graph.node_ptr, fixed.astype(np.float64))
    return Instance(
        node_ptr=graph.node_ptr,
        objective=(Linear(graph.node_ptr, np.where(fixed, price, graph.node_weight)),),
        constraints=(Constraint(held, lightest), Constraint(kept_out, np.where(fixed, price, 0.0))),
        sense="min",
    )


def score_cover(graph: Graph, nodes: Collection[int], chosen: Side) -> float | None:
    """Return the weight of chosen nodes, or None where one is of the other side, or one there has no neighbour."""
    inside = as_node_mask(graph, nodes)
    fixed = sides(graph) if chosen == "sets" else ~sides(graph)
    if np.any(inside & fixed):
        return None
    held = np.zeros(graph.num_nodes, np.bool_)
    low, high = graph.edges
    held[high[inside[low]]] = True
    held[low[inside[high]]] = True
    return total_weight(graph, inside) if np.all(held[fixed]) else None


def sides(graph: Graph) -> NDArray[np.bool_]:
    """Return which nodes are elements, [num_nodes].

    Raises:
        InputError: for a graph that does not say so, and where two sets or two elements are joined.
    """
    element = graph.node_data.get("element", np.zeros(0, np.bool_) if graph.num_nodes == 0 else None)
    if element is None:
        remedy = "give a file of the OR-library, or build it by annealco.set_system"
        raise InputError(f"this graph does not say which nodes are elements: {remedy}")
    if element.dtype != np.bool_ or element.ndim != 1:
        raise InputError(f"the node data 'element' must be bools, they are {element.dtype} {list(element.shape)}")
    low, high = graph.edges
    alike = element[low] == element[high]
    if alike.any():
        edge = int(np.argmax(alike))
        what = "elements" if element[low[edge]] else "sets"
        names = " and ".join(_label(graph, node) for node in graph.edges[:, edge].tolist())
        raise InputError(f"two {what} are joined, {names}: a set system joins sets with elements", edge=edge)
    return element


def _label(graph: Graph, node: int) -> str:
    """Return what errors call a node: what the user called it before sets and elements were told apart."""
    label = graph.labels[node : node + 1].tolist()[0]
    side = label[0] if isinstance(label, tuple) and len(label) == 2 else None
    return repr(label[1] if side in SINGULAR.values() else label)


class System(NamedTuple):
    """Sets and elements, and which set holds which element.

    Attributes:
        sets: [num_sets] labels.
        elements: [num_elements] labels.
        holder: [num_members] number of a set.
        held: [num_members] number of an element in it.
    """

    sets: Sequence[Any]
    elements: Sequence[Any]
    holder: IntArray
    held: IntArray


Costs = Mapping[Any, float] | Sequence[float] | NDArray[Any]


def set_system(
    source: Any,
    *,
    costs: Costs | None = None,
    element_costs: Costs | None = None,
    elements: Collection[Hashable] | None = None,
    labels: Side = "sets",
) -> Graph:
    """Build the graph of a set system, for `set_cover` and `hitting_set`.

    Args:
        source: a list of sets of elements, whose labels are their positions, or a dictionary of sets by label; a
            matrix [num_elements, num_sets] of 0 and 1, dense or of SciPy, with a row per element as in A x ≥ 1; a
            bipartite graph in any container that `annealco.as_graph` takes; or a file of the OR-library.
        costs: of the sets, [num_sets] or by label; 1 by default, and the node weights of a graph.
        element_costs: of the elements, likewise; [num_elements] is in ascending order of elements that are whole
            numbers, else in the order in which they first occur.
        elements: labels of a bipartite graph's elements; by default the nodes of a networkx graph whose attribute
            ``bipartite`` is 1.
        labels: whose labels stay as they are where a set and an element have the same: the others become
            ``("element", label)``, or ``("set", label)``.

    Raises:
        InputError: naming the rule, and the set or element that breaks it.

    Example:
        >>> system = set_system({"a": [1, 2], "b": [2, 3], "c": [3]}, costs={"a": 1, "b": 5, "c": 1})
        >>> system.labels.tolist(), system.node_data["element"].tolist()
        (['a', 'b', 'c', 1, 2, 3], [False, False, False, True, True, True])
    """
    if not isinstance(labels, str) or labels not in SINGULAR:
        raise InputError(f"labels must be one of {', '.join(SINGULAR)}, it is {labels!r}")
    if isinstance(source, str | PathLike):
        if not (costs is None and element_costs is None and elements is None):
            raise InputError("a file has its costs and elements already")
        graph = read_graph(source, formats=formats_for(labels))
        sides(graph)
        return graph
    if elements is not None and (_is_matrix(source) or _are_pairs(source)):
        return _from_graph(source, costs, element_costs, elements)
    if _is_matrix(source):
        system = _from_matrix(source)
    elif isinstance(source, Mapping):
        system = _from_sets(list(source), source.values())
    elif _are_sets(source):
        system = _from_sets(range(len(source)), source)
    else:
        return _from_graph(source, costs, element_costs, elements)
    if elements is not None:
        raise InputError("elements are told by the sets; name them for a bipartite graph only")
    weight = [_as_costs(costs, system.sets, "set"), _as_costs(element_costs, system.elements, "element")]
    return _build(system, np.concatenate(weight), labels)


def _build(system: System, weight: FloatArray, labels: Side, origin: str = "set system") -> Graph:
    """Build the graph: nodes of the sets first, then those of the elements."""
    count = len(system.sets)
    return Graph.from_edges(
        np.stack([system.holder, system.held + count]),
        count + len(system.elements),
        node_weight=weight,
        node_labels=_as_labels(system, labels),
        node_data={"element": np.arange(len(weight)) >= count},
        origin=origin,
    )


def _as_labels(system: System, labels: Side) -> list[Any]:
    """Return the labels of all nodes, in which no set is called as an element is."""
    if set(system.sets).isdisjoint(system.elements):
        return [*system.sets, *system.elements]
    if labels == "sets":
        return [*system.sets, *((SINGULAR["elements"], each) for each in system.elements)]
    return [*((SINGULAR["sets"], each) for each in system.sets), *system.elements]


def _as_costs(costs: Costs | None, names: Sequence[Any], what: str) -> FloatArray:
    """Return costs in the order of the names, all finite and not negative."""
    if costs is None:
        return np.ones(len(names))
    if isinstance(costs, Mapping):
        missing = next((name for name in names if name not in costs), None)
        if missing is not None:
            raise InputError(f"the {what} {missing!r} has no cost")
        known = set(names)
        extra = next((name for name in costs if name not in known), None)
        if extra is not None:
            raise InputError(f"there is a cost of {extra!r}, which is no {what}")
        costs = [costs[name] for name in names]
    unmasked(costs, f"costs of {what}s")
    try:
        found = np.asarray(costs)
    except ValueError:
        found = np.zeros(0, dtype=object)
    if found.dtype.kind not in "biuf" or found.shape != (len(names),):
        rule = f"must be [{len(names)}] real numbers, these are {found.dtype} {list(found.shape)}"
        raise InputError(f"costs of {what}s {rule}")
    wrong = ~(np.isfinite(found) & (found >= 0))
    if wrong.any():
        place = int(np.argmax(wrong))
        raise InputError(
            f"costs must be finite and not negative, that of the {what} {names[place]!r} is {found[place]:g}"
        )
    return found.astype(np.float64)


def _is_matrix(source: Any) -> bool:
    from scipy.sparse import issparse

    return bool(issparse(source)) or (is_dense(source) and source.ndim == 2)


def _are_sets(source: Any) -> bool:
    """Tell a list of sets of elements from a list of set systems."""
    if not isinstance(source, list | tuple):
        return False
    return all(
        isinstance(each, set | frozenset | range)
        or (isinstance(each, np.ndarray) and each.ndim == 1)
        or (isinstance(each, list | tuple) and not any(map(_is_container, each)))
        for each in source
    )


def _is_container(item: Any) -> bool:
    return isinstance(item, list | set | frozenset | Mapping | np.ndarray | Graph) or _is_matrix(item)


def _from_sets(names: Sequence[Any], sets: Iterable[Any]) -> System:
    listed: list[list[Any]] = []
    rows: list[list[Any]] = []
    for name, each in zip(names, sets, strict=True):
        try:
            if isinstance(each, str | bytes):
                raise TypeError
            listed.append(unmasked(each).tolist() if isinstance(each, np.ndarray) else list(each))
            rows.append(list(dict.fromkeys(listed[-1])))
        except TypeError:
            raise InputError(f"the set {name!r} must hold elements that can be hashed, it is {each!r:.40}") from None
    _check_no_matrix(listed, rows)
    every = list(dict.fromkeys(element for row in rows for element in row))
    if all(isinstance(element, int | np.integer) for element in every):
        every.sort()
    number = {element: place for place, element in enumerate(every)}
    lengths = [len(row) for row in rows]
    held = np.array([number[element] for row in rows for element in row], dtype=np.int64)
    return System(names, every, np.repeat(np.arange(len(rows)), lengths), held)


def _check_no_matrix(listed: list[list[Any]], rows: list[list[Any]]) -> None:
    """Raise where lists seem to be the rows of a matrix: equally long, of 0 and 1, and these more than once."""
    elements = set(chain.from_iterable(rows))
    if elements <= {0, 1} and listed != rows and len(set(map(len, listed))) == 1:
        rule = "lists of 0 and 1 can be the rows of a matrix, or sets that hold 0 and 1"
        raise InputError(f"{rule}: give an array for a matrix, and list each element once for sets")


def _from_matrix(matrix: Any) -> System:
    from scipy.sparse import coo_array

    matrix = as_numpy(matrix) if is_dense(matrix) else matrix
    try:
        entries = coo_array(matrix)
    except (TypeError, ValueError):
        entries = coo_array((0, 0), dtype=np.complex128)
    if entries.dtype.kind not in "biuf":
        raise InputError("a matrix of a set system must be of 0 and 1")
    wrong = (entries.data != 0) & (entries.data != 1)
    if wrong.any():
        place = int(np.argmax(wrong))
        where = f"row {entries.row[place]}, column {entries.col[place]} has {entries.data[place]:g}"
        raise InputError(f"a matrix of a set system must be of 0 and 1, {where}")
    kept = entries.data != 0
    rows, columns = entries.row[kept].astype(np.int64), entries.col[kept].astype(np.int64)
    key = np.unique(columns * max(entries.shape[0], 1) + rows)
    holder, held = np.divmod(key, max(entries.shape[0], 1))
    return System(range(entries.shape[1]), range(entries.shape[0]), holder, held)


def _from_graph(
    source: Any, costs: Costs | None, element_costs: Costs | None, elements: Collection[Hashable] | None
) -> Graph:
    """Read a bipartite graph, whose elements are named or marked."""
    graph = as_graph(source)
    if graph.num_graphs != 1:
        raise InputError(f"a set system is one graph, these are {graph.num_graphs}")
    names = graph.labels.tolist()
    marked = graph.node_data.get("element")
    if elements is not None:
        known, chosen = set(names), _as_elements(elements)
        unknown = next((each for each in chosen if each not in known), None)
        if unknown is not None:
            raise InputError(f"elements names {unknown!r}, which is no node of the graph")
        marked = np.array([name in chosen for name in names], dtype=np.bool_)
    elif marked is None:
        marked = _marked(source)
    weight = graph.node_weight.copy()
    for given, mask, what in ((costs, ~marked, "set"), (element_costs, marked, "element")):
        if given is not None:
            weight[mask] = _as_costs(given, [name for name, own in zip(names, mask, strict=True) if own], what)
    data = {**graph.node_data, "element": marked}
    found = Graph(graph.node_ptr, graph.edges, weight, graph.edge_weight, graph.node_labels, data, graph.graph_data)
    sides(found)
    return found


def _as_elements(elements: Any) -> dict[Any, None]:
    """Return labels of elements, in their order."""
    try:
        if isinstance(elements, str):
            raise TypeError
        return dict.fromkeys(unmasked(elements).tolist() if isinstance(elements, np.ndarray) else elements)
    except TypeError:
        raise InputError(f"elements must be a list of labels of nodes, it is {elements!r:.40}") from None


def _are_pairs(source: Any) -> bool:
    return isinstance(source, list | tuple) and all(isinstance(each, tuple) and len(each) == 2 for each in source)


def _marked(graph: Any) -> NDArray[np.bool_]:
    """Return which nodes networkx's attribute ``bipartite`` marks as elements."""
    marks = dict(graph.nodes(data="bipartite")) if _is_networkx(graph) else {None: None}
    wrong = next((node for node, mark in marks.items() if mark not in {0, 1}), None)
    if wrong is not None or not _is_networkx(graph):
        named = f", node {wrong!r} has {marks[wrong]!r}" if wrong is not None else ""
        rule = (
            "say which nodes are elements by elements=, or in networkx by the attribute bipartite, 0 for sets and 1 for"
        )
        raise InputError(f"{rule} elements{named}")
    return np.array(list(marks.values()), dtype=np.bool_)


def _is_networkx(source: Any) -> bool:
    networkx = sys.modules.get("networkx")
    return networkx is not None and isinstance(source, networkx.Graph)


def read(source: Any, labels: Side = "sets") -> Graph | None:
    """Return the graph of sets in a list or a dictionary, a matrix or a bipartite graph of networkx; else None."""
    is_list = isinstance(source, list | tuple) and len(source) > 0 and _are_sets(source)
    if is_list or isinstance(source, Mapping) or _is_matrix(source) or _is_networkx(source):
        return set_system(source, labels=labels)
    return None


class _Numbers:
    """The numbers of a file, taken from its beginning to its end whatever its lines are."""

    def __init__(self, text: Text) -> None:
        """Read all numbers."""
        self.text = text
        self.tokens: Tokens = split(text)
        self.values = numbers(self.tokens)
        self.place = 0

    def error(self, rule: str, place: int) -> GraphFileError:
        return self.tokens.error(min(place, len(self.tokens) - 1), rule)

    def take(self, count: int, what: str) -> FloatArray:
        """Return the next numbers."""
        left = len(self.values) - self.place
        if count > left:
            raise self.error(
                f"the file ends where {what} must follow: {count} numbers are needed, {left} are left", 10**18
            )
        self.place += count
        return self.values[self.place - count : self.place]

    def take_whole(self, count: int, what: str, least: int, most: int) -> IntArray:
        """Return the next numbers, which must be whole and within bounds."""
        found = self.take(count, what)
        wrong = (found != np.floor(found)) | (found < least) | (found > most)
        if wrong.any():
            place = self.place - count + int(np.argmax(wrong))
            rule = f"{what} must be whole numbers in {least}..{most}, not {self.tokens.word(place)}"
            raise self.error(rule, place)
        return found.astype(np.int64)

    def take_costs(self, count: int, what: str) -> FloatArray:
        """Return the next numbers, which must not be negative."""
        found = self.take(count, what)
        if (found < 0).any():
            place = self.place - count + int(np.argmax(found < 0))
            raise self.error(f"{what} must not be negative, one is {self.tokens.word(place)}", place)
        return found

    def take_members(self, what: str, most: int) -> IntArray:
        """Return a list of numbers from 1, whose length comes first, as numbers from 0."""
        [count] = self.take_whole(1, f"the number of {what}", 0, most).tolist()
        found = self.take_whole(count, what, 1, most)
        if len(np.unique(found)) < count:
            raise self.error(f"{what} must be different, one is listed twice", self.place - 1)
        return found - 1


def read_or_library(path: Path, labels: Side, *, by_columns: bool = False) -> Graph:
    """Read a set covering problem of the OR-library (Beasley, 1990); columns are sets, rows are elements.

    After the numbers of rows and columns come the costs of all columns, then for each row the number of columns that
    cover it and these columns. By columns, each one has its cost, the number of its rows, and these rows, instead.

    Raises:
        GraphFileError: naming the line and the rule it breaks.
    """
    text = read_text(path)
    given = _Numbers(text)
    if len(given.values) < 2:
        raise text.error("the file must begin with the numbers of rows and columns")
    num_rows, num_columns = given.take_whole(2, "the numbers of rows and columns", 0, 2**31 - 2).tolist()
    check_num_nodes(text.path, num_rows + num_columns, len(text.content), line=int(given.tokens.line[0]))
    if by_columns:
        lists, costs = [], np.zeros(num_columns)
        for column in range(num_columns):
            costs[column] = given.take_costs(1, "the cost of a column")[0]
            lists.append(given.take_members(f"rows of column {column + 1}", num_rows))
    else:
        costs = given.take_costs(num_columns, "costs of columns")
        lists = [given.take_members(f"columns of row {row + 1}", num_columns) for row in range(num_rows)]
    if given.place < len(given.values):
        raise given.error(f"the file goes on behind the last {'column' if by_columns else 'row'}", given.place)
    owner = np.repeat(np.arange(len(lists)), [len(each) for each in lists])
    member = np.concatenate([np.zeros(0, np.int64), *lists])
    holder, held = (owner, member) if by_columns else (member, owner)
    system = System(range(1, num_columns + 1), range(1, num_rows + 1), holder, held)
    try:
        return _build(system, np.concatenate([costs, np.ones(num_rows)]), labels, text.path)
    except InputError as error:
        raise text.error(error.rule) from None


def formats_for(labels: Side) -> tuple[Format, ...]:
    """Return the formats of set systems, whose answers are about this side."""
    return (
        Format("scp", (".scp", ".txt"), partial(read_or_library, labels=labels)),
        Format("rail", (".rail",), partial(read_or_library, labels=labels, by_columns=True)),
    )


def small_systems(rng: np.random.Generator, chosen: Side) -> list[Graph]:
    """Return small set systems in which every node of one side can be had by the other, with weights of many kinds."""
    fixed: list[list[list[int]]] = [[], [[0]], [[0], [0]], [[0, 1], [1, 2], [2, 0]], [[0, 1, 2], [0], [1], [2]]]
    drawn = [
        [np.flatnonzero(rng.random(rng.integers(1, 5)) < 0.6).tolist() for _ in range(rng.integers(1, 5))]
        for _ in range(30)
    ]
    graphs = []
    for number, rows in enumerate([*fixed, *drawn]):
        counts = len(rows), 1 + max((each for row in rows for each in row), default=-1)
        # A row lists what a node that is not chosen can be had by, so it is not empty.
        owner = [place for place, row in enumerate(rows) for _ in (row or [0])]
        member = [each for row in rows for each in (row or [0])]
        counts = counts[0], max(counts[1], 1 if owner else 0)
        kinds: tuple[Callable[[int], Any], ...] = (
            np.ones,
            lambda count: rng.integers(1, 6, count),
            lambda count: rng.uniform(0.1, 3, count),
            lambda count: rng.integers(0, 3, count),
        )
        pair = np.array(member, dtype=np.int64), np.array(owner, dtype=np.int64)
        sets, elements = (counts[1], counts[0]) if chosen == "sets" else counts
        holder, held = pair if chosen == "sets" else pair[::-1]
        system = System(range(sets), range(elements), holder, held)
        weight = np.asarray(kinds[number % 4](sets + elements), dtype=np.float64)
        graphs.append(_build(system, weight, chosen))
    return graphs


SET_COVER = Problem(
    name="set_cover",
    title="minimum set cover",
    sense="min",
    declare=declare,
    score=score,
    read=read,
    formats=formats_for("sets"),
    examples=partial(small_systems, chosen="sets"),
)
