import numpy as np
import pytest

from annealco._core import Clock, overfilled_cliques
from annealco.bounds.clique_cover import CliqueCover, certified_price, greedy_cover
from annealco.bounds.cutting_plane import SetList, tighten
from tests.bounds.references import ledger, random_graph, rows_of, sets_of

CYCLE = np.array([[0, 1], [1, 2], [2, 3], [3, 4], [4, 0]], np.int32)


def some_sets(solution, sign):
    """The pairs of a cycle of five that a solution violates."""
    violated = CYCLE[sign * solution[CYCLE].sum(axis=1) > sign + 1e-6]
    return SetList(2 * np.arange(len(violated) + 1), violated.ravel())


@pytest.mark.parametrize(("kind", "sign"), [("packing", 1.0), ("covering", -1.0)])
def test_sets_join_until_none_is_violated(kind, sign):
    offers = []
    first = SetList(np.array([0, 1, 2, 3, 4, 5]), np.arange(5, dtype=np.int32))
    if kind == "covering":
        first = SetList(np.array([0, 2]), np.array([0, 1], np.int32))
    tighten(
        kind,
        np.ones(5),
        first,
        ledger(),
        separate=lambda solution: some_sets(solution, sign),
        offer=lambda sets, price: offers.append((len(sets.start) - 1, price.sum())),
    )
    values = [value for _, value in offers]
    assert values[-1] == pytest.approx(2.5)
    assert values == sorted(values, reverse=kind == "packing")


def test_every_offer_is_a_cover_by_cliques():
    graph = random_graph(0, 40, 0.4)
    rows, weight = rows_of(graph), np.random.default_rng(1).uniform(1, 3, 40)
    (greedy, _), bounds = greedy_cover(rows, weight, Clock()), []

    def offer(sets, price):
        assert {node for each in sets_of(*sets) for node in each} == set(range(40))
        bounds.append(certified_price(CliqueCover(*sets, price), weight))

    tighten(
        "packing",
        weight,
        SetList(greedy.start, greedy.member),
        ledger(),
        separate=lambda solution: SetList(*overfilled_cliques(rows, solution, 2, 1000, Clock())),
        offer=offer,
    )
    assert bounds[0] <= greedy.price.sum() + 1e-9
    assert min(bounds) < bounds[0]


def test_no_time_means_no_offer():
    sets = SetList(np.array([0, 1]), np.zeros(1, np.int32))
    tighten("packing", np.ones(1), sets, ledger(), separate=None, offer=None, seconds=0)
    tighten("packing", np.ones(1), sets, ledger(seconds=0), separate=None, offer=None)
