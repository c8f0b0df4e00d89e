"""Drop nodes in a random order from the set of all nodes, as long as it stays feasible."""

import numpy as np

from annealco.baselines import Method
from annealco.baselines.method import on_instance


def drop(instance, *, seed, **_):
    """Return the set that is left, [num_nodes]."""
    chosen = np.ones(instance.num_nodes, bool)
    for node in np.random.default_rng(seed).permutation(instance.num_nodes):
        chosen[node] = False
        if instance.violations(chosen)[0] > 0:
            chosen[node] = True
    return chosen


def refuses(problem, graph):
    """Refuse problems that not all nodes together solve."""
    broken = problem.declare(graph).violations(np.ones(graph.num_nodes, bool))[0] > 0
    return "all nodes together must be feasible" if broken else None


METHOD = Method(
    name="random_order",
    summary="nodes dropped in a random order",
    solve=on_instance(drop),
    refuses=refuses,
    repeatable=True,
)
