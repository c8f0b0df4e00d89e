import numpy as np

from annealco.bounds.branch_bound import demands_of
from annealco.bounds.choice_tree import CHOSEN, FREE, LEFT_OUT, fix, start_tree, undo
from annealco.bounds.cutting_plane import SetList

ROWS = SetList(np.array([0, 3, 5]), np.array([0, 1, 2, 2, 3], np.int32))


def new_tree():
    demands = demands_of(np.array([1.0, 2.0, 3.0, 4.0]), ROWS, np.array([2, 1]))
    return demands, start_tree(demands, np.array([0.5, 0.25]), 7.0, 0.5)


def test_the_root_has_fixed_nothing():
    demands, tree = new_tree()
    assert demands.node_row.tolist() == [0, 0, 0, 1, 1]
    assert (tree.value.tolist(), tree.need.tolist(), tree.free.tolist()) == ([FREE] * 4, [2, 1], [3, 2])
    assert tree.price[0].tolist() == [0.5, 0.25]
    assert (tree.cost[0], tree.cost[1], tree.cost[2]) == (7.0, np.inf, 0.5)


def test_fixing_changes_the_rows_of_a_node_and_undoing_changes_them_back():
    demands, tree = new_tree()
    fix(demands, tree, 2, CHOSEN)
    assert (tree.need.tolist(), tree.free.tolist()) == ([1, 0], [2, 1])
    fix(demands, tree, 0, LEFT_OUT)
    assert (tree.need.tolist(), tree.free.tolist()) == ([1, 0], [1, 1])
    assert tree.value.tolist() == [LEFT_OUT, FREE, CHOSEN, FREE]
    undo(demands, tree, 1)
    assert tree.value.tolist() == [FREE, FREE, CHOSEN, FREE]
    assert (tree.need.tolist(), tree.free.tolist()) == ([1, 0], [2, 1])
    undo(demands, tree, 0)
    assert (tree.need.tolist(), tree.free.tolist()) == ([2, 1], [3, 2])
    assert tree.value.tolist() == [FREE] * 4
