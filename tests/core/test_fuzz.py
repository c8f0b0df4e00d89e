"""Nothing that Python passes to the core may crash the process.

`EXAMPLES` has arguments with which every function, constructor and method of the core works. Each is called with these,
then with one or two of them wrong: sizes, types, ids out of range, NaN, negative numbers, empty arrays. A call may
return or raise one of `ALLOWED`. `make test-sanitized` runs this with sanitizers, which end the process at a bad
access. An entry point that is not in the table fails `test_every_entry_point_has_an_example`.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator
from enum import Enum
from typing import Any

import numpy as np
import pytest

from annealco import _core

ALLOWED = (ValueError, TypeError, OverflowError, MemoryError)
NUM_DOUBLE_FAULTS = 100
WRONG_INTEGERS = (-1, 0, 1, -(2**31), 2**31 - 1, 2**63 - 1, -(2**63), 2**64, 0.5, None, "1")
WRONG_FLOATS = (np.nan, np.inf, -np.inf, -1.0, 0.0, 5e-324, 1e308, None, "1")
WRONG_IDS = (-1, 2**31 - 1, -(2**31))
WRONG_COEFFICIENTS = (np.nan, np.inf, -np.inf, -1.0, 1e308)
WRONG_OBJECTS = (None, 0, "clock", np.zeros(0))

Arguments = dict[str, Any]


def clock() -> _core.Clock:
    return _core.Clock(moves=50)


def mixed_terms() -> Arguments:
    """Return two graphs, of 3 and 1 nodes, with a term of every kind."""
    two = np.ones((1, 2))
    return {
        "node_start": np.array([0, 3, 4]),
        "linear": np.full((4, 2), -1.0),
        "pair_start": np.array([0, 1, 2, 2, 2]),
        "pair_index": np.array([1, 0], dtype=np.int32),
        "pair_energy": np.ones(1),
        "pair_violation": np.array([1.0, 1.0]),
        "set_offsets": np.array([0, 3, 4]),
        "set_members": np.array([0, 1, 2, 3], dtype=np.int32),
        "set_of_start": np.array([0, 1, 2, 3, 4]),
        "set_of": np.array([0, 0, 0, 1], dtype=np.int32),
        "cover": two,
        "set_start": np.array([0, 1, 2]),
        "all_pairs": np.array([[3.0, 1.0], [2.0, 1.0], [1.0, 1.0], [1.0, 1.0]]),
        "place": np.array([[0, 0], [1, 1], [2, 2], [3, 3]], dtype=np.int32),
        "uniform": np.array([[False, True], [True, True]]),
        "range_weight": np.ones((1, 4)),
        "range_lower": np.array([[1.0, 0.0]]),
        "range_upper": np.array([[2.0, 1.0]]),
        "range": np.ones((1, 2, 2)),
        "constant": np.zeros((2, 2)),
    }


def terms() -> _core.EnergyTerms:
    return _core.EnergyTerms(**mixed_terms())


def plain_terms() -> _core.EnergyTerms:
    """Return the terms of one graph, of 3 nodes and one pair."""
    return _core.EnergyTerms(
        **mixed_terms()
        | {
            "node_start": np.array([0, 3]),
            "linear": np.full((3, 2), -1.0),
            "pair_start": np.array([0, 1, 2, 2]),
            "set_offsets": np.array([0, 3]),
            "set_members": np.array([0, 1, 2], dtype=np.int32),
            "set_of_start": np.array([0, 1, 2, 3]),
            "set_of": np.array([0, 0, 0], dtype=np.int32),
            "set_start": np.array([0, 1]),
            "all_pairs": np.zeros((0, 2)),
            "place": np.zeros((0, 2), dtype=np.int32),
            "uniform": np.array([[True, True]]),
            "range_weight": np.ones((1, 3)),
            "range_lower": np.ones((1, 1)),
            "range_upper": np.full((1, 1), 2.0),
            "range": np.ones((1, 1, 2)),
            "constant": np.zeros((1, 2)),
        }
    )


def field_energy() -> Arguments:
    """Return the same two graphs with a term of every kind, for networks."""
    some = mixed_terms()
    names = ("pair_start", "pair_index", "set_offsets", "set_members", "set_of_start", "set_of", "set_start")
    return {
        **{name: some[name] for name in (*names, "range_weight", "range_lower", "range_upper")},
        "linear": np.full(4, -1.0, np.float32),
        "pair_value": np.ones(2, np.float32),
        "all_pairs": np.array([3, 2, 1, 1], np.float32),
        "descending": ints(0, 1, 2, 3),
        "cover": np.ones(2, np.float32),
        "range": np.ones((1, 2)),
        "range_method": np.array([0]),
    }


def field_setting() -> Arguments:
    some = mixed_terms()
    return {
        "node_start": some["node_start"],
        "neighbour_start": some["pair_start"],
        "neighbours": some["pair_index"],
        "surroundings": np.ones((4, 6), np.float32),
        "unit": np.ones(4, np.float32),
        "objective": _core.FieldEnergy(**field_energy()),
        "penalty": _core.FieldEnergy(**field_energy() | {"range_method": np.array([1])}),
    }


def field_weights() -> Arguments:
    """Return weights of a network of width 3."""
    shapes = {"start": (3, 10), "start_bias": (3,), "messages": (9, 6), "signals": (9, 11), "bias": (9,)}
    shapes |= {"recurrent": (9, 3), "read": (3,)}
    weights: Arguments = {name: np.full(shape, 0.1, np.float32) for name, shape in shapes.items()}
    return {"width": 3, **weights, "read_bias": np.array([-1.0], np.float32), "must_be_finite": True}


def field_recurrence() -> Arguments:
    return {
        "weights": [_core.FieldWeights(**field_weights())] * 2,
        "weights_of": ints(0, 1),
        "setting": _core.FieldSetting(**field_setting()),
        "num_restarts": 3,
        "most_lanes": 8,
    }


def field_tape() -> Arguments:
    return {
        "weights": _core.FieldWeights(**field_weights()),
        "setting": _core.FieldSetting(**field_setting()),
        "features": np.ones((4, 3, 4), np.float32),
        "logits": np.zeros((2, 4, 3), np.float32),
        "num_steps": 4,
        "num_threads": 2,
        "most_lanes": 8,
    }


def field_gradient() -> Arguments:
    """Return what the way back takes, and where it writes."""
    written = {name: each for name, each in field_weights().items() if name not in {"width", "must_be_finite"}}
    return {
        "features": np.ones((4, 3, 4), np.float32),
        "gradient": np.ones((2, 4, 3), np.float32),
        **written,
        "num_threads": 2,
    }


def triangle() -> Arguments:
    """Return the spins of a triangle."""
    return {
        "num_spins": 3,
        "low": np.array([0, 0, 1], dtype=np.int32),
        "high": np.array([1, 2, 2], dtype=np.int32),
        "strength": np.array([1.0, -1.0, 0.5]),
    }


def couplings() -> _core.Couplings:
    return _core.Couplings(**triangle())


def frustrated() -> _core.Couplings:
    """Return five spins that are all coupled, so that none can be eliminated."""
    low, high = np.triu_indices(5, 1)
    return _core.Couplings(5, low.astype(np.int32), high.astype(np.int32), np.ones(10))


def pair_terms() -> _core.EnergyTerms:
    """Return the terms of one graph, of 3 nodes and one pair, and nothing else."""
    return _core.EnergyTerms(
        **mixed_terms()
        | {
            "node_start": np.array([0, 3]),
            "linear": np.array([[-1.0, 0.0]] * 3),
            "pair_start": np.array([0, 1, 2, 2]),
            "pair_violation": np.zeros(1),
            "set_offsets": np.zeros(1, np.int64),
            "set_members": np.zeros(0, np.int32),
            "set_of_start": np.zeros(4, np.int64),
            "set_of": np.zeros(0, np.int32),
            "set_start": np.zeros(2, np.int64),
            "all_pairs": np.zeros((0, 2)),
            "place": np.zeros((0, 2), dtype=np.int32),
            "uniform": np.array([[True, True]]),
            "range_weight": np.zeros((0, 3)),
            "range_lower": np.zeros((0, 1)),
            "range_upper": np.zeros((0, 1)),
            "range": np.zeros((0, 1, 2)),
            "constant": np.zeros((1, 2)),
        }
    )


def agreeing() -> _core.Couplings:
    return _core.Couplings(**triangle() | {"strength": np.array([1.0, 0.0, 0.5])})


def sets() -> Arguments:
    return {"cost": np.ones(4), "lengths": np.array([2, 3]), "members": np.array([0, 1, 1, 2, 3], dtype=np.int32)}


def path_rows() -> Arguments:
    """Return the rows of a path of three nodes."""
    return {"start": np.array([0, 1, 3, 4]), "index": np.array([1, 0, 2, 1], dtype=np.int32)}


def pairs() -> Arguments:
    return {"one": np.array([0, 1], dtype=np.int32), "two": np.array([1, 2], dtype=np.int32)}


def objective() -> Arguments:
    """Return linear and pair coefficients on a path of three nodes."""
    start, index = path_rows().values()
    return {"linear": -np.ones(3), "start": start, "others": index, "values": np.full(4, 2.0)}


def path(index: str, **more: Any) -> Callable[[], Arguments]:
    """Return arguments with the rows of a path, whose neighbours go by some name."""
    return lambda: {"start": path_rows()["start"], index: path_rows()["index"], **more, "clock": clock()}


def floats(*values: float) -> np.ndarray:
    return np.array(values, np.float64)


def ints(*values: int) -> np.ndarray:
    return np.array(values, np.int32)


def some_sets() -> Arguments:
    """Three sets of four nodes."""
    return {"start": np.array([0, 2, 4, 7]), "member": ints(0, 1, 1, 2, 0, 2, 3)}


def neighbours() -> Arguments:
    """Two triangles that share a node."""
    return {"one": ints(0, 0, 1, 2, 2, 3), "two": ints(1, 2, 2, 3, 4, 4), "num_nodes": 5}


def partition() -> Arguments:
    label = ints(0, 0, 0, 1, 1)
    return {"graph": _core.Neighbours(**neighbours()), "weight": floats(1, 2, 3, 4, 5), "label": label}


def weighted() -> Arguments:
    return {"graph": _core.Neighbours(**neighbours()), "weight": floats(1, 2, 3, 4, 5), "clock": _core.Clock(moves=50)}


RING = np.array([[0, 1, 2, 3, 0], [1, 2, 3, 4, 4]], dtype=np.int32)
# The Petersen graph, which no rule takes, beside a pair, which is taken.
PETERSEN = np.array(
    [[0, 1, 2, 3, 0, 0, 1, 2, 3, 4, 5, 5, 6, 6, 7, 10], [1, 2, 3, 4, 4, 5, 6, 7, 8, 9, 7, 8, 8, 9, 9, 11]],
    dtype=np.int32,
)
EDGES = b"0 1\n1 2\n"
DIMACS = b"c a path\np edge 3 2\ne 1 2\ne 2 3\n"
METIS = b"2\n1 3\n2\n"

MAKERS: dict[str, Callable[[], Any]] = {
    "DimacsFile": lambda: _core.read_dimacs(DIMACS, clock()),
    "EdgeListFile": lambda: _core.read_edge_list(EDGES, clock()),
    "FlipSearch": lambda: _core.tabu_search(plain_terms(), np.zeros(3, bool), seed=1),
    "ListedEdges": lambda: _core.read_edge_list(EDGES, clock()).edges,
    "MetisFile": lambda: _core.read_metis(METIS, 0, 3, False, False, clock()),
    "Reduction": lambda: _core.reduce_sets(_core.HittingSet.of_pairs(np.full(12, 1.5), PETERSEN), clock()),
}
"""How to make an object of a class that only the core makes."""

EXAMPLES: dict[str, Callable[[], Arguments]] = {
    "BranchAndBound": lambda: {
        **some_sets(),
        "demand": ints(1, 2, 1),
        "weight": floats(3, 2, 4, 1),
        "price": floats(1, 0, 2),
    },
    "BranchAndBound.search": lambda: {"limit": 20.0, "gain": 0.5, "clock": _core.Clock(moves=50)},
    "IteratedGreedy": lambda: {**partition(), "colours": False, "seed": 3},
    "IteratedGreedy.run": lambda: {"aim": 0.0, "clock": _core.Clock(moves=5)},
    "Neighbours": neighbours,
    "Neighbours.complement": lambda: {"clock": _core.Clock()},
    "Neighbours.induced": lambda: {"kept": np.array([True, False, True, True, False]), "clock": _core.Clock()},
    "PartitionSearch": lambda: {**partition(), "colours": False, "seed": 3},
    "PartitionSearch.run": lambda: {"aim": 0.0, "patience": 2, "clock": _core.Clock(moves=50)},
    "FieldEnergy": field_energy,
    "FieldRecurrence": field_recurrence,
    "FieldRecurrence.begin": lambda: {
        "features": np.ones((4, 3, 4), np.float32),
        "fresh": np.ones((4, 3), bool),
        "num_threads": 2,
    },
    "FieldRecurrence.select": lambda: {
        "keeps": np.ones((2, 3), bool),
        "parent": np.array([[1, -1, 0], [2, 2, 1]], np.int32),
        "num_threads": 2,
    },
    "FieldRecurrence.run": lambda: {
        "num_steps": 2,
        "logits": np.zeros((3, 4), np.float32),
        "clock": clock(),
        "num_threads": 2,
    },
    "FieldSetting": field_setting,
    "FieldTape": field_tape,
    "FieldTape.backward": field_gradient,
    "FieldWeights": field_weights,
    "Patience": lambda: {"seconds": 5.0, "moves": 7},
    "Patience.improve": lambda: {"cost": -3.0},
    "Patience.wait": lambda: {"seconds": 1.0, "moves": 3},
    "PriceAscent": lambda: {**some_sets(), "weight": floats(3, 2, 4, 1), "price": floats(1, 0, 2), "goal": 9.0},
    "PriceAscent.run": lambda: {"aim": 8.0, "clock": _core.Clock(moves=50)},
    "certified_cost": lambda: {
        **some_sets(),
        "price": floats(1, 0, 2),
        "weight": floats(3, 2, 4, 1),
        "constant": 1.0,
    },
    "certified_price": lambda: {**some_sets(), "price": floats(1, 0, 2), "weight": floats(3, 2, 4, 1)},
    "cover_pairs": lambda: {
        "graph": _core.Neighbours(**neighbours()),
        "start": np.array([0, 3]),
        "member": ints(0, 1, 2),
        "most": 100,
        "clock": _core.Clock(),
    },
    "greedy_clique_cover": weighted,
    "greedy_colouring": weighted,
    "greedy_prices": lambda: {**some_sets(), "weight": floats(3, 2, 4, 1), "clock": _core.Clock()},
    "grid_step": lambda: {"values": floats(6, -4, 0.5)},
    "lower_sum": lambda: {"values": floats(6, -4, 0.1)},
    "overfilled_cliques": lambda: {
        "graph": _core.Neighbours(**neighbours()),
        "value": floats(0.5, 0.5, 0.5, 0.1, 0),
        "seed": 7,
        "most": 100,
        "clock": _core.Clock(),
    },
    "price_pairs": lambda: {"one": ints(0, 0, 1), "two": ints(1, 2, 2), "weight": floats(1, 2, 3)},
    "within_reach": lambda: {**weighted(), "limit": 4.0},
    "Assignment": lambda: {"terms": terms(), "chosen": np.zeros(4, bool)},
    "Assignment.change": lambda: {"graph": 1, "node": 3},
    "Assignment.flip": lambda: {"graph": 0, "node": 2},
    "Assignment.touched": lambda: {"graph": 0},
    "CliqueSearch": lambda: {
        "indptr": path_rows()["start"],
        "indices": path_rows()["index"],
        "weight": np.ones(3),
        "start": np.zeros(3, bool),
        "seed": 1,
        "limit": 0.5,
    },
    "CliqueSearch.raise_limit": lambda: {"weight": 1.5},
    "CliqueSearch.run": lambda: {"clock": clock(), "target": -2.0, "most_work": 1000},
    "Couplings": triangle,
    "CoveringSearch": lambda: {
        "problem": _core.HittingSet(**sets()),
        "start": np.zeros(4, bool),
        "seed": 1,
        "offset": 0.0,
    },
    "CoveringSearch.run": lambda: {"clock": clock(), "target": 0.0},
    "PackingSearch": lambda: {
        "problem": _core.HittingSet.of_pairs(np.ones(5), RING),
        "start": np.zeros(5, bool),
        "seed": 1,
        "offset": 0.0,
    },
    "PackingSearch.run": lambda: {"clock": clock(), "target": 0.0},
    "CycleSeparation": lambda: {"couplings": couplings()},
    "CycleSeparation.find": lambda: {
        "length": np.full(3, 0.1),
        "roots": np.array([0, 2], dtype=np.int32),
        "most": 10,
        "clock": clock(),
    },
    "EnergyTerms": mixed_terms,
    "FlipSearch.run": lambda: {"clock": clock(), "target": -1e9},
    "HittingSet": sets,
    "HittingSet.of_pairs": lambda: {
        "cost": np.ones(3),
        "pairs": np.array([[0, 1], [1, 2]], dtype=np.int32),
    },
    "MixingMethod": lambda: {"couplings": couplings(), "load": np.ones(3), "most": 4.0, "seed": 1},
    "MixingMethod.change": lambda: {"strength": np.ones(3)},
    "MixingMethod.run": lambda: {"clock": clock()},
    "MixingMethod.sweep": lambda: {"clock": clock()},
    "ProductState": lambda: {"terms": terms(), "probability": np.full(4, 0.5)},
    "ProductState.delta": lambda: {"graph": 0, "node": 1},
    "ProductState.update": lambda: {"graph": 0, "node": 1, "value": 1.0},
    "RangedCut": lambda: {
        "pairs": agreeing(),
        "field": np.array([-1.0, 0.5, 1.0]),
        "weight": np.array([1.0, 2.0, 1.0]),
        "lower": 1.0,
        "upper": 2.0,
        "chosen": np.array([1], dtype=np.int32),
    },
    "RangedCut.run": lambda: {"enough": np.inf, "clock": clock()},
    "Reduction.lift": lambda: {"kernel_chosen": np.zeros(10, bool)},
    "Reduction.restrict": lambda: {"chosen": np.zeros(12, bool)},
    "SpinBranching": lambda: {
        "couplings": couplings(),
        "diagonal": np.ones(3),
        "load": np.array([1.0, 0.0, 2.0]),
        "penalty": 0.5,
        "most": 9.0,
        "fixed": np.array([0, 1, 0], dtype=np.int8),
        "weight": np.array([1.0, 2.0, 1.0]),
        "lower": 1.0,
        "upper": 3.0,
    },
    "SpinBranching.run": lambda: {"clock": clock(), "limit": 10.0, "gain": 0.25},
    "SpinReduction": lambda: {"couplings": frustrated()},
    "SpinReduction.lift": lambda: {"spins": np.ones(5, np.int8)},
    "SpinReduction.run": lambda: {"clock": clock()},
    "RoofDuality": lambda: {"couplings": couplings(), "fixed": 2, "step": 0.0},
    "RoofDuality.run": lambda: {"clock": clock()},
    "SmallParts": lambda: {"problem": _core.HittingSet(**sets())},
    "SmallParts.run": lambda: {"most": 10, "gain": 0.5, "clock": clock()},
    "Theta": lambda: {"joined": _core.Neighbours(**neighbours()), "root": floats(1, 2, 3, 4, 5)},
    "Theta.run": lambda: {"limit": 0.0, "clock": clock()},
    "alternating_search": lambda: {"terms": plain_terms(), "start": np.zeros(3, bool), "seed": 1},
    "annealing": lambda: {
        "terms": plain_terms(),
        "start": np.zeros(3, bool),
        "seed": 1,
        "coolings": [np.array([1.0, 0.5])],
        "num_sweeps": 2,
    },
    "recombination": lambda: {
        "terms": pair_terms(),
        "start": np.zeros(3, bool),
        "seed": 1,
        "reduction_seconds": 1.0,
    },
    "closed_rows": path_rows,
    "component_roots": lambda: {"couplings": couplings(), "clock": clock()},
    "decode": lambda: {
        "terms": terms(),
        "probability": np.full((2, 4), 0.5),
        "assignment": np.zeros((2, 4), bool),
        "order": "steepest",
        "num_threads": 2,
    },
    "default_temperatures": lambda: {"terms": plain_terms(), "chosen": np.zeros(3, bool)},
    "first_outside": lambda: pairs() | {"num_nodes": 3},
    "is_positive_definite": lambda: {
        "couplings": couplings(),
        "diagonal": np.full(3, 4.0),
        "load": np.zeros(3),
        "penalty": 0.0,
        "clock": clock(),
    },
    "is_symmetric": lambda: {
        "tail": np.array([0, 1], dtype=np.int32),
        "head": np.array([1, 0], dtype=np.int32),
        "weights": np.ones(2),
        "num_nodes": 2,
    },
    "mean_field": lambda: {
        "terms": terms(),
        "probability": np.zeros((2, 4)),
        "temperatures": np.array([[1.0, 0.1], [1.0, 0.1]]),
        "seeds": np.array([1, 2], dtype=np.uint64),
        "num_threads": 1,
    },
    "normal_tail": lambda: {"z": np.linspace(0, 40, 9)},
    "normalised_edges": lambda: pairs() | {"weights": np.ones(2), "num_nodes": 3},
    "occurrences": lambda: {"list": np.array([0, 2, 2], dtype=np.int32), "size": 3},
    "pack_cycles": lambda: {"couplings": couplings(), "clock": clock(), "reach": 8},
    "read_dimacs": lambda: {"content": DIMACS, "clock": clock()},
    "read_edge_list": lambda: {"content": EDGES, "clock": clock()},
    "read_entries": lambda: {
        "content": b"2 1\n3 2\n",
        "begin": 0,
        "num_nodes": 3,
        "weighted": False,
        "both_directions": False,
        "clock": clock(),
    },
    "read_metis": lambda: {
        "content": METIS,
        "begin": 0,
        "num_nodes": 3,
        "node_weighted": False,
        "edge_weighted": False,
        "clock": clock(),
    },
    "join_hitting_sets": lambda: {
        "problem": _core.HittingSet(**sets()),
        "one": np.ones(4, bool),
        "two": np.array([True, False, True, True]),
    },
    "reduce_sets": lambda: {"problem": _core.HittingSet(**sets()), "clock": clock()},
    "repair": lambda: {
        "terms": terms(),
        "assignment": np.ones((2, 4), bool),
        "make_feasible": True,
        "improve": True,
        "num_threads": 1,
    },
    "spin_fields": lambda: {
        "linear": np.ones(3),
        "low": triangle()["low"],
        "high": triangle()["high"],
        "value": np.ones(3),
    },
    "sums": lambda: {"list": np.array([0, 2, 2], dtype=np.int32), "values": np.ones(3), "size": 3},
    "symmetric_rows": lambda: pairs() | {"values": np.ones(2), "size": 3},
    "unlisted_pairs": lambda: pairs() | {"node_start": np.array([0, 3])},
    "tabu_search": lambda: {"terms": plain_terms(), "start": np.zeros(3, bool), "seed": 1},
    "transposed": lambda: path_rows() | {"num_columns": 3},
    "approximate_pagerank": path("neighbours", weight=np.ones(4), seed=1, alpha=0.1, epsilon=0.01),
    "capacity_releasing_diffusion": path("neighbours", seed=1, capacity=1, height=5, rounds=3, most=4.0),
    "clique_in_order": path("partners", order=np.arange(3)),
    "clique_rows": lambda: {
        "num_nodes": 3,
        "low": triangle()["low"],
        "high": triangle()["high"],
        "clock": clock(),
    },
    "clique_updated": path("partners", weight=np.ones(3)),
    "cover_in_order": lambda: {"problem": _core.HittingSet(**sets()), "order": np.arange(4), "clock": clock()},
    "cover_updated": lambda: {"problem": _core.HittingSet(**sets()), "clock": clock()},
    "drop_in_order": lambda: {
        "problem": _core.HittingSet(**sets()),
        "chosen": np.ones(4, bool),
        "order": np.arange(4),
        "clock": clock(),
    },
    "grow_set": lambda: (
        objective() | {"weight": np.ones(3), "limits": (1.0, 2.0), "first": np.array([1]), "clock": clock()}
    ),
    "most_decided_first": lambda: objective() | {"clock": clock()},
    "pack_in_order": lambda: {
        "problem": _core.HittingSet.of_pairs(np.ones(5), RING),
        "order": np.arange(5),
        "clock": clock(),
    },
    "pack_updated": lambda: {"problem": _core.HittingSet.of_pairs(np.ones(5), RING), "clock": clock()},
    "preferential_attachment": lambda: {
        "generator": np.random.PCG64(1),
        "num_nodes": 9,
        "attachment": 2,
        "clock": clock(),
    },
    "sweep_sums": path("neighbours", weight=np.ones(4), order=np.arange(3)),
    "unit_flow": path("neighbours", given=np.array([4, 0, 0]), capacity=1, height=5),
    "Clock": lambda: {
        "seconds": 60.0,
        "moves": 50,
        "stop": _core.StopFlag(),
        "patience": _core.Patience(seconds=5.0, moves=7),
    },
    "Clock.record": lambda: {"cost": 4.0},
    "StopFlag": dict,
    "StopFlag.is_set": dict,
    "StopFlag.set": dict,
    "portable_values": lambda: {"values": np.linspace(-3, 3, 7)},
    "random_numbers": lambda: {"seed": 7, "count": 5, "below": 3},
}
"""Arguments by name of a function, a class (its constructor) or ``Class.method``, made anew for every call.

