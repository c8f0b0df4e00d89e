from __future__ import annotations

import numpy as np
import pytest

from annealco.baselines.local_clustering.rows import rows_of
from tests.baselines.local_clustering.graphs import middle, small


@pytest.mark.parametrize("graph", [*small(4), *middle()])
def test_every_entry_knows_its_other_direction(graph) -> None:
    rows = rows_of(graph)
    owner = np.repeat(np.arange(graph.num_nodes), graph.degree)
    np.testing.assert_array_equal(owner[rows.reverse], rows.indices)
    np.testing.assert_array_equal(rows.indices[rows.reverse], owner)
    np.testing.assert_array_equal(rows.weight[rows.reverse], rows.weight)
    assert rows.weight.sum() == 2 * graph.edge_weight.sum()
