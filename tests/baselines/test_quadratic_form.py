from __future__ import annotations

from itertools import product

import numpy as np
import pytest

from annealco.baselines.quadratic_form import as_quadratic_form, is_quadratic, refuses
from annealco.graph.graph import Graph
from annealco.problems import PROBLEMS
from annealco.problems.small_graphs import small_graphs

STAR = Graph.from_edges([[0, 0, 0], [1, 2, 3]])


@pytest.mark.parametrize("name", ["mis", "clique", "vertex_cover", "max_cut"])
def test_the_form_is_the_energy_on_every_assignment(name: str) -> None:
    for graph in small_graphs(np.random.default_rng(3), num_random=10, max_nodes=6):
        energy = PROBLEMS[name].declare(graph).energy(1.5)
        form = as_quadratic_form(energy)
        for bits in product([0.0, 1.0], repeat=graph.num_nodes):
            x = np.array(bits)
            value = form.linear @ x + (form.value * x[form.pairs[0]] * x[form.pairs[1]]).sum() + form.constant
            assert value == pytest.approx(energy.value(x)[0])
        assert np.all(form.pairs[0] < form.pairs[1])


def test_what_is_not_quadratic_is_refused() -> None:
    assert {name for name in PROBLEMS if refuses(PROBLEMS[name], STAR) is None} == {
        "mis",
        "clique",
        "vertex_cover",
        "max_cut",
    }
    assert refuses(PROBLEMS["mds"], STAR) == "its energy is not quadratic"
    # Neighbourhoods of two nodes at most are pairs.
    assert refuses(PROBLEMS["mds"], Graph.from_edges([[0], [1]])) is None
    [box] = [constraint.term for constraint in PROBLEMS["cut"].declare(STAR).constraints]
    assert not is_quadratic(box)
