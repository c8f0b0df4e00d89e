"""Run networks of the kind `field` in the compiled core, from their files, without PyTorch.

`annealco.models.field` states what such a network computes, trains it, and runs it on GPUs. Here is what both share,
what a node sees of its graph and in which units, and the way through the core: all restarts of a graph together, in
single precision. Both draw the same random numbers for a seed, so they propose the same up to rounding.

A network of `two_sided` is two of these, of which every graph takes the one for its side.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from os import PathLike
from pathlib import Path
from typing import Any, NamedTuple, Self
from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import NDArray

from annealco._core import Clock, FieldEnergy, FieldRecurrence, FieldSetting, FieldWeights, StopFlag
from annealco.arguments import as_integer, checked
from annealco.arrays import FloatArray, IntArray, PairArray, rows_of_pairs, segment_of, segment_sum
from annealco.energy import AllPairs, Cover, Energy, Instance, Linear, Pairs, Range
from annealco.energy.compiled import compile_terms
from annealco.energy.instance import objective_scale
from annealco.energy.terms import Term, unknown_term, with_coefficient
from annealco.errors import GraphFileError, InputError
from annealco.files import as_folder
from annealco.graph.graph import Graph
from annealco.graph.operations import sparse_side
from annealco.models.pretrained import FILE, read_description, read_tensors, require, require_number

SingleArray = NDArray[np.float32]

NUM_FEATURES = 4
"""Random numbers a node starts from."""

NUM_SIGNALS = 5
"""Numbers a step reads off Q: φ, and four of the field."""

NUM_SURROUNDINGS = 6
"""Columns of `node_columns`."""

NUM_RESTARTS, MOST_RESTARTS = 8, 2**20
"""Restarts where nothing is said, and the most that the core runs together."""


class StepSeconds(NamedTuple):
    """What the first step of a network takes, with all that is made before it, and what more takes, in seconds.

    Attributes:
        least: on any graph.
        per_item: for each node and edge.
        per_restart: for each node and restart but the first, and for each node and further step of a restart.
    """

    least: float
    per_item: float
    per_restart: float

    def first(self, graph: Graph) -> float:
        """Return the time of one restart.

        Example:
            >>> StepSeconds(1.0, 0.1, 0.01).first(Graph.from_edges([[0, 1], [1, 2]]))
            1.5
        """
        return self.least + self.per_item * (graph.num_nodes + graph.num_edges)

    def several(self, graph: Graph, num_steps: int) -> float:
        """Return the time of so many steps of one restart, about.

        Example:
            >>> StepSeconds(1.0, 0.1, 0.01).several(Graph.from_edges([[0, 1], [1, 2]]), 3)
            1.56
        """
        return self.first(graph) + (num_steps - 1) * self.per_restart * graph.num_nodes


CORE_STEP = StepSeconds(least=4e-4, per_item=1.2e-7, per_restart=4.3e-7)
TORCH_STEP = StepSeconds(least=6e-3, per_item=1e-7, per_restart=2e-6)


class Fixed(NamedTuple):
    """What is fixed while a network runs on a batch.

    Attributes:
        pairs: [2, num_pairs] of the sparser side of each graph.
        columns: [num_nodes, NUM_SURROUNDINGS].
        objective: energy of the objective alone, in units of each graph.
        penalty: energy of the constraints alone, at the critical penalty, in the same units.
        unit: [num_nodes], one over the scale of a node's field.
        complemented: [num_graphs] whether the sparser side is the complement.
    """

    pairs: PairArray
    columns: FloatArray
    objective: Energy
    penalty: Energy
    unit: FloatArray
    complemented: NDArray[np.bool_]


def fixed_inputs(graph: Graph, instance: Instance) -> Fixed:
    """Return what is fixed on a batch."""
    pairs, complemented = sparse_side(graph)
    instance = in_graph_units(instance)
    num_terms = len(instance.objective)
    return Fixed(
        pairs=pairs,
        columns=node_columns(graph),
        objective=Energy(instance.node_ptr, instance.objective),
        penalty=Energy(instance.node_ptr, instance.energy().terms[num_terms:]),
        unit=1 / np.maximum(objective_scale(instance), LEAST_SCALE),
        complemented=complemented,
    )


def node_columns(graph: Graph) -> FloatArray:
    """Return fixed features of the nodes, [num_nodes, NUM_SURROUNDINGS].

    Degrees are those of the sparser side of each graph: their logarithm, their ratio to the graph's mean, and whether
    the side is the complement; weights by their ratio to the graph's mean; the mean weight of a node's edges by
    that of the graph; the share of other nodes it is joined to.
    """
    pairs, complemented = sparse_side(graph)
    degree = np.bincount(pairs.reshape(-1), minlength=graph.num_nodes).astype(np.float64)
    others = (np.diff(graph.node_ptr) - 1)[graph.graph_of_node]
    flipped = complemented[graph.graph_of_node]
    joined = np.where(flipped, others - degree, degree)
    columns = [
        np.log1p(degree) / 4,
        _ratio(degree, graph.node_ptr),
        flipped,
        _ratio(graph.node_weight, graph.node_ptr),
        _heaviness(graph),
        joined / np.maximum(others, 1),
    ]
    return np.stack(columns, axis=1)


def _heaviness(graph: Graph) -> FloatArray:
    """Return the mean weight of each node's edges by that of the graph; nothing is summed where all weigh 1."""
    if np.all(graph.edge_weight == 1):
        return np.zeros(graph.num_nodes)
    return _ratio(graph.weighted_degree / np.maximum(graph.degree, 1), graph.node_ptr)


