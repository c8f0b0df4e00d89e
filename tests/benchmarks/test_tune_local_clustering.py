import pytest
from tune_local_clustering import GRIDS, scores

from annealco.baselines.clustering import Box, diffusion, flow
from annealco.graph.generators import generate


@pytest.mark.parametrize("method", GRIDS)
def test_every_setting_has_a_score(method):
    graph = generate("ba-small", count=1, seed=1)
    found = list(scores(method, [(graph, 3, Box(200.0, 400.0)), (graph, 9, Box(100.0, 150.0))]))
    assert len({tuple(each.settings.values()) for each in found}) == len(found) > 1
    assert all(0 < each.conductance <= 1 and 0 <= each.feasible <= 1 for each in found)


def test_defaults_are_among_the_settings_tried():
    defaults = {
        "pagerank_nibble": (diffusion.ALPHA, diffusion.PRECISION),
        "crd": (diffusion.CAPACITY, diffusion.HEIGHT),
        "mqi": (flow.MQI_RADIUS,),
        "simple_local": (flow.SIMPLE_LOCAL_RADIUS, flow.DELTA),
    }
    for method, (_, grid) in GRIDS.items():
        assert all(value in tried for value, tried in zip(defaults[method], grid.values(), strict=True))
