"""What a problem is: a declaration in terms, and a plain score that shares no code with it.

Also here: what scores and declarations of several problems share (`as_node_mask`, `lighter_ends`, `total_weight`), and
`ratios`, the one definition of how near a value comes to the best known.
"""

from __future__ import annotations

import math
import re
import warnings
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, fields, replace
from functools import partial
from typing import Any, NamedTuple, cast, get_args

import numpy as np
from numpy.typing import NDArray

from annealco.arrays import FloatArray
from annealco.energy import Instance
from annealco.energy.instance import Sense
from annealco.errors import InputError, UserCodeError, did_you_mean, user_errors
from annealco.graph.construction import Names
from annealco.graph.formats import Format
from annealco.graph.generators.presets import ring_with_chords
from annealco.graph.graph import Graph
from annealco.graph.interop import as_graph, item_errors
from annealco.problems.options import Option, undeclared_options
from annealco.registry import is_of_package

Declare = Callable[..., Instance]
Score = Callable[..., float | None]
AtPrice = Callable[..., "Problem"]
Draw = Callable[[Graph, int], dict[str, Any]]
Read = Callable[[Any], Graph | None]
Examples = Callable[[np.random.Generator], list[Graph]]


class OwnGraphs(NamedTuple):
    """Graphs of what a problem reads its own way, and whether it was a list of several."""

    graphs: Graph
    many: bool


@dataclass(frozen=True)
class Guarded:
    """A function of a problem that is not of the package: what it raises and returns is told with the problem's name.

    Attributes:
        func: the function.
        problem: name of the problem.
        part: which of its functions: declare, score, at_price, draw, read or examples.
    """

    func: Callable[..., Any]
    problem: str
    part: str

    def __call__(self, *given: Any, **options: Any) -> Any:
        """Call the function, and refuse a result of another kind.

        Raises:
            InputError: as the function does, and for such a result.
            UserCodeError: for whatever else it raises.
        """
        with user_errors(f"the problem {self.problem} failed in {self.part}"):
            found = self.func(*given, **options)
        fault = _RESULTS[self.part](found, *given)
        if fault is not None:
            raise UserCodeError(f"the problem {self.problem}: {self.part} must return {fault}")
        return found

    @property
    def __wrapped__(self) -> Callable[..., Any]:
        """What tells the signature."""
        return self.func


def _instance_fault(found: object, graph: Graph) -> str | None:
    if not isinstance(found, Instance):
        return f"an annealco.energy.Instance, it returned a {type(found).__name__}"
    if not np.array_equal(found.node_ptr, graph.node_ptr):
        wanted = f"{graph.num_nodes} nodes in {graph.num_graphs} graphs"
        return f"an instance of {wanted}, it returned one of {found.num_nodes} in {found.num_graphs}"
    return None


def _score_fault(found: object, *_: object) -> str | None:
    is_number = isinstance(found, int | float | np.integer | np.floating) and not isinstance(found, bool)
    good = found is None or (is_number and math.isfinite(cast("float", found)))
    return None if good else f"a finite number, or None where a set is not feasible, it returned {found!r:.40}"


def _priced_fault(found: object, *_: object) -> str | None:
    return None if isinstance(found, Problem) else f"an annealco.Problem, it returned a {type(found).__name__}"


def _drawn_fault(found: object, *_: object) -> str | None:
    is_named = isinstance(found, Mapping) and all(isinstance(name, str) for name in found)
    return None if is_named else f"a dictionary of options, it returned {found!r:.40}"


def _read_fault(found: object, *_: object) -> str | None:
    good = found is None or isinstance(found, Graph)
    return None if good else f"an annealco.Graph, or None for what all read, it returned a {type(found).__name__}"


def _examples_fault(found: object, *_: object) -> str | None:
    good = isinstance(found, list | tuple) and len(found) > 0 and all(isinstance(each, Graph) for each in found)
    return None if good else f"a list of graphs, at least one, it returned {found!r:.40}"


_RESULTS: dict[str, Callable[..., str | None]] = {
    "declare": _instance_fault,
    "score": _score_fault,
    "at_price": _priced_fault,
    "draw": _drawn_fault,
    "read": _read_fault,
    "examples": _examples_fault,
}
"""Return what a function of a problem must return instead, or None."""


