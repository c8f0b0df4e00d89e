"""A method: drop nodes from the set of all nodes, the dearest first, as long as it stays feasible."""

import numpy as np

from annealco.baselines import Method
from annealco.baselines.method import on_instance


def drop_dearest(instance, *, seed, **_):
    """Return the set that is left, [num_nodes]; equal prices are ordered by chance."""
    price = np.zeros(instance.num_nodes)
    for node in range(instance.num_nodes):
        alone = np.zeros(instance.num_nodes, bool)
        alone[node] = True
        price[node] = instance.value(alone)[0]
    chosen = np.ones(instance.num_nodes, bool)
    for node in np.lexsort((np.random.default_rng(seed).random(len(price)), -price)):
        chosen[node] = False
        if instance.violations(chosen)[0] > 0:
            chosen[node] = True
    return chosen


def refuses(problem, graph):
    """Say why a problem cannot be taken, or return None."""
    broken = problem.declare(graph).violations(np.ones(graph.num_nodes, bool))[0] > 0
    return "all nodes together must be feasible" if broken else None


METHOD = Method(
    name="drop_dearest",
    summary="from all nodes, the dearest dropped first",
    solve=on_instance(drop_dearest),
    refuses=refuses,
    repeatable=True,
)
