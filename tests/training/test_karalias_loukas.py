from __future__ import annotations

from dataclasses import replace

import pytest
import torch

from annealco.graph.errors import InputError
from annealco.problems import PROBLEMS
from annealco.training.karalias_loukas import karalias_loukas
from annealco.training.pair_mass import pair_mass
from annealco.training.target_volume import TargetVolume
from tests.training.small_runs import small_graphs

GRAPHS = small_graphs(3)
LOGITS = torch.linspace(-2, 2, GRAPHS.num_nodes)


@pytest.mark.parametrize("name", ["mis", "clique"])
def test_pairs_get_their_loss_for_cliques(name: str) -> None:
    instance = PROBLEMS[name].declare(GRAPHS)
    assert torch.equal(karalias_loukas(instance, 2.0).expectation(LOGITS), pair_mass(instance, 2.0).expectation(LOGITS))


@pytest.mark.parametrize("name", ["mds", "vertex_cover", "max_cut"])
def test_sets_and_nothing_get_the_energy(name: str) -> None:
    instance = PROBLEMS[name].declare(GRAPHS)
    found = karalias_loukas(instance, 2.0).expectation(LOGITS)
    assert torch.equal(found, instance.energy(2.0).expectation(LOGITS))


def test_ranges_get_their_loss_for_cuts_with_and_without_a_seed() -> None:
    for options in ({}, {"seed_node": 0}):
        assert isinstance(karalias_loukas(PROBLEMS["cut"].declare(GRAPHS, **options)), TargetVolume)


def test_constraints_of_several_kinds_are_refused() -> None:
    mis, cut = (PROBLEMS[name].declare(GRAPHS) for name in ("mis", "cut"))
    both = replace(mis, constraints=mis.constraints + cut.constraints)
    with pytest.raises(InputError, match="needs constraints of one kind"):
        karalias_loukas(both)
