"""Hold answers, bounds and claims of optima against all sets of small instances with awkward shapes and weights.

python benchmarks/proof_fuzz.py --minutes 20        # CPU minutes; goes on where the rows of the file end
python benchmarks/proof_fuzz.py --table             # the table of the rows so far, nothing is run
python benchmarks/proof_fuzz.py --show mis 12 345   # one instance, with what is said of it

Instances have up to 14 choices: stars, paths, cycles, wheels, grids, complete and complete bipartite graphs, cliques
that are joined, random graphs, and several of these side by side, with isolated nodes. Weights are equal, whole, zero,
of either sign where a problem takes that, of size 10^12 or 10^-9, or both sizes in one instance. Cuts have volume
ranges, seed nodes and prices. The optimum is that of 2^n sets by the problem's definition, in extended precision.

An instance is solved as `solve` does it by default with 2,000 moves, and in other ways in turn: without enumeration, by
one bound alone, within a gap, from a start, with a time limit that cuts proofs off, and as a bound without a search.
Wrong is a bound on the wrong side of the optimum at all, an optimum that is none or a value that is not that of the set
beyond what rounding can do to a sum, and an error. With whole weights nothing is excused. A row is a block of 200
instances of one problem, with its seed; "open" counts answers without a proof where nothing cut it off.
"""

from __future__ import annotations

import argparse
import time
import zlib
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from json_lines import Row, append, read_lines

import annealco
from annealco.bounds import prove_bound
from annealco.bounds.prove import BOUNDS
from annealco.graph.graph import Graph
from annealco.problems import PROBLEMS, find_problem

BLOCK = 200
MOST_NODES = 14
RESULTS = Path(__file__).parent / "results" / "proof_fuzz.jsonl"
EPSILON = float(np.finfo(np.float64).eps)
Extended = np.ndarray
"""Of np.longdouble."""


def _pairs_of(size: int, joined: Callable[[int, int], bool]) -> list[tuple[int, int]]:
    return [(u, v) for u in range(size) for v in range(u + 1, size) if joined(u, v)]


def _shape(rng: np.random.Generator, size: int) -> list[tuple[int, int]]:
    """Draw the edges of a graph of some family."""
    half, width = int(rng.integers(0, size + 1)), int(rng.integers(1, size + 2))
    density = float(rng.choice([0.15, 0.3, 0.5, 0.8]))
    shapes: list[Callable[[int, int], bool]] = [
        lambda _u, _v: False,
        lambda _u, _v: True,
        lambda u, _v: u == 0,
        lambda u, v: v == u + 1,
        lambda u, v: v == u + 1 or (u == 0 and v == size - 1),
        lambda u, v: u == 0 or v == u + 1 or (u == 1 and v == size - 1),
        lambda u, v: u < half <= v,
        lambda u, v: (u < half) == (v < half) or (u == half - 1 and v == half),
        lambda u, v: u // 3 == v // 3 or v == u + 3,
        lambda u, v: v - u == width or (v == u + 1 and v % width != 0),
        lambda u, v: v // 2 != u // 2,
        lambda u, v: v == u + 1 or v == u + 2,
        lambda _u, _v: bool(rng.random() < density),
        lambda _u, _v: bool(rng.random() < density),
    ]
    return _pairs_of(size, shapes[int(rng.integers(len(shapes)))])


def _edges(rng: np.random.Generator) -> tuple[np.ndarray, int]:
    """Draw a graph of one or several parts, with its nodes in any order."""
    size, parts, first = int(rng.integers(1, MOST_NODES + 1)), int(rng.integers(1, 4)), 0
    edges: list[tuple[int, int]] = []
    for part in range(parts):
        count = size - first if part == parts - 1 else int(rng.integers(0, size - first + 1))
        if rng.random() < 0.9:
            edges += [(first + u, first + v) for u, v in _shape(rng, count)]
        first += count
    order = rng.permutation(size)
    return np.sort(order[np.array(edges, dtype=np.int64).reshape(-1, 2).T], axis=0), size