@dataclass(frozen=True)
class Problem:
    """A combinatorial problem on weighted graphs.

    Attributes:
        name: what users type.
        title: what it is, in a few words.
        sense: whether the score is minimised or maximised.
        declare: ``declare(graph, *, options...) -> Instance`` for one or many graphs.
        score: ``score(graph, nodes, *, options...) -> float | None`` for one graph and a set of its node numbers, in
            plain Python on sets and loops; None where the set is not feasible.
        at_price: ``at_price(price, *, options...) -> Problem`` for a score that is a quotient a / b with b > 0: the
            problem whose score is a − price · b. A set is better than the price exactly where it is better than 0
            there. The declaration is then that of a alone. None where the score is what the declaration says.
        sharp: whether 0.9 of the critical penalty is known to fail on some graph.
        node_options: names of the options that name nodes. Read it; to set it is deprecated in favour of ``options``.
        draw: ``draw(graphs, seed) -> options`` with one value per graph, [num_graphs, ...] each, for instances to learn
            from; None where there is nothing to draw.
        set_options: names of the options that were set by `with_options`.
        options: what can be set, such as the volume bounds of a cut.
        read: ``read(source) -> Graph`` for what this problem reads its own way, such as a matrix of coefficients; it
            returns None for everything else, which all problems read alike (`annealco.as_graph`).
        formats: of files that this problem reads, besides those that all problems read and before them.
        examples: ``examples(rng) -> graphs`` of at most 12 nodes for `check_problem`, where the problem does not take
            any graph.
        complement_of: the problem that asks for the nodes that are left out here, where there is one: its energy of
            the others differs from the one here by a constant. Its networks propose sets for this problem too. Neither
            takes options.
    """

    name: str
    title: str
    sense: Sense
    declare: Declare
    score: Score
    at_price: AtPrice | None = None
    sharp: bool = True
    node_options: tuple[str, ...] = ()
    draw: Draw | None = None
    set_options: tuple[str, ...] = ()
    options: tuple[Option, ...] = ()
    read: Read | None = None
    formats: tuple[Format, ...] = ()
    examples: Examples | None = None
    complement_of: Problem | None = None

    def __post_init__(self) -> None:
        # Names are parts of file names and of rows, and a colon tells a place from a name.
        if not isinstance(self.name, str) or not re.fullmatch(r"[^\s/\\:\x00][^/\\:\x00]*", self.name):
            raise InputError(f"the name of a problem must be text without slashes and colons, it is {self.name!r}")
        self._check_parts()
        if not self.options:
            self._read_signature()
        names = tuple(option.name for option in self.options if option.kind == "node")
        object.__setattr__(self, "node_options", names)

    def _check_parts(self) -> None:
        """Refuse what a problem cannot be made of, before something else fails on it."""
        if not isinstance(self.title, str):
            raise InputError(f"{self.name}: the title must be text, it is {self.title!r:.40}")
        if self.sense not in get_args(Sense):
            raise InputError(f"{self.name}: the sense must be min or max, it is {self.sense!r:.40}")
        for name in _RESULTS:
            part = getattr(self, name)
            if not callable(part) and not (part is None and name not in {"declare", "score"}):
                raise InputError(f"{self.name}: {name} must be a function, it is {part!r:.40}")
            if isinstance(part, Guarded):
                # A copy may have another name.
                object.__setattr__(self, name, replace(part, problem=self.name))
            elif part is not None and not isinstance(_inner(part), Guarded) and not is_of_package(_inner(part)):
                object.__setattr__(self, name, Guarded(part, self.name, name))
        if not isinstance(self.options, tuple) or not all(isinstance(each, Option) for each in self.options):
            raise InputError(f"{self.name}: options must be a tuple of annealco.Option, they are {self.options!r:.60}")
        if not isinstance(self.formats, tuple) or not all(isinstance(each, Format) for each in self.formats):
            rule = f"formats must be a tuple of annealco.graph.formats.Format, they are {self.formats!r:.60}"
            raise InputError(f"{self.name}: {rule}")
        other = self.complement_of
        if other is not None and (not isinstance(other, Problem) or self.options or other.options):
            rule = "complement_of must be a problem, and neither may take options"
            raise InputError(f"{self.name}: {rule}, it is {other!r:.40}")

    def _read_signature(self) -> None:
        """Declare the options of a problem as version 0.1 did: all keyword-only arguments of its declaration."""
        found = undeclared_options(self.declare, tuple(self.node_options))
        unknown = set(self.node_options) - {option.name for option in found}
        if unknown:
            raise InputError(f"{self.name}: node_options names {min(unknown)!r}, which the declaration does not take")
        if found:
            listed = ", ".join(f"Option({option.name!r}, kind={option.kind!r})" for option in found)
            rule = f"{self.name}: options read off the signature are deprecated; declare them: options=({listed},)"
            # The caller of the dataclass's own __init__.
            warnings.warn(rule, DeprecationWarning, stacklevel=4)
            object.__setattr__(self, "options", found)

    @property
    def option_values(self) -> dict[str, Any]:
        """What `with_options` has set, by name."""
        return dict(self.declare.keywords) if isinstance(self.declare, partial) and self.set_options else {}

    @property
    def learned_as(self) -> str:
        """Name of the problem whose networks propose sets for this one: its own, or that of a quotient's numerator."""
        return self.name if self.at_price is None else self.at_price(0.0).name

    @property
    def learned_from(self) -> tuple[str, ...]:
        """Names of the problems whose networks propose sets for this one, the nearest first.

        Example:
            >>> from annealco.problems import PROBLEMS
            >>> PROBLEMS["vertex_cover"].learned_from
            ('vertex_cover', 'mis')
        """
        return (self.learned_as, *(() if self.complement_of is None else self.complement_of.learned_from))

    def is_posed_from(self, other: Problem) -> bool:
        """Tell whether this is another problem, up to options that `with_options` has set.

        Example:
            >>> from annealco.problems import PROBLEMS
            >>> PROBLEMS["cut"].with_options(price=1.0).is_posed_from(PROBLEMS["cut"])
            True
        """
        plain = [
            {field.name: bare(getattr(each, field.name)) for field in fields(Problem) if field.name != "set_options"}
            for each in (self, other)
        ]
        return plain[0] == plain[1]

    def read_own(self, source: Any, **names: Any) -> OwnGraphs | None:
        """Return graphs of what this problem reads its own way, or of a list of such things; None for all else.

        Raises:
            InputError: as `read`, and for names of parts, as `annealco.as_graph` takes them, which such things lack.
        """
        if self.read is None:
            return None
        one = self.read(source)
        if one is None and not (isinstance(source, list | tuple) and source):
            return None
        parts = [one] if one is not None else [self._read_item(place, each) for place, each in enumerate(source)]
        found = [part for part in parts if part is not None]
        if len(found) < len(parts):
            return None
        Names(**names).taken(f"{type(source).__name__} of {self.name}")
        return OwnGraphs(Graph.batch(found) if one is None else one, many=one is None)

    def _read_item(self, place: int, item: Any) -> Graph | None:
        """Return the graph of one of several things, or None for what this problem does not read its own way."""
        with item_errors(place):
            return item if isinstance(item, Graph) or self.read is None else self.read(item)

    def graphs_of(self, source: Any, **names: Any) -> Graph:
        """Return graphs of any container: as this problem reads it, or as all do (`annealco.as_graph`)."""
        own = self.read_own(source, **names)
        return as_graph(source, **names) if own is None else own.graphs

    def some_graphs(self) -> list[Graph]:
        """Return small graphs that the problem takes: the largest of its examples, or two rings with chords."""
        if self.examples is not None:
            return [max(self.examples(np.random.default_rng(0)), key=lambda graph: graph.num_edges)]
        return [ring_with_chords(), ring_with_chords(15)]

    def takes(self, graph: Graph) -> bool:
        """Tell whether the problem can be declared on graphs."""
        try:
            self.declare(graph)
        except InputError:
            return False
        return True

    def with_options(self, **options: Any) -> Problem:
        """Return the same problem with options set, for its declaration and its score alike.

        Example:
            >>> from annealco.problems import PROBLEMS
            >>> PROBLEMS["cut"].with_options(limit=(2, 4))
            Traceback (most recent call last):
            annealco.errors.InputError: cut has no option 'limit'; choose one of volume, seed_node, price
        """
        names = [option.name for option in self.options]
        for name, value in options.items():
            if name not in names:
                choices = f"{did_you_mean(name, names)}choose one of {', '.join(names)}" if names else "it takes none"
                raise InputError(f"{self.name} has no option {name!r}; {choices}")
            self.options[names.index(name)].check(value)
        return replace(
            self,
            declare=partial(self.declare, **options),
            score=partial(self.score, **options),
            at_price=None if self.at_price is None else partial(self.at_price, **options),
            set_options=tuple(dict.fromkeys([*self.set_options, *options])),
        )

    def posed(self, options: Mapping[str, Any], graph: Graph | None = None) -> Problem:
        """Return the problem with options set, ready to be declared.

        Args:
            options: values by name; nodes by the user's labels.
            graph: one graph, in which labels of nodes are looked up; without it nodes stay as they are given.

        Raises:
            InputError: for an unknown option, a label that is no node of the graph, and where a required option is not
                set.
        """
        for option in self.options:
            if option.required and option.name not in (*self.set_options, *options):
                raise InputError(f"{self.name} needs the option {option.name}: {option.help or option.kind}")
        if graph is not None and options:
            # Values are checked as they were given: a label is no number of a node.
            self.with_options(**options)
            options = {name: self._numbered(graph, name, value) for name, value in options.items()}
        return self.with_options(**options) if options else self

    def with_labels(self, options: Mapping[str, Any], graphs: Graph) -> dict[str, Any]:
        """Return options in which text that names a node by an integer label of the graphs is that integer."""
        nodes = [name for name, value in options.items() if name in self.node_options and isinstance(value, str)]
        labels = set(graphs.labels.tolist()) if nodes else set()

        def label(text: str) -> int | str:
            try:
                return int(text) if int(text) in labels else text
            except ValueError:
                return text

        return {**options, **{name: label(options[name]) for name in nodes}}

    def _numbered(self, graph: Graph, name: str, value: Any) -> Any:
        """Return an option with the user's node label replaced by its number; None is no node."""
        if name not in self.node_options or value is None:
            return value
        try:
            # What cannot be hashed is no label.
            hash(value)
            return graph.labels.tolist().index(value)
        except (TypeError, ValueError):
            raise InputError(f"{name} {value!r:.40} is not a node of the graph") from None