Budgets are small numbers of moves, so that whatever works ends at once.
"""

SIZES = {
    "Neighbours": {"num_nodes"},
    "random_numbers": {"count"},
    **{name: {"size"} for name in ("occurrences", "sums", "symmetric_rows")},
    **{
        name: {"num_nodes"}
        for name in ("is_symmetric", "normalised_edges", "read_entries", "read_metis", "preferential_attachment")
    },
    "transposed": {"num_columns"},
    "Couplings": {"num_spins"},
    "FieldTape": {"num_steps"},
}
"""Arguments that tell how much memory is asked for: large ones are left out, since memory may be granted."""


def is_entry(name: str) -> bool:
    return not name.startswith("_") and callable(getattr(_core, name)) and not is_enumeration(getattr(_core, name))


def test_objects_that_only_the_core_makes_can_be_read():
    for make in MAKERS.values():
        made = make()
        for each in [each for each in vars(type(made)) if not each.startswith("_")]:
            getattr(made, each)


def is_enumeration(value: object) -> bool:
    return inspect.isclass(value) and issubclass(value, Enum)


def entry_points() -> list[str]:
    """Return functions, classes that can be made, and public methods of all classes."""
    names = [name for name in dir(_core) if is_entry(name)]
    for owner in [name for name in names if inspect.isclass(getattr(_core, name))]:
        kind = getattr(_core, owner)
        methods = [name for name in vars(kind) if not name.startswith("_") and callable(getattr(kind, name))]
        names += [f"{owner}.{name}" for name in methods if not is_enumeration(getattr(kind, name))]
    return [name for name in names if name not in MAKERS]


NAMES = sorted(set(EXAMPLES) & set(entry_points()))


def test_every_entry_point_has_an_example():
    lacking = sorted(set(entry_points()) - set(EXAMPLES))
    assert not lacking, f"tests/core/test_fuzz.py: EXAMPLES needs arguments with which these work: {lacking}"


@pytest.mark.parametrize("name", NAMES)
def test_an_example_works(name):
    use(name, EXAMPLES[name]())


@pytest.mark.parametrize("name", NAMES)
def test_wrong_arguments_are_refused_or_survived(name):
    for argument in EXAMPLES[name]():
        for number in range(len(list(faults(name, argument, EXAMPLES[name]()[argument])))):
            arguments = EXAMPLES[name]()
            spoil(name, arguments, argument, number)
            survive(name, arguments)
    survive(name, {"no_such_argument": 1})
    survive(name, {})


@pytest.mark.parametrize("name", NAMES)
def test_two_wrong_arguments_are_refused_or_survived(name):
    random = np.random.default_rng(len(name))
    names = list(EXAMPLES[name]())
    if len(names) < 2:
        return
    for _ in range(NUM_DOUBLE_FAULTS):
        arguments = EXAMPLES[name]()
        for argument in random.choice(names, 2, replace=False).tolist():
            count = len(list(faults(name, argument, arguments[argument])))
            spoil(name, arguments, argument, int(random.integers(count)))
        survive(name, arguments)


def spoil(name: str, arguments: Arguments, argument: str, number: int) -> None:
    """Put one of the faults of an argument in its place."""
    arguments[argument] = list(faults(name, argument, arguments[argument]))[number]


def survive(name: str, arguments: Arguments) -> None:
    """Call an entry point with arguments that may be wrong."""
    try:
        use(name, arguments)
    except ALLOWED:
        return


def use(name: str, arguments: Arguments) -> None:
    """Call a function or a method of a new object, or make an object and use all of it."""
    owner, _, method = name.partition(".")
    made = getattr(_core, owner)
    if method:
        made = getattr(MAKERS[owner]() if owner in MAKERS else made(**EXAMPLES[owner]()), method)
        made(**arguments)
        # What a first call has left behind is what a second one meets.
        made(**EXAMPLES[name]())
        return
    result = made(**arguments)
    if inspect.isclass(made):
        for each in [each for each in vars(made) if not each.startswith("_")]:
            member = getattr(result, each)
            if callable(member):
                member(**EXAMPLES[f"{owner}.{each}"]())


def faults(name: str, argument: str, value: Any) -> Iterator[Any]:
    """Yield what an argument must not be, or must not be without care."""
    if isinstance(value, np.ndarray):
        yield from array_faults(value)
    elif isinstance(value, bool):
        yield from (None, 2, "yes")
    elif isinstance(value, int):
        is_size = argument in SIZES.get(name, ())
        yield from (each for each in WRONG_INTEGERS if not (is_size and isinstance(each, int) and each > 2**30))
    elif isinstance(value, float):
        yield from WRONG_FLOATS
    elif isinstance(value, list | tuple):
        yield from ([], value[:-1], [*value, *value], None, [None])
    else:
        yield from WRONG_OBJECTS


def array_faults(value: np.ndarray) -> Iterator[Any]:
    """Yield arrays of other sizes, types, layouts and contents."""
    yield from (
        None,
        "array",
        value[:0],
        value[:-1],
        np.concatenate([value, value[-1:]]),
        np.concatenate([value, value]),
    )
    yield from (value[::-1], value[..., None], value.reshape(-1)[:1].reshape(()), value.astype(np.float16))
    yield from (
        value.astype(np.int8),
        value.astype(object),
        np.zeros_like(value),
        np.broadcast_to(value[:1], value.shape),
    )
    entries = WRONG_IDS if value.dtype.kind in "iu" else WRONG_COEFFICIENTS if value.dtype.kind == "f" else ()
    for entry in (
        each for each in entries if np.can_cast(np.min_scalar_type(each), value.dtype) or value.dtype.kind == "f"
    ):
        for place in {0, value.size // 2, value.size - 1} if value.size else ():
            wrong = value.copy()
            wrong.reshape(-1)[place] = entry
            yield wrong
        yield np.full_like(value, entry)
    if value.dtype.kind in "iu" and value.size:
        # One above the largest id, and an order that falls where it should rise.
        yield np.where(value == value.max(), value.max() + 1, value)
        yield np.sort(value.reshape(-1))[::-1].reshape(value.shape).copy()