def _weights(rng: np.random.Generator, count: int, *, signed: bool) -> np.ndarray:
    whole = rng.integers(1, 10, count).astype(float)
    real = rng.uniform(0.0, 3.0, count)
    either = rng.random(count) < 0.5
    kinds: list[Callable[[], np.ndarray]] = [
        lambda: np.ones(count),
        lambda: np.full(count, float(rng.choice([0.1, 1 / 3, 1e12, 1e-9, 1e12 / 3, 0.0]))),
        lambda: whole,
        lambda: rng.integers(0, 3, count).astype(float),
        lambda: real,
        lambda: np.where(either, real, 0.0),
        lambda: 1e12 * whole,
        lambda: 1e-9 * whole,
        lambda: 1e12 * real,
        lambda: 1e-9 * real,
        lambda: np.where(either, 1e12 * whole, whole),
        lambda: np.where(either, 1e12 * real, 1e-9 * real),
        lambda: np.where(either, 1e12, 1e-9),
        lambda: 1e12 + whole,
        lambda: 1.0 + 1e-9 * whole,
        lambda: np.exp(rng.normal(0.0, 8.0, count)),
    ]
    weight = kinds[int(rng.integers(len(kinds)))]()
    return weight * rng.choice([-1.0, 1.0], count) if signed and rng.random() < 0.6 else weight


@dataclass
class Case:
    """An instance, and all there is to say about it.

    Attributes:
        source: what `solve` is given.
        options: of the problem.
        size: how many choices there are.
        values: [2^size] values of all sets, nan where one is not feasible.
        parts: numbers that are added up to a value.
    """

    source: Any
    size: int
    values: Extended
    parts: np.ndarray
    options: dict[str, Any] = field(default_factory=dict)

    @property
    def is_whole(self) -> bool:
        """Whether every sum is exact."""
        return bool(np.all(self.parts == np.round(self.parts)) and np.abs(self.parts).sum() < 2**50)


def _bits(size: int) -> np.ndarray:
    return ((np.arange(2**size)[:, None] >> np.arange(size)) & 1).astype(bool)


def _sums(chosen: np.ndarray, weight: np.ndarray) -> Extended:
    """Return sums of weights [num_items] over sets [num_sets, num_items], in extended precision."""
    total = np.zeros(len(chosen), np.longdouble)
    for place, each in enumerate(weight.astype(np.longdouble)):
        total += np.where(chosen[:, place], each, np.longdouble(0))
    return total


def _draw_quadratic(rng: np.random.Generator, *, spins: bool) -> Case:
    pairs, size = _edges(rng)
    linear, strength = _weights(rng, size, signed=True), _weights(rng, pairs.shape[1], signed=True)
    if rng.random() < 0.3:
        linear = np.zeros(size)
    given: dict[Any, float] = dict(zip(map(tuple, pairs.T.tolist()), strength.tolist(), strict=True))
    own = {(i, i): value for i, value in enumerate(linear.tolist())}
    bits = _bits(size)
    if spins:
        differ = bits[:, pairs[0]] != bits[:, pairs[1]]
        values = 2 * _sums(bits, linear) - linear.astype(np.longdouble).sum()
        values += strength.astype(np.longdouble).sum() - 2 * _sums(differ, strength)
    else:
        values = _sums(bits, linear) + _sums(bits[:, pairs[0]] & bits[:, pairs[1]], strength)
    source: Any = (dict(enumerate(linear.tolist())), given) if spins else given | own
    return Case(source, size, values, np.concatenate([linear, strength]))


def _draw_system(rng: np.random.Generator, *, hitting: bool) -> Case:
    num_elements, num_sets = int(rng.integers(1, MOST_NODES + 1)), int(rng.integers(1, MOST_NODES + 1))
    holds = rng.random((num_elements, num_sets)) < rng.choice([0.1, 0.25, 0.5, 0.8])
    holds[np.arange(num_elements), rng.integers(0, num_sets, num_elements)] = True
    holds[rng.integers(0, num_elements, num_sets), np.arange(num_sets)] = True
    size = num_elements if hitting else num_sets
    cost, rows = _weights(rng, size, signed=False), holds.T if hitting else holds
    costs: dict[str, Any] = {"element_costs" if hitting else "costs": cost}
    source = annealco.set_system(holds.astype(int), **costs)
    return Case(source, size, _cover_values(cost, rows), cost)