def _ratio(values: FloatArray, node_ptr: IntArray) -> FloatArray:
    """Return values by their graph's mean size, less 1, within ±4."""
    counts = np.maximum(np.diff(node_ptr), 1)
    mean = segment_sum(np.abs(values), node_ptr) / counts
    safe = np.repeat(np.where(mean > 0, mean, 1.0), np.diff(node_ptr))
    return np.asarray(np.clip(values / safe - 1, -4, 4))


MOST_EXPONENT = 50
"""Coefficients are cut off at 2^50: their sums, and ratios of such sums, are finite in single precision."""

LEAST_SCALE = 2.0**-MOST_EXPONENT
"""A node that changes the objective by less, in units of its graph, is seen as one that hardly changes it."""


def in_graph_units(instance: Instance) -> Instance:
    """Return an instance whose objective a typical node of each graph changes by about 1, with penalties to match.

    Typical is the geometric mean, so that one huge or tiny weight does not make all others vanish.

    Example:
        >>> from annealco.energy import Linear
        >>> ptr = np.array([0, 3])
        >>> huge = Instance(ptr, (Linear(ptr, np.array([1.0, 2.0, 4.0]) * 2.0**200),))
        >>> in_graph_units(huge).objective[0].coefficient.tolist()
        [0.5, 1.0, 2.0]
    """
    exponent = _typical_exponent(instance)

    def shifted(term: Term, values: FloatArray) -> FloatArray:
        mantissa, own = np.frexp(values)
        return np.ldexp(mantissa, np.minimum(own - exponent[_graph_of_item(term)], MOST_EXPONENT))

    return replace(
        instance,
        objective=tuple(with_coefficient(term, shifted(term, term.coefficient)) for term in instance.objective),
        constraints=tuple(replace(each, penalty=shifted(each.term, each.penalty)) for each in instance.constraints),
        constant=None if instance.constant is None else np.ldexp(instance.constant, -exponent),
    )


def _typical_exponent(instance: Instance) -> IntArray:
    """Return the mean of log2, rounded, of what nodes change the objective by, [num_graphs]; 0 where it is nothing."""
    bound = Energy(instance.node_ptr, instance.objective).flip_bound()
    _, exponent = np.frexp(bound)
    counts = bound > 0
    total = segment_sum(np.where(counts, exponent - 1.0, 0.0), instance.node_ptr)
    number = segment_sum(counts.astype(np.float64), instance.node_ptr)
    return np.rint(total / np.maximum(number, 1)).astype(np.int64)


