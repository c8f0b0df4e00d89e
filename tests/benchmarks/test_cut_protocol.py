import numpy as np
from cut_protocol import search_for

from annealco.graph.generators import generate
from annealco.problems import PROBLEMS


def test_values_never_rise_with_the_seconds():
    instance = PROBLEMS["cut"].declare(generate("ba-small", count=1, seed=3), seed_node=5)
    found = search_for(instance, [0.01, 0.05])
    assert np.isfinite(found).all()
    assert found[1] <= found[0]