def _cover_values(cost: np.ndarray, rows: np.ndarray) -> Extended:
    bits = _bits(len(cost))
    hit = np.all(bits.astype(np.float32) @ rows.T.astype(np.float32) > 0, axis=1)
    return np.where(hit, _sums(bits, cost), np.longdouble(np.nan))


def _cut_options(rng: np.random.Generator, problem: str, graph: Graph) -> dict[str, Any]:
    options: dict[str, Any] = {}
    volume = 2 * graph.num_edges
    if rng.random() < 0.4:
        lower = int(rng.integers(0, volume + 1))
        options["volume"] = (lower, int(rng.integers(lower, volume + 1)))
    if rng.random() < 0.3:
        options["seed_node"] = int(rng.integers(graph.num_nodes))
    if problem == "cut" and rng.random() < 0.2:
        options["price"] = float(rng.choice([0.5, 1.0, -2.0, 0.3]))
    return options


def _draw_cut(rng: np.random.Generator, problem: str, graph: Graph) -> Case:
    bits, weight = _bits(graph.num_nodes), graph.edge_weight
    values = _sums(bits[:, graph.edges[0]] != bits[:, graph.edges[1]], weight)
    if problem == "max_cut":
        return Case(graph, graph.num_nodes, values, weight)
    options = _cut_options(rng, problem, graph)
    degree = np.bincount(graph.edges.ravel(), minlength=graph.num_nodes)
    volume = bits.astype(np.int64) @ degree
    lower, upper = options.get("volume", (degree.sum() / 4, degree.sum() / 2))
    fits = (volume >= lower) & (volume <= upper)
    if "seed_node" in options:
        fits &= bits[:, options["seed_node"]]
    price = options.get("price", 0.0)
    values = values - np.longdouble(price) * volume
    if problem == "conductance":
        fits &= volume > 0
        values = values / np.maximum(volume, 1)
    earned = price * degree.astype(float)
    # A price that is not whole may have whole products, by rounding.
    parts = np.concatenate([weight, earned[earned != 0], [price]])
    return Case(graph, graph.num_nodes, np.where(fits, values, np.longdouble(np.nan)), parts, options)


def draw(problem: str, rng: np.random.Generator) -> Case:
    """Draw an instance of a problem."""
    if problem in {"qubo", "ising"}:
        return _draw_quadratic(rng, spins=problem == "ising")
    if problem in {"set_cover", "hitting_set"}:
        return _draw_system(rng, hitting=problem == "hitting_set")
    edges, size = _edges(rng)
    is_cut = problem in {"max_cut", "cut", "conductance"}
    edge_weight = _weights(rng, edges.shape[1], signed=is_cut)
    graph = Graph.from_edges(edges, size, node_weight=_weights(rng, size, signed=False), edge_weight=edge_weight)
    if is_cut:
        return _draw_cut(rng, problem, graph)
    bits, weight = _bits(size), graph.node_weight
    joined = np.eye(size, dtype=bool)
    joined[graph.edges[0], graph.edges[1]] = joined[graph.edges[1], graph.edges[0]] = True
    if problem in {"mis", "clique"}:
        clash = joined ^ np.eye(size, dtype=bool) if problem == "mis" else ~joined
        fits = np.ones(len(bits), bool)
        for u, v in zip(*np.nonzero(np.triu(clash)), strict=True):
            fits &= ~(bits[:, u] & bits[:, v])
        return Case(graph, size, np.where(fits, _sums(bits, weight), np.longdouble(np.nan)), weight)
    rows = np.zeros((graph.num_edges, size), bool)
    rows[np.arange(graph.num_edges), graph.edges[0]] = rows[np.arange(graph.num_edges), graph.edges[1]] = True
    return Case(graph, size, _cover_values(weight, joined if problem == "mds" else rows), weight)


OTHERS = [name for name in BOUNDS.own if name != "enumeration"]