def _graph_of_item(term: Term) -> IntArray:
    """Return the graph of each coefficient of a term."""
    if isinstance(term, Pairs):
        return term.graph_of_pair
    if isinstance(term, Cover):
        return term.graph_of_set
    items = np.arange(len(term.coefficient))
    if isinstance(term, Range):
        return items
    if isinstance(term, Linear | AllPairs):
        return segment_of(term.node_ptr, items)
    raise unknown_term(term, user="a unit of a graph")


def normal_features(generator: np.random.Generator, num_nodes: int, num_samples: int) -> SingleArray:
    """Draw what restarts start from, [num_nodes, num_samples, NUM_FEATURES]."""
    return generator.standard_normal((num_nodes, num_samples, NUM_FEATURES), dtype=np.float32)


def drawn_afresh(generator: np.random.Generator, num_nodes: int, num_samples: int, fresh: float) -> NDArray[np.bool_]:
    """Draw which nodes start anew in which restart, [num_nodes, num_samples]: about this share of them."""
    return generator.random((num_nodes, num_samples), dtype=np.float32) < fresh


RANGE_METHODS = {"gaussian": 0, "plugin": 1}
"""The ways to take the expectation of a `Range` that the core knows; ``exact`` is torch's, an oracle of tests."""


def is_compiled(instance: Instance) -> bool:
    """Tell whether the core knows the fields of an instance: not of ranges by convolution, or of several `AllPairs`."""
    parts = (instance.objective, tuple(each.term for each in instance.constraints))
    ranges = [term for terms in parts for term in terms if isinstance(term, Range)]
    every = [sum(isinstance(term, AllPairs) for term in terms) for terms in parts]
    return max(every) <= 1 and all(term.method in RANGE_METHODS for term in ranges)


class Setting(NamedTuple):
    """What is fixed on a batch, in the core, and which graphs are seen by their complement, [num_graphs]."""

    core: FieldSetting
    complemented: NDArray[np.bool_]


_CACHE: WeakKeyDictionary[Instance, Setting] = WeakKeyDictionary()


def core_setting(graph: Graph, instance: Instance) -> Setting:
    """Return what is fixed on a batch for the core, made once an instance."""
    if instance not in _CACHE:
        if not is_compiled(instance):
            rule = "the core takes no ranges by the exact method, and one AllPairs term"
            raise InputError(f"{rule}: give a network that annealco.load read, which needs PyTorch")
        fixed = fixed_inputs(graph, instance)
        start, neighbours = rows_of_pairs(fixed.pairs, graph.num_nodes)
        core = FieldSetting(
            node_start=np.array(graph.node_ptr, dtype=np.int64),
            neighbour_start=start,
            neighbours=neighbours,
            surroundings=_single(fixed.columns),
            unit=_single(fixed.unit),
            objective=_core_energy(fixed.objective),
            penalty=_core_energy(fixed.penalty),
        )
        _CACHE[instance] = Setting(core, fixed.complemented)
    return _CACHE[instance]


def _core_energy(energy: Energy) -> FieldEnergy:
    terms = tuple((each.short_list or each) if isinstance(each, AllPairs) else each for each in energy.terms)
    flat = compile_terms(terms, energy.node_ptr)
    methods = [RANGE_METHODS[term.method] for term in terms if isinstance(term, Range)]
    return FieldEnergy(
        linear=_single(flat.linear),
        pair_start=flat.pair_ptr,
        pair_index=flat.pair_index,
        pair_value=_single(flat.pair_value),
        all_pairs=_single(flat.all_pairs),
        descending=flat.all_pairs_order,
        set_offsets=flat.cover_ptr,
        set_members=flat.cover_members,
        set_of_start=flat.cover_of_ptr,
        set_of=flat.cover_of,
        cover=_single(flat.cover_value),
        set_start=flat.graph_set_ptr,
        range_weight=flat.range_weight,
        range_lower=flat.range_lower,
        range_upper=flat.range_upper,
        range=flat.range_value,
        range_method=np.array(methods, dtype=np.int64),
    )


