import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from annealco.bounds.cutting_plane import SetList
from annealco.bounds.greedy_cover import greedy_clique_cover
from annealco.bounds.pair_cover import cover_pairs
from tests.bounds.references import is_clique, ledger, random_graph, rows_of, sets_of
from tests.graph.strategies import graphs


@given(graphs(max_nodes=9), st.booleans())
@settings(max_examples=60)
def test_every_edge_is_in_some_clique(graph, begun):
    cover = greedy_clique_cover(rows_of(graph), np.ones(graph.num_nodes))
    given_sets = SetList(cover.start, cover.member) if begun else SetList(np.zeros(1, np.int64), np.zeros(0, np.int32))
    more = sets_of(*cover_pairs(rows_of(graph), given_sets, ledger(), most=1000))
    assert all(is_clique(graph, clique) for clique in more)
    cliques = [set(each) for each in [*sets_of(*given_sets), *more]]
    assert all(any({u, v} <= each for each in cliques) for u, v in graph.edges.T.tolist())


def test_nothing_is_added_to_a_clique_that_covers_all():
    whole = SetList(np.array([0, 5]), np.arange(5, dtype=np.int32))
    rows = rows_of(random_graph(0, 5, 1.0))
    assert len(cover_pairs(rows, whole, ledger(), most=5).member) == 0


def test_too_many_members_or_too_little_time_give_none():
    rows, nothing = rows_of(random_graph(0, 12, 0.5)), SetList(np.zeros(1, np.int64), np.zeros(0, np.int32))
    needed = len(cover_pairs(rows, nothing, ledger(), most=1000).member)
    assert len(cover_pairs(rows, nothing, ledger(), most=needed).member) == needed
    assert cover_pairs(rows, nothing, ledger(), most=needed - 1) is None
    assert cover_pairs(rows, nothing, ledger(seconds=0), most=1000) is None
