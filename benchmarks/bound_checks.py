"""Compare bounds and proofs with optima that are worked out otherwise: all sets of small weighted graphs.

python benchmarks/bound_checks.py --count 10000       # instances of each problem, then the table
python benchmarks/bound_checks.py --exact 200         # larger instances of each problem, against CP-SAT
python benchmarks/bound_checks.py --table             # the tables of the rows so far, nothing is run

Graphs have 1 to 9 nodes, edges with one of four densities, and weights of one of five kinds: 1, whole numbers, whole
numbers with zeros, real numbers, real numbers of very different sizes; of either sign where a problem takes that. The
optimum is that of 2^n sets by the problem's definition, written here in NumPy and not taken from the package. `solve`
has 5 ms, and every other time no enumeration. Counted are bounds on the wrong side of the optimum, sets that are not
feasible or not worth what is said, and claims of an optimum that is none, all beyond rounding (10^-9 of the largest
value). A row is a block of 1,000 instances with its seed; a row that is there is not run again.

With `--exact`, graphs have 20 to 50 nodes (up to 22 for quadratic objectives, cuts and quotients) and whole weights,
and `solve` has 2 seconds. The optimum is that of CP-SAT, for a model that is written here from the definition:
one Boolean for each choice, and for each pair that counts. A quotient is compared crosswise with those of all sets,
which takes less than CP-SAT would. These rows are blocks of 50.
"""

from __future__ import annotations

import argparse
import math
import zlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from json_lines import Row, append, read_lines

import annealco
from annealco.arrays import FloatArray
from annealco.bounds.prove import BOUNDS
from annealco.graph.graph import Graph

BLOCK = 1_000
MOST_NODES = 9
TIME_LIMIT = 0.005
ROUNDING = 1e-9

Values = Callable[[np.ndarray], FloatArray]
"""Values of sets [num_sets, num_nodes]; nan where one is not feasible."""


def _weights(rng: np.random.Generator, count: int, *, signed: bool) -> FloatArray:
    kind = int(rng.integers(5))
    weight = [
        np.ones(count),
        rng.integers(1, 20, count).astype(float),
        rng.integers(0, 4, count).astype(float),
        rng.random(count),
        np.exp(rng.normal(0, 4, count)),
    ][kind]
    return weight * rng.choice([-1.0, 1.0], count) if signed and rng.random() < 0.5 else weight


def _pairs(rng: np.random.Generator, size: int) -> np.ndarray:
    low, high = np.triu_indices(size, 1)
    chosen = rng.random(len(low)) < rng.choice([0.2, 0.4, 0.7, 1.0])
    return np.stack([low[chosen], high[chosen]])


def _graph(rng: np.random.Generator, *, signed: bool = False) -> Graph:
    size = int(rng.integers(1, MOST_NODES + 1))
    edges = _pairs(rng, size)
    node_weight = _weights(rng, size, signed=False)
    return Graph.from_edges(
        edges, size, node_weight=node_weight, edge_weight=_weights(rng, edges.shape[1], signed=signed)
    )


def _packing(graph: Graph, *, joined: bool) -> Values:
    """Return weights of sets of which no two nodes are joined, or all are."""
    matrix = np.zeros((graph.num_nodes, graph.num_nodes))
    matrix[graph.edges[0], graph.edges[1]] = matrix[graph.edges[1], graph.edges[0]] = 1.0
    bad = 1.0 - matrix - np.eye(graph.num_nodes) if joined else matrix

    def values(sets: np.ndarray) -> FloatArray:
        clashes = np.einsum("si,ij,sj->s", sets, bad, sets)
        return np.where(clashes == 0, sets @ graph.node_weight, np.nan)

    return values


def _cover(cost: FloatArray, holds: np.ndarray) -> Values:
    """Return costs of choices that hit all sets, [num_sets, num_choices] of 0 and 1."""

    def values(sets: np.ndarray) -> FloatArray:
        return np.where(np.all(sets @ holds.T > 0, axis=1), sets @ cost, np.nan)

    return values


def _cut_weight(graph: Graph, sets: np.ndarray) -> FloatArray:
    low, high = graph.edges
    return (sets[:, low] != sets[:, high]) @ graph.edge_weight


def _cut(graph: Graph, *, quotient: bool) -> Values:
    degree = np.bincount(graph.edges.ravel(), minlength=graph.num_nodes)
    lower, upper = 0.25 * degree.sum(), 0.5 * degree.sum()

    def values(sets: np.ndarray) -> FloatArray:
        volume, weight = sets @ degree, _cut_weight(graph, sets)
        fits = (volume >= math.ceil(lower)) & (volume <= math.floor(upper)) & ((volume > 0) | (not quotient))
        return np.where(fits, weight / np.maximum(volume, 1) if quotient else weight, np.nan)

    return values


