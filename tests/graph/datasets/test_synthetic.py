from __future__ import annotations

import pytest

from annealco.graph.datasets.synthetic import MEASURED, SYNTHETIC
from annealco.graph.generators import GENERATORS, generate

SMALL = [each for each in SYNTHETIC if "small" in each.name and "weighted" not in each.name]


def test_every_generator_has_a_set_and_a_weighted_one() -> None:
    assert [each.name for each in SYNTHETIC] == [name + end for name in GENERATORS for end in ("", "-weighted")]
    assert [each.name for each in SYNTHETIC if each.drawn.weighted] == [f"{name}-weighted" for name in GENERATORS]
    assert all(each.graphs == 3000 for each in SYNTHETIC)


@pytest.mark.parametrize("dataset", SMALL, ids=lambda each: each.name)
def test_listed_sizes_are_measured(dataset) -> None:
    graph = generate(dataset.drawn.generator, count=MEASURED, seed=0)
    assert graph.num_nodes / MEASURED == pytest.approx(dataset.mean_nodes, abs=0.0051)
    assert graph.num_edges / MEASURED == pytest.approx(dataset.mean_edges, abs=0.0051)