def _single(values: FloatArray) -> SingleArray:
    """Return numbers in single precision, those beyond its range at its ends."""
    most = float(np.finfo(np.float32).max)
    return np.ascontiguousarray(np.clip(values, -most, most), dtype=np.float32)


@dataclass(frozen=True, eq=False)
class CompiledField:
    """A network of the kind `field` or `two_sided` in the core.

    Attributes:
        weights: of all graphs, or of sparse graphs and of dense ones.
        num_steps: of a run.
        round_steps: steps after which a long run proposes.
        fresh: share of the nodes that then start anew.
    """

    weights: tuple[FieldWeights, ...]
    num_steps: int
    round_steps: int
    fresh: float

    def propose(
        self,
        graph: Graph,
        instance: Instance,
        num_restarts: int,
        seed: int,
        *,
        seconds: float = math.inf,
        stop: StopFlag | None = None,
        num_threads: int = 1,
    ) -> SingleArray:
        """Return the logits after every round and after the last step, [num_rounds · num_restarts, num_nodes].

        Between rounds nodes drawn at random start anew among the others. Every restart makes a step; no further one is
        begun once the seconds are over or an end is asked for.
        """
        clock = Clock(seconds=None if math.isinf(seconds) else seconds, stop=stop)
        setting = core_setting(graph, instance)
        weights_of = np.minimum(setting.complemented, len(self.weights) - 1).astype(np.int32)
        recurrence = FieldRecurrence(list(self.weights), weights_of, setting.core, num_restarts=num_restarts)
        generator, size = np.random.default_rng(seed), (graph.num_nodes, num_restarts)
        proposed = list[SingleArray]()
        for first in range(0, self.num_steps, self.round_steps):
            features = normal_features(generator, *size)
            fresh = drawn_afresh(generator, *size, self.fresh) if first else None
            recurrence.begin(features, fresh, num_threads=num_threads)
            logits = np.empty((num_restarts, graph.num_nodes), dtype=np.float32)
            recurrence.run(min(self.round_steps, self.num_steps - first), logits, clock, num_threads=num_threads)
            proposed.append(logits)
            if clock.is_over:
                break
        return np.concatenate(proposed)


LARGEST_SETTING = 2**16
"""Largest whole number that a setting of a network of the registry may be."""


class FieldSettings(NamedTuple):
    """Settings of these networks; `annealco.models.field.Field` tells what they mean."""

    width: int = 32
    num_steps: int = 16
    round_steps: int = 64
    fresh: float = 0.3

    def check(self) -> FieldSettings:
        """Return them, if they are possible."""
        for name in ("width", "num_steps", "round_steps"):
            if getattr(self, name) < 1:
                raise InputError(f"{name} must be at least 1, it is {getattr(self, name)}")
            if getattr(self, name) > LARGEST_SETTING:
                raise InputError(f"{name} must be at most {LARGEST_SETTING}, it is {getattr(self, name)}")
        if not 0 <= self.fresh <= 1:
            raise InputError(f"fresh must be from 0 to 1, it is {self.fresh}")
        return self

    def told(self) -> dict[str, Any]:
        """Return what tells a network apart: width and steps, and how rounds go where that is not the default.

        Example:
            >>> FieldSettings(width=8, round_steps=16).told()
            {'width': 8, 'num_steps': 16, 'round_steps': 16}
        """
        rounds = {name: getattr(self, name) for name in ("round_steps", "fresh")}
        changed = {name: value for name, value in rounds.items() if value != self._field_defaults[name]}
        return {"width": self.width, "num_steps": self.num_steps, **changed}


DEFAULTS = FieldSettings()