def _neighbourhoods(graph: Graph, *, edges: bool) -> np.ndarray:
    if edges:
        rows = np.zeros((graph.num_edges, graph.num_nodes))
        rows[np.arange(graph.num_edges), graph.edges[0]] = rows[np.arange(graph.num_edges), graph.edges[1]] = 1.0
        return rows
    rows = np.eye(graph.num_nodes)
    rows[graph.edges[0], graph.edges[1]] = rows[graph.edges[1], graph.edges[0]] = 1.0
    return rows


def _quadratic(rng: np.random.Generator, *, spins: bool) -> tuple[Any, int, Values]:
    size = int(rng.integers(1, MOST_NODES + 1))
    pairs = _pairs(rng, size)
    linear, strength = _weights(rng, size, signed=True), _weights(rng, pairs.shape[1], signed=True)
    given = dict(zip(map(tuple, pairs.T.tolist()), strength.tolist(), strict=True))
    given |= {} if spins else {(i, i): value for i, value in enumerate(linear.tolist())}
    source: Any = (dict(enumerate(linear.tolist())), given) if spins else given

    def values(sets: np.ndarray) -> FloatArray:
        bits = 2.0 * sets - 1.0 if spins else sets.astype(float)
        return bits @ linear + (bits[:, pairs[0]] * bits[:, pairs[1]]) @ strength

    return source, size, values


def _system(rng: np.random.Generator, *, hitting: bool) -> tuple[Any, int, Values]:
    num_elements, num_sets = int(rng.integers(1, MOST_NODES + 1)), int(rng.integers(1, MOST_NODES + 1))
    holds = rng.random((num_elements, num_sets)) < rng.choice([0.2, 0.4, 0.7])
    holds[np.arange(num_elements), rng.integers(0, num_sets, num_elements)] = True
    holds[rng.integers(0, num_elements, num_sets), np.arange(num_sets)] = True
    cost = _weights(rng, num_elements if hitting else num_sets, signed=False)
    costs = {"element_costs": cost} if hitting else {"costs": cost}
    source = annealco.set_system(holds.astype(int), **costs)
    return source, len(cost), _cover(cost, (holds.T if hitting else holds).astype(float))


def instance_of(problem: str, rng: np.random.Generator) -> tuple[Any, int, Values]:
    """Draw an instance: what `solve` is given, the number of choices, and the values of sets."""
    if problem in {"qubo", "ising"}:
        return _quadratic(rng, spins=problem == "ising")
    if problem in {"set_cover", "hitting_set"}:
        return _system(rng, hitting=problem == "hitting_set")
    graph = _graph(rng, signed=problem in {"max_cut", "cut", "conductance"})
    while problem == "conductance" and graph.num_edges == 0:
        graph = _graph(rng, signed=True)
    values: Values = {
        "mis": lambda: _packing(graph, joined=False),
        "clique": lambda: _packing(graph, joined=True),
        "mds": lambda: _cover(graph.node_weight, _neighbourhoods(graph, edges=False)),
        "vertex_cover": lambda: _cover(graph.node_weight, _neighbourhoods(graph, edges=True)),
        "max_cut": lambda: lambda sets: _cut_weight(graph, sets),
        "cut": lambda: _cut(graph, quotient=False),
        "conductance": lambda: _cut(graph, quotient=True),
    }[problem]()
    return graph, graph.num_nodes, values


LARGEST = {"mis", "clique", "max_cut"}
PROBLEMS = ("mis", "clique", "mds", "vertex_cover", "max_cut", "cut", "conductance", "qubo", "ising")
SYSTEMS = ("set_cover", "hitting_set")