def _settings(rng: np.random.Generator, case: Case) -> dict[str, Any]:
    """Draw how an instance is solved; half of the time it is by default."""
    own: dict[str, Any] = {"moves": 2_000}
    kind = int(rng.integers(14))
    if kind < 7:
        return own
    others: list[dict[str, Any]] = [
        {"bounds": OTHERS},
        {"bounds": OTHERS},
        {"bounds": [str(rng.choice(OTHERS))]},
        {"gap": float(rng.choice([0.05, 0.3]))},
        {"start": np.flatnonzero(rng.random(case.size) < 0.5).tolist()},
        {"moves": None, "time_limit": float(rng.choice([1e-4, 1e-3, 3e-3]))},
        {"moves": None, "time_limit": float(rng.choice([1e-3, 3e-3])), "bounds": OTHERS},
    ]
    return own | others[kind - 7]


def _solve(problem: str, case: Case, settings: dict[str, Any], seed: int) -> Any:
    """Solve, or return None where the bounds that were chosen are not for the instance."""
    try:
        return annealco.solve(case.source, problem, seed=seed, num_threads=1, **settings, **case.options)
    except annealco.InputError as error:
        if "is not for the bounds" in str(error):
            return None
        if "start" in settings and "start" in str(error):
            return None
        raise


def fault_of(problem: str, case: Case, found: Any) -> str | None:
    """Return what is wrong with an answer."""
    sign = -1.0 if PROBLEMS[problem].sense == "max" else 1.0
    best = sign * np.nanmin(sign * case.values)
    total = np.longdouble(np.abs(case.parts).sum())
    # In a quadratic function of bits, the coefficients of an Ising model are up to six times as large.
    times = 60 if problem == "ising" else 10
    loose = 0.0 if case.is_whole else times * (len(case.parts) + case.size + 4) * EPSILON * total
    if problem == "conductance":
        loose = np.longdouble(1e-10) * np.nanmax(np.abs(case.values)) + 4 * EPSILON * abs(best)
    chosen = np.zeros(case.size, np.int64)
    chosen[[node[1] if isinstance(node, tuple) else node for node in found.nodes]] = 1
    own = case.values[int((chosen << np.arange(case.size)).sum())]
    if not abs(own - found.value) <= loose:
        return f"value {found.value!r}, the set is worth {own!r}"
    if found.bound is not None:
        wrong = sign * (found.bound - best)
        if wrong > (total * 2.0**-60 if problem != "conductance" else loose):
            return f"bound {found.bound!r} is beyond the best {best!r} by {float(wrong):.3g}"
    # What is added up decides how far rounding goes, but not where all of it has one sign: then the value does.
    near = loose
    if not case.is_whole and problem != "conductance" and np.all(case.parts >= 0) and problem not in {"qubo", "ising"}:
        near = 10 * (len(case.parts) + case.size + 4) * EPSILON * abs(best) if "price" not in case.options else loose
    if found.optimal and abs(found.value - best) > near:
        return f"{found.value!r} is called optimal, the best is {best!r}"
    if found.optimal and found.bound is None:
        return "optimal without a bound"
    if found.optimal != (found.gap == 0):
        return f"optimal is {found.optimal}, the gap {found.gap}"
    return None


def _bound_fault(problem: str, case: Case, rng: np.random.Generator) -> str | None:
    """Prove a bound without a search, and return what is wrong with it."""
    posed = find_problem(problem)
    graph = case.source if isinstance(case.source, Graph) else posed.read(case.source) if posed.read else None
    if graph is None or posed.at_price is not None:
        return None
    instance = posed.with_options(**case.options).declare(graph)
    names: Any = "all" if rng.random() < 0.3 else OTHERS
    limit = float(rng.choice([0.0, 1e-3, 0.02]))
    try:
        bound = prove_bound(instance, bounds=names, time_limit=limit, seed=int(rng.integers(100)))
    except annealco.InputError as error:
        if "is not for the bounds" in str(error):
            return None
        raise
    sign = -1.0 if posed.sense == "max" else 1.0
    best = sign * np.nanmin(sign * case.values)
    if bound is not None and sign * (bound.value - best) > np.abs(case.parts).sum() * 2.0**-60:
        return f"prove_bound({names}, {limit}) says {bound.value!r} by {bound.method}, the best is {best!r}"
    return None


