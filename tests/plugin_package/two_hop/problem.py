"""The lightest set such that every node has a node of the set within ``radius`` hops."""

import numpy as np

from annealco import InputError, Option, Problem
from annealco.energy import Constraint, Cover, Instance, Linear


def balls(graph, radius):
    """Return for each node the nodes within so many hops, itself among them, in ascending order."""
    found = []
    for node in range(graph.num_nodes):
        inside = frontier = {node}
        for _ in range(radius):
            frontier = {int(each) for last in frontier for each in graph.neighbours(last)} - inside
            inside = inside | frontier
        found.append(sorted(inside))
    return found


def declare(graph, *, radius=2):
    """f(x) = Σ w_i x_i + Σ_i β_i Π_{j within radius of i} (1 − x_j), β_i the least weight of these j."""
    if radius < 1:
        raise InputError(f"radius must be at least 1, it is {radius}")
    sets = balls(graph, radius)
    set_ptr = np.cumsum([0, *map(len, sets)])
    members = np.array([node for each in sets for node in each], dtype=np.int64)
    lightest = np.array([graph.node_weight[each].min() for each in sets])
    near = Cover(graph.node_ptr, set_ptr, members, np.ones(graph.num_nodes))
    return Instance(
        node_ptr=graph.node_ptr,
        objective=(Linear(graph.node_ptr, graph.node_weight),),
        constraints=(Constraint(near, lightest),),
        sense="min",
    )


def score(graph, nodes, *, radius=2):
    """Return the weight of the set, or None where a node is farther than ``radius`` hops from all of it."""
    distance = dict.fromkeys(nodes, 0)
    queue = list(distance)
    for node in queue:
        for other in graph.neighbours(node).tolist():
            if other not in distance:
                distance[other] = distance[node] + 1
                queue.append(other)
    if any(distance.get(node, radius + 1) > radius for node in range(graph.num_nodes)):
        return None
    return sum(float(graph.node_weight[node]) for node in set(nodes))


PROBLEM = Problem(
    name="hop_domination",
    title="minimum dominating set within some hops",
    sense="min",
    declare=declare,
    score=score,
    options=(Option("radius", kind="integer", help="Hops that a node of the set reaches.", default=2),),
)