def check(problem: str, block: int) -> Row:
    """Solve a block of instances, and count what is wrong."""
    counts = dict.fromkeys(("instances", "impossible", "bounds", "proven", "optimal", "wrong"), 0)
    faults: list[str] = []
    for number in range(BLOCK):
        rng = np.random.default_rng([zlib.crc32(problem.encode()), block, number])
        source, size, values = instance_of(problem, rng)
        sets = ((np.arange(2**size)[:, None] >> np.arange(size)) & 1).astype(bool)
        every = values(sets)
        if np.isnan(every).all():
            counts["impossible"] += 1
            continue
        best = float(np.nanmax(every) if problem in LARGEST else np.nanmin(every))
        found = _solve(source, problem, number)
        scale = ROUNDING * max(1e-300, float(np.nanmax(np.abs(every))))
        fault = _fault(found, best, scale, values, size)
        counts["instances"] += 1
        counts["bounds"] += found.bound is not None
        counts["proven"] += found.optimal
        counts["optimal"] += abs(found.value - best) <= scale
        counts["wrong"] += fault is not None
        faults += [] if fault is None else [f"{number}: {fault}"]
    return {"problem": problem, "block": block} | counts | ({"faults": faults[:5]} if faults else {})


def _solve(source: Any, problem: str, number: int) -> Any:
    """Solve with all bounds, or, every other time, without the enumeration that settles most of what is so small."""
    others = [name for name in BOUNDS.own if name != "enumeration"]
    for bounds in ("all",) if number % 2 else (others, "all"):
        try:
            return annealco.solve(source, problem, time_limit=TIME_LIMIT, seed=number, num_threads=1, bounds=bounds)
        except annealco.InputError:
            # None of the others takes a graph without edges.
            if bounds == "all":
                raise
    return None


def _fault(found: Any, best: float, scale: float, values: Values, size: int) -> str | None:
    sign = -1.0 if found.problem in LARGEST else 1.0
    nodes = np.zeros(size, bool)
    # Elements of a set system are told from its sets by ("element", number).
    nodes[[node[1] if isinstance(node, tuple) else node for node in found.nodes]] = True
    own = float(values(nodes[None])[0])
    if not abs(own - found.value) <= scale:
        return f"value {found.value!r}, the set is worth {own!r}"
    if found.bound is not None and sign * found.bound > sign * best + scale:
        return f"bound {found.bound!r}, the best is {best!r}"
    if found.optimal and abs(found.value - best) > scale:
        return f"{found.value!r} is called optimal, the best is {best!r}"
    return None


EXACT_BLOCK, EXACT_LIMIT = 50, 2.0


def _whole_graph(rng: np.random.Generator, most: int, *, signed: bool) -> Graph:
    size = int(rng.integers(20, most + 1))
    low, high = np.triu_indices(size, 1)
    chosen = rng.random(len(low)) < rng.choice([3 / size, 6 / size, 0.3, 0.6])
    edges = np.stack([low[chosen], high[chosen]])
    weight = rng.integers(1, 20, edges.shape[1]) * (rng.choice([-1, 1], edges.shape[1]) if signed else 1)
    return Graph.from_edges(
        edges, size, node_weight=rng.integers(1, 20, size).astype(float), edge_weight=weight.astype(float)
    )


class Model:
    """A model for CP-SAT with one Boolean for each node."""

    def __init__(self, size: int) -> None:
        from ortools.sat.python import cp_model

        self.model, self.cp = cp_model.CpModel(), cp_model
        self.chosen = [self.model.new_bool_var("") for _ in range(size)]

    def both(self, u: int, v: int) -> Any:
        """Return a Boolean that tells whether both are chosen."""
        found = self.model.new_bool_var("")
        self.model.add_bool_and([self.chosen[u], self.chosen[v]]).only_enforce_if(found)
        self.model.add_bool_or([found, self.chosen[u].negated(), self.chosen[v].negated()])
        return found

    def differ(self, u: int, v: int) -> Any:
        """Return a Boolean that tells whether just one is chosen."""
        found = self.model.new_bool_var("")
        self.model.add_bool_xor([self.chosen[u], self.chosen[v], found, True])
        return found

    def least(self, cost: Any) -> float:
        """Return the least value of a sum, nan where CP-SAT does not prove one, inf where nothing is feasible."""
        self.model.minimize(cost)
        solver = self.cp.CpSolver()
        solver.parameters.num_workers = 1
        solver.parameters.max_time_in_seconds = 60.0
        status = solver.solve(self.model)
        if status == self.cp.INFEASIBLE:
            return math.inf
        return solver.objective_value if status == self.cp.OPTIMAL else math.nan


