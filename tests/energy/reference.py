"""Terms by their formulas, in plain Python loops, and random terms to compare on."""

from __future__ import annotations

from itertools import combinations, pairwise, product

import numpy as np

from annealco.energy import AllPairs, Cover, Linear, Pairs, Range, Term

KINDS = ("linear", "pairs", "all pairs", "all pairs but some", "cover", "range")


def random_term(kind: str, rng: np.random.Generator, sizes: tuple[int, ...] = (3, 0, 4)) -> Term:
    """Return a term of a kind on graphs of these sizes."""
    ptr = np.concatenate([[0], np.cumsum(sizes)])
    size, graphs = int(ptr[-1]), len(sizes)
    inside = [pair for start, stop in pairwise(ptr) for pair in combinations(range(start, stop), 2)]
    some = np.array([pair for pair in inside if rng.random() < 0.6] or np.zeros((0, 2), int)).T
    if kind == "linear":
        return Linear(ptr, rng.normal(size=size))
    if kind == "pairs":
        return Pairs(ptr, some, rng.normal(size=some.shape[1]))
    if kind == "all pairs":
        return AllPairs(ptr, rng.integers(0, 4, size).astype(float))
    if kind == "all pairs but some":
        return AllPairs(ptr, rng.uniform(0, 2, size), excluded=some)
    if kind == "cover":
        sets = [
            rng.permutation(np.arange(a, b))[: rng.integers(1, b - a + 1)]
            for a, b in pairwise(ptr)
            if b > a
            for _ in range(4)
        ]
        set_ptr = np.cumsum([0, *map(len, sets)])
        return Cover(
            ptr, set_ptr, np.concatenate([*sets, np.zeros(0, int)]).astype(np.int32), rng.normal(size=len(sets))
        )
    weight = rng.integers(0, 5, size).astype(float)
    lower = rng.integers(0, 5, graphs).astype(float)
    return Range(ptr, weight, lower, lower + rng.integers(0, 5, graphs), rng.uniform(0, 3, graphs))


def plain_value(term: Term, bits: list[int]) -> list[float]:
    """Evaluate a term by its formula, one number a graph."""
    bounds = pairwise(term.node_ptr.tolist())
    return [float(_of_graph(term, bits, graph, range(*nodes))) for graph, nodes in enumerate(bounds)]


def _of_graph(term: Term, bits: list[int], graph: int, nodes: range) -> float:
    if isinstance(term, Linear):
        return sum(term.coefficient[i] * bits[i] for i in nodes)
    if isinstance(term, Pairs):
        listed = zip(term.pairs.T.tolist(), term.coefficient, strict=True)
        return sum(b * bits[u] * bits[v] for (u, v), b in listed if u in nodes)
    if isinstance(term, AllPairs):
        left_out = {frozenset(pair) for pair in term.excluded.T.tolist()}
        pairs = [pair for pair in combinations(nodes, 2) if frozenset(pair) not in left_out]
        return sum(min(term.coefficient[u], term.coefficient[v]) * bits[u] * bits[v] for u, v in pairs)
    if isinstance(term, Cover):
        sets = [term.members[a:b].tolist() for a, b in pairwise(term.set_ptr)]
        priced = zip(sets, term.coefficient, strict=True)
        return sum(price for members, price in priced if members[0] in nodes and not any(bits[i] for i in members))
    volume = sum(term.weight[i] * bits[i] for i in nodes)
    return term.coefficient[graph] * (max(volume - term.upper[graph], 0) + max(term.lower[graph] - volume, 0))


def plain_expectation(term: Term, probability: np.ndarray) -> np.ndarray:
    """Sum Q(x) f(x) over all assignments, graph by graph."""
    total = np.zeros(len(term.node_ptr) - 1)
    for bits in product((0, 1), repeat=len(probability)):
        chance = np.prod([p if bit else 1 - p for p, bit in zip(probability, bits, strict=True)])
        total += chance * np.array(plain_value(term, list(bits)))
    return total
