"""Search all choices that cost no more than a limit, depth first; if none covers, every cover costs more.

Rows of nodes have demands: Σ_{i∈h} x_i ≥ r_h. At every step of the search, prices y ≥ 0 of the rows bound what the rest
must cost, as in a covering, and subgradient steps from the prices of the step before improve them. A node whose choice
would push that bound over the limit is fixed to the other value; so is one without which a demand cannot be met.
"""

from __future__ import annotations

from annealco.bounds.choice_tree import CHOSEN, FIRST_STEPS, FREE, LEFT_OUT, MAX_DEPTH, Demands, Tree, fix, undo
from annealco.bounds.rounding import EPSILON
from annealco.bounds.row_prices import raise_prices
from annealco.jit import compiled

RUNNING, EXHAUSTED, TOO_DEEP = 0, 1, 2

OPEN, REFUTED, AGAIN = 0, 1, 2

STEPS = 8
"""Subgradient steps below the root."""

WORK = 200_000
"""The root's steps are made in rounds that go through about so many members of rows."""


@compiled
def explore(demands: Demands, tree: Tree, steps: int) -> int:
    """Go on for so many steps; return `RUNNING`, `EXHAUSTED` or `TOO_DEEP`."""
    cursor = tree.cursor
    for _ in range(steps):
        depth = cursor[0]
        if cursor[2]:
            outcome = _bound(demands, tree)
            if outcome == AGAIN:
                continue
            if outcome == REFUTED:
                cursor[0], cursor[2] = depth - 1, 0
            elif depth == MAX_DEPTH:
                return TOO_DEEP
            else:
                tree.branch[0, depth], tree.branch[1, depth] = _branching_node(demands, tree), 0
                tree.branch[2, depth] = cursor[1]
                _descend(demands, tree, CHOSEN)
        elif depth < 0:
            return EXHAUSTED
        else:
            undo(demands, tree, tree.branch[2, depth])
            if tree.branch[1, depth] == 0:
                tree.branch[1, depth] = 1
                _descend(demands, tree, LEFT_OUT)
            else:
                cursor[0] = depth - 1
    return EXHAUSTED if cursor[0] < 0 else RUNNING


@compiled
def _descend(demands: Demands, tree: Tree, value: int) -> None:
    depth = tree.cursor[0]
    fix(demands, tree, tree.branch[0, depth], value)
    tree.price[depth + 1] = tree.price[depth]
    tree.cursor[0], tree.cursor[2] = depth + 1, 1


@compiled
def _bound(demands: Demands, tree: Tree) -> int:
    """Fix what is forced; return `REFUTED` where no cheaper cover is left here, `AGAIN` where more may be fixed.

    A cover that is found is taken note of, and refuted: what is left must be cheaper.
    """
    open_rows, spent = _meet_demands(demands, tree), _spent(demands, tree)
    doubt = 2 * EPSILON * spent
    if open_rows < 0 or spent - doubt > tree.cost[0]:
        return REFUTED
    if open_rows == 0:
        tree.cost[1] = spent
        tree.cost[0] = spent - tree.cost[2]
        return REFUTED
    steps = STEPS if tree.cursor[0] > 0 else max(STEPS, min(FIRST_STEPS, WORK // len(demands.row_node)))
    rest, error = raise_prices(demands, tree, tree.cost[0] - spent + doubt, steps)
    least = spent + rest - doubt - error
    if least > tree.cost[0]:
        return REFUTED
    tree.cursor[3] -= steps
    unfinished = tree.cursor[0] == 0 and tree.cursor[3] > 0
    return AGAIN if _fix_by_price(demands, tree, least - error) or unfinished else OPEN


@compiled
def _spent(demands: Demands, tree: Tree) -> float:
    """Return the weight of the chosen nodes, off by one rounding: what every sum on the way loses is kept apart."""
    spent, lost = 0.0, 0.0
    for place in range(tree.cursor[1]):
        if tree.value[tree.trail[place]] == CHOSEN:
            weight = demands.weight[tree.trail[place]]
            total = spent + weight
            lost += (spent - total) + weight if spent >= weight else (weight - total) + spent
            spent = total
    return spent + lost


@compiled
def _meet_demands(demands: Demands, tree: Tree) -> int:
    """Choose all free nodes of rows that need them all; return the number of open rows, -1 where one is lost."""
    again, open_rows = True, 0
    while again:
        again, open_rows = False, 0
        for row in range(len(tree.need)):
            if tree.need[row] <= 0:
                continue
            if tree.free[row] < tree.need[row]:
                return -1
            open_rows += 1
            if tree.free[row] == tree.need[row]:
                again = True
                for place in range(demands.row_start[row], demands.row_start[row + 1]):
                    if tree.value[demands.row_node[place]] == FREE:
                        fix(demands, tree, demands.row_node[place], CHOSEN)
    return open_rows


@compiled
def _fix_by_price(demands: Demands, tree: Tree, least: float) -> bool:
    """Fix the free nodes whose other value would cost more than the limit; tell whether there were any."""
    fixed = False
    for node in range(len(tree.value)):
        if tree.value[node] == FREE:
            extra = demands.weight[node] - tree.load[node]
            if least + abs(extra) > tree.cost[0]:
                fix(demands, tree, node, LEFT_OUT if extra > 0 else CHOSEN)
                fixed = True
    return fixed


@compiled
def _branching_node(demands: Demands, tree: Tree) -> int:
    """Return the free node in the most rows that are open."""
    best, most = -1, 0
    for node in range(len(tree.value)):
        if tree.value[node] == FREE:
            count = 0
            for place in range(demands.node_start[node], demands.node_start[node + 1]):
                count += tree.need[demands.node_row[place]] > 0
            if count > most:
                best, most = node, count
    return best