def _exact_case(problem: str, rng: np.random.Generator) -> tuple[Any, Callable[[Any], float]]:
    """Draw a larger instance; return what `solve` is given, and what gives the optimum for an answer."""
    if problem in {"qubo", "ising"}:
        graph = _whole_graph(rng, 22, signed=True)
        linear = rng.integers(-20, 21, graph.num_nodes)
        pairs, value = graph.edges.T.tolist(), graph.edge_weight.astype(int).tolist()
        given: dict[Any, float] = {tuple(ends): float(each) for ends, each in zip(pairs, value, strict=True)}
        diagonal = {(i, i): float(each) for i, each in enumerate(linear.tolist())}
        spins = problem == "ising"
        source: Any = ({i: float(each) for i, each in enumerate(linear.tolist())}, given) if spins else given | diagonal

        def quadratic(_: Any) -> float:
            model = Model(graph.num_nodes)
            if spins:
                own = [int(a) * (2 * x - 1) for a, x in zip(linear, model.chosen, strict=True)]
                across = [b * (1 - 2 * model.differ(*ends)) for ends, b in zip(pairs, value, strict=True)]
            else:
                own = [int(a) * x for a, x in zip(linear, model.chosen, strict=True)]
                across = [b * model.both(*ends) for ends, b in zip(pairs, value, strict=True)]
            return model.least(sum(own) + sum(across))

        return source, quadratic
    if problem in SYSTEMS:
        size = int(rng.integers(20, 51))
        holds = rng.random((size, size)) < rng.choice([3 / size, 6 / size, 0.3])
        holds[np.arange(size), rng.permutation(size)] = True
        cost = rng.integers(1, 20, size)
        costs = {"costs" if problem == "set_cover" else "element_costs": cost.astype(float)}
        rows = holds if problem == "set_cover" else holds.T
        return annealco.set_system(holds.astype(int), **costs), lambda _: _least_cover(cost, rows)
    graph = _whole_graph(
        rng, 50 if problem in {"mis", "clique", "mds", "vertex_cover"} else 22, signed=problem == "max_cut"
    )
    weight = graph.node_weight.astype(int)
    if problem in {"mds", "vertex_cover"}:
        rows = _neighbourhoods(graph, edges=problem == "vertex_cover") > 0
        return graph, lambda _: _least_cover(weight, rows)
    if problem in {"mis", "clique"}:
        return graph, lambda _: -_least_packing(graph, weight, joined=problem == "clique")
    if problem == "conductance":
        return graph, lambda found: _least_quotient(graph, found)
    return graph, lambda _: _least_cut(problem, graph)


def _least_cover(cost: np.ndarray, rows: np.ndarray) -> float:
    model = Model(len(cost))
    for row in rows:
        model.model.add_bool_or([model.chosen[i] for i in np.flatnonzero(row)])
    return model.least(sum(int(c) * x for c, x in zip(cost, model.chosen, strict=True)))


def _least_packing(graph: Graph, weight: np.ndarray, *, joined: bool) -> float:
    model, edges = Model(graph.num_nodes), {tuple(ends) for ends in graph.edges.T.tolist()}
    for u, v in zip(*np.triu_indices(graph.num_nodes, 1), strict=True):
        if ((int(u), int(v)) in edges) != joined:
            model.model.add_bool_or([model.chosen[u].negated(), model.chosen[v].negated()])
    return model.least(sum(-int(w) * x for w, x in zip(weight, model.chosen, strict=True)))


def _least_cut(problem: str, graph: Graph) -> float:
    model = Model(graph.num_nodes)
    pairs, weight = graph.edges.T.tolist(), graph.edge_weight.astype(int).tolist()
    cut = sum(w * model.differ(*ends) for ends, w in zip(pairs, weight, strict=True))
    if problem == "max_cut":
        return -model.least(-cut)
    degree = np.bincount(graph.edges.ravel(), minlength=graph.num_nodes)
    volume = sum(int(d) * x for d, x in zip(degree, model.chosen, strict=True))
    model.model.add(volume >= math.ceil(0.25 * degree.sum()))
    model.model.add(volume <= math.floor(0.5 * degree.sum()))
    return model.least(cut)


def _least_quotient(graph: Graph, found: Any) -> float:
    """Return the quotient of an answer where no set within the range has a smaller one, else −inf."""
    degree = np.bincount(graph.edges.ravel(), minlength=graph.num_nodes)
    joined = np.zeros((graph.num_nodes, graph.num_nodes), np.int64)
    joined[graph.edges[0], graph.edges[1]] = joined[graph.edges[1], graph.edges[0]] = graph.edge_weight.astype(int)
    cut, volume = np.zeros(1, np.int64), np.zeros(1, np.int64)
    # The sets without a node, then those with it: all sets are twice as many with each node.
    for node in range(graph.num_nodes):
        inside = np.zeros(1, np.int64)
        for other in range(node):
            inside = np.concatenate([inside, inside + joined[node, other]])
        cut = np.concatenate([cut, cut + joined[node].sum() - 2 * inside])
        volume = np.concatenate([volume, volume + degree[node]])
    fits = (volume >= math.ceil(0.25 * degree.sum())) & (volume <= math.floor(0.5 * degree.sum()))
    own = int((1 << np.array(found.nodes)).sum())
    # Whole numbers, compared crosswise.
    is_least = fits[own] and np.all(volume[own] * cut[fits] >= cut[own] * volume[fits])
    return int(cut[own]) / int(volume[own]) if is_least else -math.inf


