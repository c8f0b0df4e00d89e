"""Flips for a purpose: they serve it, and none is left that would."""

import numpy as np
import pytest

from annealco.energy import Constraint, Instance, Linear, Pairs, Range
from annealco.search.buckets import ABSENT, empty_buckets
from annealco.search.flips import change, load_bits, local_change, new_bits, range_change
from annealco.search.forms import ENERGY, VIOLATION, compile_forms
from annealco.search.settle import FIT, IMPROVE, MEND, Settling, settle, settle_graphs
from tests.problems.sums import SUMS
from tests.search.instances import declared


def work_on(instance, assignment):
    forms = compile_forms(instance)
    work = Settling(new_bits(forms, assignment), empty_buckets(instance.num_nodes), 0)
    for graph in range(instance.num_graphs):
        load_bits(forms, work.bits, graph)
    return forms, work


@pytest.mark.parametrize("name", SUMS)
def test_no_flip_that_would_serve_is_left(name):
    batch, instance = declared(name, 1, num_random=15)
    forms, work = work_on(instance, np.random.default_rng(1).random(batch.num_nodes) < 0.6)
    for purpose in (MEND, FIT, IMPROVE):
        for graph in range(instance.num_graphs):
            settle(forms, work, graph, purpose)
            assert settle(forms, work, graph, purpose) == 0
        assert np.all(work.buckets.key == ABSENT)
        for node, graph in enumerate(batch.graph_of_node.tolist()):
            broken = local_change(forms, work.bits, graph, node, VIOLATION)
            moved = range_change(forms, work.bits, graph, node, VIOLATION)
            price = change(forms, work.bits, graph, node, ENERGY)
            serves = {MEND: broken < -1e-9, FIT: broken <= 1e-9 and moved < -1e-9, IMPROVE: price < -1e-6}
            assert not (serves[purpose] and (purpose != IMPROVE or broken + moved <= 1e-9))


def test_the_cheapest_flip_comes_first():
    ptr = np.array([0, 3])
    path = Constraint(Pairs(ptr, np.array([[0, 1], [1, 2]]), np.ones(2)), np.ones(2))
    forms, work = work_on(Instance(ptr, (Linear(ptr, -np.ones(3)),), (path,)), np.ones(3, bool))
    assert settle(forms, work, 0, MEND) == 1
    assert work.bits.chosen.tolist() == [True, False, True]


def test_a_range_is_entered_at_the_least_price_for_the_way():
    ptr = np.array([0, 3])
    box = Range(ptr, np.array([4.0, 1.0, 4.0]), np.array([4.0]), np.array([5.0]), np.ones(1))
    instance = Instance(ptr, (Linear(ptr, np.array([6.0, 2.0, 9.0])),), (Constraint(box, np.full(1, 9.0)),))
    forms, work = work_on(instance, np.zeros(3, bool))
    assert settle(forms, work, 0, FIT) == 1
    assert work.bits.chosen.tolist() == [True, False, False]


def test_graphs_outside_the_chunk_are_left_alone():
    batch, instance = declared("mis", 2)
    forms = compile_forms(instance)
    start = int(batch.node_ptr[20])
    work = Settling(new_bits(forms, np.ones(batch.num_nodes, bool)), empty_buckets(batch.num_nodes - start), start)
    settle_graphs(forms, work, (True, True, True), 20, batch.num_graphs)
    assert work.bits.chosen[:start].all()
    assert np.all(instance.violations(work.bits.chosen)[20:] == 0)