def check(problem: str, block: int, number: int) -> tuple[str | None, Any, Case, dict[str, Any]]:
    """Solve one instance; return what is wrong, the answer, the instance and how it was solved."""
    rng = np.random.default_rng([zlib.crc32(problem.encode()), 2, block, number])
    case = draw(problem, rng)
    settings = _settings(rng, case)
    is_possible = not np.isnan(case.values).all()
    try:
        found = _solve(problem, case, settings, number)
    except annealco.InputError as error:
        return (f"refused: {error}" if is_possible else None), None, case, settings
    except Exception as error:  # noqa: BLE001 (whatever it is, it is a fault)
        return f"{type(error).__name__}: {error}", None, case, settings
    if not is_possible:
        return "an answer where no set is feasible", found, case, settings
    fault = None if found is None else fault_of(problem, case, found)
    if fault is None and rng.random() < 0.3:
        fault = _bound_fault(problem, case, rng)
    return fault, found, case, settings


def run_block(problem: str, block: int) -> Row:
    """Solve a block of instances, and count."""
    counts = dict.fromkeys(("instances", "impossible", "proven", "open", "missed", "wrong"), 0)
    faults: list[str] = []
    began = time.process_time()
    for number in range(BLOCK):
        fault, found, case, settings = check(problem, block, number)
        counts["instances"] += 1
        counts["impossible"] += bool(np.isnan(case.values).all())
        counts["wrong"] += fault is not None
        if found is not None:
            is_default = settings == {"moves": 2_000}
            counts["proven"] += found.optimal
            counts["open"] += is_default and not found.optimal
            counts["missed"] += is_default and not found.optimal and _misses(problem, case, found)
        faults += [] if fault is None else [f"{number}: {fault}"]
    row = {"problem": problem, "block": block, **counts, "seconds": round(time.process_time() - began, 2)}
    return row | ({"faults": faults[:5]} if faults else {})


def _misses(problem: str, case: Case, found: Any) -> bool:
    sign = -1.0 if PROBLEMS[problem].sense == "max" else 1.0
    best = sign * np.nanmin(sign * case.values)
    return bool(abs(found.value - best) > 1e-9 * abs(best))


COLUMNS = ("instances", "proven", "open", "missed", "wrong")


def table(rows: list[Row]) -> str:
    """Return sums by problem, as Markdown."""
    lines = [f"| problem | {' | '.join(COLUMNS)} |", "|---" * (1 + len(COLUMNS)) + "|"]
    for problem in dict.fromkeys(row["problem"] for row in rows):
        sums = [sum(row[key] for row in rows if row["problem"] == problem) for key in COLUMNS]
        lines.append(f"| {problem} | {' | '.join(f'{each:,}' for each in sums)} |")
    return "\n".join(lines)


def main() -> None:
    """Run blocks of all problems in turn until the time is used up, and print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--minutes", type=float, default=20.0, help="CPU minutes, those of the rows among them")
    parser.add_argument("--problems", default=",".join(PROBLEMS.own), help="names, separated by commas")
    parser.add_argument("--first", type=int, default=0, help="the first block")
    parser.add_argument("--out", type=Path, default=RESULTS, help="rows, as JSON lines")
    parser.add_argument("--table", action="store_true", help="print the table, run nothing")
    parser.add_argument("--show", nargs=3, metavar=("PROBLEM", "BLOCK", "NUMBER"), help="print one instance")
    options = parser.parse_args()
    if options.show:
        problem, block, number = options.show
        fault, found, case, settings = check(problem, int(block), int(number))
        print(case.source, case.options, settings, found, fault, sep="\n")
        return
    done = {(row["problem"], row["block"]) for row in read_lines(options.out)}
    spent = sum(row["seconds"] for row in read_lines(options.out))
    block = options.first
    while not options.table and spent < 60 * options.minutes:
        for problem in options.problems.split(","):
            if (problem, block) not in done:
                row = run_block(problem, block)
                append(options.out, row)
                print(row, flush=True)
                spent += row["seconds"]
        block += 1
    print(table(read_lines(options.out)))


if __name__ == "__main__":
    main()