def bare(function: Any) -> Any:
    """Return a function of a problem as it was declared, without the options that are set."""
    while isinstance(function, partial | Guarded):
        function = function.func
    return function


def _inner(function: Any) -> Any:
    """Return a function without the options that are set."""
    while isinstance(function, partial):
        function = function.func
    return function


def as_node_mask(graph: Graph, nodes: Collection[int]) -> NDArray[np.bool_]:
    """Return which nodes are in a set, [num_nodes], for scores.

    Raises:
        InputError: where a node does not exist, and for several graphs.

    Example:
        >>> as_node_mask(Graph.from_edges([[0], [2]]), [2, 0]).tolist()
        [True, False, True]
    """
    if graph.num_graphs != 1:
        raise InputError(f"a score is of one graph, this batch has {graph.num_graphs}")
    # A mask or a fraction is no node number, and NumPy would take it for one.
    wrong = tuple(kind for kind in set(map(type, nodes)) if not _is_whole(kind))
    if wrong:
        found = next(node for node in nodes if type(node) in wrong)
        raise InputError(f"nodes must be whole numbers, {found!r} is none")
    try:
        numbers = np.fromiter(nodes, np.int64, len(nodes))
    except OverflowError:
        numbers = np.array([-1])
    if numbers.min(initial=0) < 0 or numbers.max(initial=-1) >= graph.num_nodes:
        outside = next(node for node in nodes if not 0 <= node < graph.num_nodes)
        raise InputError(f"node {outside} is outside a graph of {graph.num_nodes} nodes")
    chosen = np.zeros(graph.num_nodes, dtype=np.bool_)
    chosen[numbers] = True
    return chosen