SIDES = {"field": ("",), "two_sided": ("sparse.", "dense.")}
"""Networks that the core runs, by name: what the names of the tensors of each of their parts begin with."""


def pack_weights(tensors: Mapping[str, SingleArray], prefix: str = "", *, must_be_finite: bool = True) -> FieldWeights:
    """Return the weights of a `field`, whose tensors have these names behind a prefix."""
    named = {name: np.ascontiguousarray(tensors[prefix + name], dtype=np.float32) for name in tensor_shapes(1)}
    width = len(named["start.bias"])
    return FieldWeights(width=width, **packed_names(named), must_be_finite=must_be_finite)


def packed_names(tensors: Mapping[str, SingleArray]) -> dict[str, SingleArray]:
    """Return views of the tensors of a `field` by the names that the core has for them."""
    return {
        "start": tensors["start.weight"],
        "start_bias": tensors["start.bias"],
        "messages": tensors["messages.weight"],
        "signals": tensors["signals.weight"],
        "bias": tensors["signals.bias"],
        "recurrent": tensors["recurrent.weight"],
        "read": tensors["read.weight"][0],
        "read_bias": tensors["read.bias"],
    }


def tensor_shapes(width: int) -> dict[str, tuple[int, ...]]:
    """Return the shape of every tensor of a `field` of some width.

    Example:
        >>> sum(math.prod(shape) for shape in tensor_shapes(32).values())
        10753
    """
    return {
        "start.weight": (width, NUM_FEATURES + NUM_SURROUNDINGS),
        "start.bias": (width,),
        "messages.weight": (3 * width, 2 * width),
        "signals.weight": (3 * width, NUM_SIGNALS + NUM_SURROUNDINGS),
        "signals.bias": (3 * width,),
        "recurrent.weight": (3 * width, width),
        "read.weight": (1, width),
        "read.bias": (1,),
    }


@dataclass(frozen=True, eq=False)
class CompiledModel:
    """A trained network in the core, and how to run it: what `annealco.training.trained.TrainedModel` is in torch.

    Attributes:
        network: with its weights.
        name: of the network in `MODELS`.
        problem: the name of the problem it was trained for.
        num_restarts: proposals per graph and round.
        seed: of the random features that tell restarts apart.
        seconds: no further step is begun after these; one is always made.
        stop: nor once this is set.
        record: how it was trained: recipe, metrics, version of the package.
        settings: that it was built with, as its file tells them.
    """

    network: CompiledField
    name: str
    problem: str
    num_restarts: int = NUM_RESTARTS
    seed: int = 0
    seconds: float = math.inf
    stop: StopFlag | None = None
    record: Mapping[str, Any] = field(default_factory=dict)
    settings: Mapping[str, Any] = field(default_factory=dict)

    @property
    def step_seconds(self) -> StepSeconds:
        """What a first step takes."""
        return CORE_STEP

    def __call__(self, graph: Graph, instance: Instance) -> SingleArray:
        """Return logits, [num_proposals, num_nodes]."""
        return self.network.propose(graph, instance, self.num_restarts, self.seed, seconds=self.seconds, stop=self.stop)

    @checked
    def with_settings(
        self,
        *,
        num_restarts: int | None = None,
        seed: int | None = None,
        num_steps: int | None = None,
        round_steps: int | None = None,
        fresh: float | None = None,
        seconds: float | None = None,
        stop: StopFlag | None = None,
    ) -> Self:
        """Return the same weights, run otherwise; what is not given stays. See `TrainedModel.with_settings`."""
        changed = given_settings(num_steps=num_steps, round_steps=round_steps, fresh=fresh)
        DEFAULTS._replace(**changed).check()
        how = proposal_settings(num_restarts, seed, seconds, stop)
        return replace(self, network=replace(self.network, **changed), **how)


