"""Total domination with prices: the cheapest set such that every node of some degree has a neighbour in it."""

import numpy as np

from annealco import InputError, Option, Problem
from annealco.energy import Constraint, Cover, Instance, Linear


def declare(graph, *, least_degree=1):
    """f(x) = Σ w_i x_i + Σ_i β_i Π_{j∈N(i)} (1 − x_j) over nodes of that degree, β_i = min{w_j : j ∈ N(i)}."""
    if least_degree < 1:
        raise InputError(f"least_degree must be at least 1, it is {least_degree}: a node alone has no neighbour")
    nodes = np.flatnonzero(graph.degree >= least_degree)
    sets = [graph.neighbours(node) for node in nodes]
    members = np.concatenate([np.zeros(0, dtype=np.int64), *sets])
    lightest = np.array([graph.node_weight[each].min() for each in sets])
    neighbourhoods = Cover(graph.node_ptr, np.cumsum([0, *map(len, sets)]), members, np.ones(len(sets)))
    return Instance(
        node_ptr=graph.node_ptr,
        objective=(Linear(graph.node_ptr, graph.node_weight),),
        constraints=(Constraint(neighbourhoods, lightest),),
        sense="min",
    )


def score(graph, nodes, *, least_degree=1):
    """Return the price of the set, or None where a node of that degree has no neighbour in it."""
    chosen = set(nodes)
    for node in range(graph.num_nodes):
        neighbours = set(graph.neighbours(node).tolist())
        if len(neighbours) >= least_degree and not neighbours & chosen:
            return None
    return sum(float(graph.node_weight[node]) for node in chosen)


PROBLEM = Problem(
    name="total_domination",
    title="minimum total dominating set",
    sense="min",
    declare=declare,
    score=score,
    options=(
        Option(
            "least_degree",
            kind="integer",
            help="Only nodes of this degree or more need a neighbour in the set.",
            default=1,
        ),
    ),
)