def check_exactly(problem: str, block: int) -> Row:
    """Solve a block of larger instances, and compare bounds and proofs with CP-SAT."""
    counts = dict.fromkeys(("instances", "impossible", "undecided", "proven", "optimal", "wrong"), 0)
    faults: list[str] = []
    for number in range(EXACT_BLOCK):
        rng = np.random.default_rng([zlib.crc32(problem.encode()), 1, block, number])
        source, optimum = _exact_case(problem, rng)
        try:
            found = annealco.solve(source, problem, time_limit=EXACT_LIMIT, seed=number, num_threads=1)
        except annealco.InputError:
            # No set has a volume in the range.
            counts["impossible"] += 1
            continue
        best = optimum(found)
        if math.isnan(best):
            counts["undecided"] += 1
            continue
        sign, near = (-1.0 if problem in LARGEST else 1.0), 1e-9 * max(1.0, abs(best))
        beyond = found.bound is not None and math.isfinite(best) and sign * found.bound > sign * best + near
        is_wrong = beyond or (found.optimal and abs(found.value - best) > near)
        counts["instances"] += 1
        counts["proven"] += found.optimal
        counts["optimal"] += abs(found.value - best) <= near
        counts["wrong"] += is_wrong
        faults += [f"{number}: {found.value!r}, bound {found.bound!r}, best {best!r}"] if is_wrong else []
    return {"problem": problem, "exact": block} | counts | ({"faults": faults[:5]} if faults else {})


def exact_table(rows: list[Row]) -> str:
    """Return sums by problem of the comparison with CP-SAT, as Markdown."""
    rows = [row for row in rows if "exact" in row]
    lines = ["| problem | compared with CP-SAT | at the optimum | proven | wrong |", "|---|---|---|---|---|"]
    for problem in dict.fromkeys(row["problem"] for row in rows):
        sums = [
            sum(row[key] for row in rows if row["problem"] == problem)
            for key in ("instances", "optimal", "proven", "wrong")
        ]
        lines.append(f"| {problem} | {' | '.join(f'{each:,}' for each in sums)} |")
    return "\n".join(lines)


def table(rows: list[Row]) -> str:
    """Return sums by problem, as Markdown."""
    rows = [row for row in rows if "exact" not in row]
    lines = ["| problem | instances | with a bound | at the optimum | proven | wrong |", "|---|---|---|---|---|---|"]
    for problem in dict.fromkeys(row["problem"] for row in rows):
        sums = [
            sum(row[key] for row in rows if row["problem"] == problem)
            for key in ("instances", "bounds", "optimal", "proven", "wrong")
        ]
        lines.append(f"| {problem} | {' | '.join(f'{each:,}' for each in sums)} |")
    return "\n".join(lines)


def main() -> None:
    """Run the blocks that are missing, and print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--count", type=int, default=10_000, help="instances of each problem")
    parser.add_argument("--exact", type=int, help="instances of each problem to compare with CP-SAT, instead")
    parser.add_argument("--problems", default=",".join((*PROBLEMS, *SYSTEMS)), help="names, separated by commas")
    parser.add_argument("--out", type=Path, default=Path("bound_checks.jsonl"), help="rows, as JSON lines")
    parser.add_argument("--table", action="store_true", help="print the table, run nothing")
    options = parser.parse_args()
    rows = read_lines(options.out)
    done = {(row["problem"], kind, row[kind]) for row in rows for kind in ("block", "exact") if kind in row}
    kind, size, run = ("block", BLOCK, check) if options.exact is None else ("exact", EXACT_BLOCK, check_exactly)
    for block in range(0 if options.table else math.ceil((options.exact or options.count) / size)):
        for problem in options.problems.split(","):
            if (problem, kind, block) not in done:
                row = run(problem, block)
                append(options.out, row)
                print(row, flush=True)
    rows = read_lines(options.out)
    print(table(rows), exact_table(rows), sep="\n\n")


if __name__ == "__main__":
    main()