def _is_whole(kind: type) -> bool:
    return issubclass(kind, int | np.integer) and not issubclass(kind, bool)


def lighter_ends(graph: Graph) -> FloatArray:
    """Return the weight of the lighter end of each edge, [num_edges].

    Example:
        >>> lighter_ends(Graph.from_edges([[0, 1], [1, 2]], node_weight=[5, 3, 4])).tolist()
        [3.0, 3.0]
    """
    weight, (low, high) = graph.node_weight, graph.edges
    if graph.num_edges and weight.min() == weight.max():
        return np.full(graph.num_edges, weight[0])
    return np.asarray(np.minimum(weight[low], weight[high]))


def total_weight(graph: Graph, chosen: NDArray[np.bool_]) -> float:
    """Return the sum of the weights of the nodes in a set, given as [num_nodes]."""
    return float(graph.node_weight[chosen].sum())


def ratios(problem: Problem, found: FloatArray, known: FloatArray) -> FloatArray:
    """Return how near values come to the best known, [num_graphs]: 1 is as good, 0 where nothing feasible was found.

    For positive values found/known of what is maximised and known/found of what is minimised, as in the paper; written
    as 1 − difference / the larger size, which has a meaning for values of 0 and below too. Never below 0.

    Example:
        >>> from annealco.problems import PROBLEMS
        >>> ratios(PROBLEMS["mis"], np.array([8.0, 0.0]), np.array([10.0, 0.0])).tolist()
        [0.8, 1.0]
        >>> ratios(PROBLEMS["mds"], np.array([10.0, np.nan]), np.array([8.0, 5.0])).tolist()
        [0.8, 0.0]
    """
    worse = known - found if problem.sense == "max" else found - known
    size = np.maximum(np.abs(found), np.abs(known))
    return np.maximum(np.nan_to_num(1.0 - worse / np.where(size == 0, 1.0, size), nan=0.0), 0.0)
