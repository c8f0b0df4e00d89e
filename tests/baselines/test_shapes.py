from __future__ import annotations

import numpy as np
import pytest

from annealco.baselines.shapes import SHAPES, shape_of, takes_shapes
from annealco.energy import Constraint, Cover, Instance, Linear, Range
from annealco.graph.graph import Graph
from annealco.problems import PROBLEMS
from tests.problems.sums import PRICED, SUMS

SQUARE = Graph.from_edges([[0, 1, 2, 0], [1, 2, 3, 3]])
EXPECTED = {
    "mis": "packing",
    "clique": "packing",
    "mds": "covering",
    "vertex_cover": "covering",
    "cut": "ranged",
    PRICED: "ranged",
    "max_cut": "quadratic",
}


@pytest.mark.parametrize("name", SUMS)
def test_every_problem_has_a_shape(name: str) -> None:
    assert shape_of(SUMS[name].declare(SQUARE)) == EXPECTED[name]


def test_forced_nodes_stay_ranged() -> None:
    seeded = PROBLEMS["cut"].with_options(volume=(2, 6), seed_node=1)
    assert shape_of(seeded.declare(SQUARE)) == "ranged"


def test_mixed_constraints_and_signs_are_other() -> None:
    ptr = np.array([0, 2])
    box = Constraint(Range(ptr, np.array([1.0, -1.0]), np.zeros(1), np.ones(1), np.ones(1)), np.ones(1))
    assert shape_of(Instance(ptr, (Linear(ptr, np.ones(2)),), (box,))) == "other"
    either = Constraint(Cover(ptr, np.array([0, 2]), np.array([0, 1]), np.ones(1)), np.ones(1))
    assert shape_of(Instance(ptr, (Linear(ptr, np.array([1.0, -1.0])),), (either,))) == "other"
    assert shape_of(Instance(ptr, (Linear(ptr, np.ones(2)),), (either,))) == "covering"


def test_what_is_refused_says_both_shapes() -> None:
    refuses = takes_shapes("packing", "covering")
    assert refuses(PROBLEMS["mis"], SQUARE) is None
    assert refuses(PROBLEMS["max_cut"], SQUARE) == "it takes packing and covering problems, this one is quadratic"
    assert set(EXPECTED.values()) < set(SHAPES)