def proposal_settings(
    num_restarts: int | None, seed: int | None, seconds: float | None, stop: StopFlag | None
) -> dict[str, Any]:
    """Return what is given of how many proposals a network makes, from which seed and until when.

    Raises:
        InputError: for what is out of range.
    """
    if num_restarts is not None:
        as_integer("num_restarts", num_restarts, 1, MOST_RESTARTS)
    if seed is not None:
        as_integer("seed", seed, 0)
    if seconds is not None and math.isnan(seconds):
        raise InputError("seconds must be a number, they are nan")
    return given_settings(num_restarts=num_restarts, seed=seed, seconds=seconds, stop=stop)


def given_settings(**settings: Any) -> dict[str, Any]:
    """Return those that are not None."""
    return {name: value for name, value in settings.items() if value is not None}


def load_compiled(path: str | PathLike[str]) -> CompiledModel | None:
    """Read a trained network from its folder for the core; None where it is of a kind that the core does not run.

    Raises:
        InputError: where a file is missing, malformed, truncated or of another version, and where the weights are not
            those of the network.

    Example:
        >>> from annealco.models.pretrained import shipped_folder
        >>> load_compiled(shipped_folder("mds")).name
        'field'
    """
    folder = as_folder(path, "the place of a model")
    file, content = folder / FILE, read_description(folder)
    name, settings = content["model"], content["settings"]
    if name not in SIDES:
        return None
    names = DEFAULTS._fields
    if settings is None:
        raise GraphFileError(file, f"its settings are not known, and model {name} is built with {', '.join(names)}")
    if unknown := sorted(settings.keys() - set(names)):
        raise GraphFileError(file, f"unknown setting {unknown[0]!r} of model {name}; choose from {', '.join(names)}")
    found = _settings(file, DEFAULTS._asdict() | settings)
    tensors = read_tensors(file, content)
    shapes = {side + key: shape for side in SIDES[name] for key, shape in tensor_shapes(found.width).items()}
    fault = _fault(shapes, tensors)
    if fault is not None:
        raise GraphFileError(file, fault)
    weights = tuple(pack_weights(tensors, side) for side in SIDES[name])
    network = CompiledField(weights, found.num_steps, found.round_steps, found.fresh)
    return CompiledModel(network, name, content["problem"], record=_record(file, content), settings=settings)


def _record(file: Path, content: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return how a network was trained; what is read of it here is of its type."""
    record: Mapping[str, Any] = require(file, content, "record", dict)
    recipe = require(file, record, "recipe", dict) if "recipe" in record else {}
    kinds: dict[str, type | tuple[type, ...]] = {"loss": str, "tau0": (int, float)}
    for key in recipe.keys() & kinds.keys():
        require(file, recipe, key, kinds[key])
    return record


def _settings(file: Path, given: Mapping[str, Any]) -> FieldSettings:
    """Return the settings of a file, which must be whole numbers, but for the share."""
    fresh = require_number(file, given, "fresh", 0, 1)
    whole = {name: require_number(file, given, name, 1, LARGEST_SETTING) for name in given if name != "fresh"}
    for name, value in whole.items():
        if value != int(value):
            raise GraphFileError(file, f"{name!r} must be a whole number, it is {value}")
    return FieldSettings(**{name: int(value) for name, value in whole.items()}, fresh=float(fresh))


def _fault(shapes: Mapping[str, tuple[int, ...]], tensors: Mapping[str, NDArray[Any]]) -> str | None:
    """Tell what is wrong with tensors that must have these names and shapes; None for nothing."""
    for key, shape in shapes.items():
        if key not in tensors:
            return f"its weights lack the tensor {key!r}"
        if tensors[key].shape != shape:
            return f"the tensor {key!r} must have shape {list(shape)}, it has {list(tensors[key].shape)}"
        if tensors[key].dtype != np.float32:
            return f"the tensor {key!r} must be float32, it is {tensors[key].dtype}"
        if not np.isfinite(tensors[key]).all():
            return f"the tensor {key!r} has entries that are not finite"
    unknown = sorted(tensors.keys() - shapes.keys())
    return f"its weights have a tensor {unknown[0]!r} that the network does not know" if unknown else None
