"""The contract that every problem keeps, checked by enumerating all assignments of small graphs.

`check_problem` needs nothing but the problem. It makes small graphs of many shapes and weights, and compares

* the options that are declared with those that the functions take;
* the declaration with the plain score, and the least energy with the constrained optimum;
* expectation, field and gradient with sums over all assignments, and flips with their bounds;
* a graph with itself in a batch and under other node numbers.

Of a problem whose score is a quotient a / b it checks the sums a − price · b as problems of their own (`sums_of`), and
that they make the quotient (`quotient_fault`).
"""

from __future__ import annotations

import inspect
import warnings
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import chain, combinations
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from annealco.arguments import as_integer
from annealco.arrays import FloatArray
from annealco.energy import Energy, Instance
from annealco.errors import ContractError, InputError, UserCodeError, in_one_line
from annealco.graph.graph import Graph
from annealco.graph.interop import as_graph
from annealco.graph.operations import relabel
from annealco.optional import is_installed, missing
from annealco.problems.options import Option
from annealco.problems.problem import AtPrice, Problem
from annealco.problems.small_graphs import small_graphs

if TYPE_CHECKING:
    from torch import Tensor


TOLERANCE = 1e-9
"""How closely two routes to the same number must agree, relative to the size of the energies."""

CERTAIN_LOGIT = 50.0


class ProblemError(ContractError):
    """Say which rule of the contract a problem breaks, and on which graph."""


@dataclass(frozen=True, eq=False)
class EnumeratedCase:
    """A problem on one small graph, with everything enumerated."""

    problem: Problem
    graph: Graph
    instance: Instance
    rng: np.random.Generator

    @cached_property
    def energy(self) -> Energy:
        """The energy at the critical penalty, with every expectation exact."""
        return self.instance.energy(range_method="exact")

    @cached_property
    def assignments(self) -> FloatArray:
        """All assignments, [2^n, n]."""
        numbers = np.arange(2**self.graph.num_nodes)
        return (numbers[:, None] >> np.arange(self.graph.num_nodes) & 1).astype(np.float64)

    @cached_property
    def scores(self) -> list[float | None]:
        """The plain score of every assignment."""
        # Callers pass sets as well as lists.
        kinds = (list, set, tuple)
        rows = range(len(self.assignments))
        return [self.problem.score(self.graph, kinds[row % 3](self.chosen(row))) for row in rows]

    @cached_property
    def exact(self) -> bool:
        """Whether the instance claims that its least energy is the least feasible cost, and there is one."""
        claimed = self.instance.exact is None or bool(self.instance.exact[0])
        return claimed and np.isfinite(self.best_cost)

    @cached_property
    def best_cost(self) -> float:
        """The least cost of a feasible assignment, infinite where there is none."""
        sign = 1.0 if self.instance.sense == "min" else -1.0
        return min((sign * each for each in self.scores if each is not None), default=np.inf)

    @cached_property
    def scale(self) -> float:
        """The size of the energies, at least 1."""
        return max(1.0, float(np.abs(self.energy.value(self.assignments)).max()))

    def chosen(self, row: int) -> list[int]:
        """Return the nodes that an assignment chooses."""
        return [int(node) for node in np.flatnonzero(self.assignments[row])]

    def least_energy(self, penalty_scale: float) -> float:
        """Return the minimum of the energy at this multiple of the critical penalty."""
        return float(self.instance.energy(penalty_scale).value(self.assignments).min())

    def require(self, ok: bool, rule: str) -> None:
        """Raise unless the rule holds on this graph."""
        if not ok:
            raise ProblemError(f"{self.problem.name}: {rule} (graph: {_described(self.graph)})")

    def same(self, left: FloatArray | float, right: FloatArray | float) -> bool:
        """Tell whether two numbers or arrays agree."""
        return bool(np.all(np.abs(np.asarray(left) - np.asarray(right)) <= TOLERANCE * self.scale))


def _described(graph: Graph) -> str:
    weights = f"edges {graph.edges.T.tolist()}, node weights {graph.node_weight.tolist()}"
    return f"{graph.num_nodes} nodes, {weights}, edge weights {graph.edge_weight.tolist()}"


def check_problem(problem: str | Problem, graphs: Sequence[Any] | None = None, *, seed: int = 0) -> None:
    """Check that a problem keeps the contract; return silently or raise.

    Required options must be set: ``check_problem(problem.with_options(radius=2))``. A declaration may refuse a graph
    with an `InputError` (an impossible option, say); at least half of the graphs must be accepted. That the penalty is
    critical can only be seen on enough graphs: it is checked on the default ones, and for a problem without options
    set. Takes about a second. Without PyTorch expectations are not checked, and a warning says so.

    Args:
        problem: a name in `PROBLEMS`, a place, or any problem, which has a name of its own.
        graphs: single graphs of at most 12 nodes to check on, in any container that `solve` takes; by default the
            examples of the problem, or sixty small ones of many kinds.
        seed: for the default graphs and the random logits.

    Raises:
        ProblemError: naming the first rule that is broken and the graph that breaks it, or what its code raised. It is
            an `InputError`.
        InputError: for what is no problem, and for one with the name of one of the package.

    Example:
        >>> from annealco.problems import check_problem
        >>> check_problem("mis")
    """
    # The registry lists problems that this module checks.
    from annealco.problems import find_problem

    found = find_problem(problem, unmistakable=True)
    _check(found, None if graphs is None else graphs_to_check(graphs), as_integer("seed", seed, low=0))


def graphs_to_check(graphs: Sequence[Any]) -> list[Graph]:
    """Return graphs that a check is given, in any container.

    Raises:
        InputError: where there is none, or one that is too large to enumerate.
    """
    found = list(map(as_graph, graphs)) if isinstance(graphs, Iterable) else []
    if not found:
        raise InputError(f"graphs must be a list of graphs to check on, they are {graphs!r:.40}")
    return found


def _check(problem: Problem, graphs: Sequence[Graph] | None, seed: int) -> None:
    check_options(problem)
    rng = np.random.default_rng(seed)
    offered = list((problem.examples or small_graphs)(rng) if graphs is None else graphs)
    if problem.at_price is not None:
        with failing(problem, "asked for its sums at prices"):
            sums = sums_of(problem, problem.at_price)
        for each in sums:
            _check(each, graphs, seed)
        with failing(problem, "asked for its quotients"):
            fault = quotient_fault(problem, problem.at_price, offered)
        if fault is not None:
            raise ProblemError(f"{problem.name}: {fault}")
        return
    cases = [case for case in (_declare(problem, graph, rng) for graph in offered) if case is not None]
    if 2 * len(cases) < len(offered) or not cases:
        raise ProblemError(
            f"{problem.name}: the declaration refuses {len(offered) - len(cases)} of {len(offered)} graphs"
        )
    checks: tuple[Callable[[EnumeratedCase], None], ...] = CHECKS
    if not is_installed("torch"):
        warnings.warn(missing(f"checking expectations of {problem.name}", "torch"), stacklevel=3)
        checks = tuple(each for each in CHECKS if each not in CHECKS_OF_EXPECTATIONS)
    for case in cases:
        for check in checks:
            with failing(problem, f"in the check of its {check.__name__.removeprefix('check_')}", case.graph):
                check(case)
    if graphs is None and not _has_options(problem):
        _check_sharpness(problem, cases)
    with failing(problem, "declared on many graphs at once"):
        _check_batch(problem, cases, rng)


@contextmanager
def failing(problem: Problem, step: str, graph: Graph | None = None) -> Iterator[None]:
    """Name the problem, the step of its contract and the graph in whatever its code raises, besides broken rules."""
    where = "" if graph is None else f" (graph: {_described(graph)})"
    try:
        yield
    except ContractError:
        raise
    except UserCodeError as error:
        raise ProblemError(f"{problem.name}: {step}: {error}{where}") from error.__cause__ or error
    except (Exception, SystemExit) as error:
        raise ProblemError(f"{problem.name}: {step} it failed: {in_one_line(error)}{where}") from error


def declared(problem: Problem, graph: Graph) -> Instance | None:
    """Return the instance of a problem on a graph, or None where it refuses the graph.

    Raises:
        ProblemError: where the declaration raises anything but an `InputError`, or returns something else.
    """
    with failing(problem, "declared", graph):
        try:
            return problem.declare(graph)
        except UserCodeError:
            raise
        except InputError:
            return None


def check_options(problem: Problem) -> None:
    """The options that are declared are those that declaration, score and price take, with the same defaults."""
    declared = {option.name: option for option in problem.options}
    if len(declared) < len(problem.options):
        raise ProblemError(f"{problem.name}: two options have one name")
    functions = {"declare": problem.declare, "score": problem.score, "at_price": problem.at_price}
    for where, function in functions.items():
        if function is None:
            continue
        taken, takes_any = _keywords(function)
        untaken = [name for name in declared if name not in taken]
        if untaken and not takes_any:
            raise ProblemError(f"{problem.name}: the option {untaken[0]} is declared, but {where} does not take it")
        for name, default in taken.items():
            fault = _option_fault(declared.get(name), default, is_set=name in problem.set_options)
            if fault is not None:
                raise ProblemError(f"{problem.name}: {where} takes {name}, {fault}")
    for name, option in declared.items():
        if option.required and name not in problem.set_options:
            raise ProblemError(f"{problem.name}: the option {name} is required: set it by with_options for the check")


def _keywords(function: Callable[..., Any]) -> tuple[dict[str, Any], bool]:
    """Return the keyword-only arguments of a function with their defaults, and whether it takes any others."""
    try:
        parameters = inspect.signature(function).parameters.values()
    except (TypeError, ValueError):
        return {}, True
    named = {each.name: each.default for each in parameters if each.kind is each.KEYWORD_ONLY}
    return named, any(each.kind is each.VAR_KEYWORD for each in parameters)


def _option_fault(option: Option | None, default: Any, *, is_set: bool) -> str | None:
    """Return what is wrong with an argument of a function beside the option of its name, or None."""
    if option is None:
        return "which is no declared option"
    if is_set:
        return None
    if default is inspect.Parameter.empty:
        return None if option.required else "which has no default there and is not required"
    return None if option.required or default == option.default else f"whose default there is {default!r}"


def _has_options(problem: Problem) -> bool:
    return bool(problem.set_options)


def _declare(problem: Problem, graph: Graph, rng: np.random.Generator) -> EnumeratedCase | None:
    if graph.num_graphs != 1 or graph.num_nodes > 12:
        raise ProblemError(f"check_problem takes single graphs of at most 12 nodes, not {graph}")
    instance = declared(problem, graph)
    return None if instance is None else EnumeratedCase(problem, graph, instance, rng)


def check_sense(case: EnumeratedCase) -> None:
    """The problem and its declaration agree on what is better."""
    case.require(case.problem.sense == case.instance.sense, "problem and instance disagree on the sense")


def check_score(case: EnumeratedCase) -> None:
    """Objective and violations agree with the plain score on every assignment."""
    violations = case.instance.violations(case.assignments)[:, 0]
    case.require(violations.min() >= 0, f"violations can be negative: {violations.min():g}")
    scored = np.array([each is not None for each in case.scores])
    for row in np.flatnonzero(scored != (violations == 0)).tolist():
        case.require(False, f"score and violations disagree on whether {case.chosen(row)} is feasible")
    scores = np.array([0.0 if each is None else each for each in case.scores], dtype=np.float64)
    case.require(bool(np.isfinite(scores).all()), "a score is not finite")
    values = case.instance.value(case.assignments)[:, 0]
    for row in np.flatnonzero(scored & (np.abs(values - scores) > TOLERANCE * case.scale)).tolist():
        case.require(False, f"the objective of {case.chosen(row)} is {values[row]:g}, its score {scores[row]:g}")


def check_minimum(case: EnumeratedCase) -> None:
    """At the critical penalty the least energy is the least feasible cost, wherever the instance says exact."""
    if case.exact:
        least = case.least_energy(1.0)
        rule = (
            f"the least energy is {least:g}, but the least feasible cost {case.best_cost:g}: the penalty is too small"
        )
        case.require(case.same(least, case.best_cost), rule)


def check_expectation(case: EnumeratedCase) -> None:
    """Expectation, field and gradient agree with sums over all assignments."""
    import torch

    logits = torch.tensor(case.rng.normal(0, 2, case.graph.num_nodes), requires_grad=True)
    probability = torch.sigmoid(logits).detach().numpy()
    energies = case.energy.value(case.assignments)[:, 0]

    def enumerated(probability: FloatArray) -> float:
        factors = np.where(case.assignments == 1, probability, 1 - probability)
        return float(factors.prod(axis=1) @ energies)

    expected = case.energy.expectation(logits)
    case.require(
        case.same(expected.item(), enumerated(probability)), "the expectation is not the mean over assignments"
    )
    difference = _conditional_difference(enumerated, probability)
    field = case.energy.field(logits).detach().numpy()
    case.require(case.same(field, difference), "the field is not E[f | x_i = 1] − E[f | x_i = 0]")
    # What no node can change, such as the energy of a graph without nodes, has no gradient to compute.
    if expected.requires_grad:
        expected.sum().backward()  # type: ignore[no-untyped-call]
    gradient = np.zeros_like(probability) if logits.grad is None else logits.grad.numpy()
    chain = difference * probability * (1 - probability)
    case.require(case.same(gradient, chain), "the gradient is not the conditional difference")


def _conditional_difference(enumerated: Callable[[FloatArray], float], probability: FloatArray) -> FloatArray:
    difference = np.zeros(len(probability))
    for node in range(len(probability)):
        given = np.tile(probability, (2, 1))
        given[:, node] = 0.0, 1.0
        difference[node] = enumerated(given[1]) - enumerated(given[0])
    return difference


def check_certainty(case: EnumeratedCase) -> None:
    """As Q becomes certain, the expectation as declared becomes the energy of the assignment, also in float32."""
    import torch

    bits = case.rng.integers(0, 2, case.graph.num_nodes)
    energy = case.instance.energy()
    for dtype, tolerance in ((torch.float64, 1e-6), (torch.float32, 1e-4)):
        logits: Tensor = torch.tensor(CERTAIN_LOGIT * (2.0 * bits - 1.0), dtype=dtype)
        gap = abs(energy.expectation(logits).item() - energy.value(bits)[0])
        case.require(
            gap <= tolerance * case.scale, f"the expectation misses the energy of a certain Q by {gap:g} ({dtype})"
        )


def check_flips(case: EnumeratedCase) -> None:
    """No flip changes the energy by more than its bound."""
    bound = case.energy.flip_bound()
    energies = case.energy.value(case.assignments)[:, 0]
    for node in range(case.graph.num_nodes):
        flipped = np.arange(len(energies)) ^ (1 << node)
        largest = float(np.abs(energies[flipped] - energies).max())
        rule = f"flipping node {node} changes the energy by {largest:g}, above its bound {bound[node]:g}"
        case.require(largest <= bound[node] + TOLERANCE * case.scale, rule)


def check_relabelling(case: EnumeratedCase) -> None:
    """Other node numbers give the same energies; left out where options are set, since they may name nodes."""
    if _has_options(case.problem):
        return
    permutation = case.rng.permutation(case.graph.num_nodes)
    other = case.problem.declare(relabel(case.graph, permutation))
    moved = np.zeros_like(case.assignments)
    moved[:, permutation] = case.assignments
    same = case.same(other.energy().value(moved), case.instance.energy().value(case.assignments))
    case.require(same, "the energy depends on how the nodes are numbered")


def check_complement(case: EnumeratedCase) -> None:
    """Where the problem is the complement of another, that one has the same energies of the nodes that are left out."""
    turned = case.problem.complement_of
    if turned is None:
        return
    other, left_out = turned.declare(case.graph), 1 - case.assignments
    apart = (case.instance.energy().value(case.assignments) - other.energy().value(left_out))[:, 0]
    case.require(case.same(apart, apart[0]), f"the energy is not that of {turned.name} turned round")
    broken = case.instance.violations(case.assignments), other.violations(left_out)
    rule = f"a set is feasible, and what it leaves out is not for {turned.name}"
    case.require(np.array_equal(broken[0] == 0, broken[1] == 0), rule)


CHECKS = (
    check_sense,
    check_score,
    check_minimum,
    check_expectation,
    check_certainty,
    check_flips,
    check_relabelling,
    check_complement,
)
"""What is checked on every graph."""

CHECKS_OF_EXPECTATIONS = (check_expectation, check_certainty)
"""Those that need PyTorch."""


def _check_sharpness(problem: Problem, cases: list[EnumeratedCase]) -> None:
    """At 0.9 of the critical penalty some graph must have a minimum below its best feasible cost."""
    constrained = any(case.instance.constraints for case in cases)
    if not (problem.sharp and constrained):
        return
    if not any(case.exact and case.least_energy(0.9) < case.best_cost - TOLERANCE * case.scale for case in cases):
        raise ProblemError(f"{problem.name}: 0.9 of the penalty is still exact on every graph, so it is not critical")


def _check_batch(problem: Problem, cases: list[EnumeratedCase], rng: np.random.Generator) -> None:
    """A graph has the same energy, violations and expectation alone and among others."""
    batch = problem.declare(Graph.batch([case.graph for case in cases]))
    bits = rng.integers(0, 2, batch.num_nodes)
    logits = rng.normal(0, 2, batch.num_nodes)
    together = _measured(batch, bits, logits)
    for number, case in enumerate(cases):
        own = slice(batch.node_ptr[number], batch.node_ptr[number + 1])
        instance = case.instance
        alone = _measured(instance, bits[own], logits[own])
        for what, values in together.items():
            case.require(case.same(values[number], alone[what][0]), f"the {what} of a graph changes in a batch")
        exact = instance.exact is None or bool(instance.exact[0])
        same = batch.exact is None or (len(batch.exact) == len(cases) and bool(batch.exact[number]) == exact)
        case.require(same if batch.exact is not None else exact, "whether a graph is exact changes in a batch")


def _measured(instance: Instance, bits: NDArray[Any], logits: FloatArray) -> dict[str, FloatArray]:
    """Return what a batch must not change, [num_graphs] each, by name."""
    energy = instance.energy()
    values = {"energy": energy.value(bits), "violations": instance.violations(bits), "value": instance.value(bits)}
    if is_installed("torch"):
        import torch

        values["expectation"] = energy.expectation(torch.tensor(logits)).numpy()
    return values


PRICES = (-0.4, 0.7)
"""At which the problems of sums are checked, besides 0."""


def sums_of(problem: Problem, at_price: AtPrice) -> list[Problem]:
    """Return the problems of sums that a quotient is made of: its numerator as declared, and those at two prices."""
    plain = at_price(0.0).score

    def numerator(graph: Graph, nodes: Collection[int], **options: Any) -> float | None:
        return None if problem.score(graph, nodes, **options) is None else plain(graph, nodes, **options)

    return [replace(problem, score=numerator, at_price=None), *(at_price(price) for price in PRICES)]


def quotient_fault(problem: Problem, at_price: AtPrice, graphs: Sequence[Graph]) -> str | None:
    """Return what is wrong with the quotients of all sets of small graphs, or None.

    A quotient is a / b with b > 0, where a − price · b is the score at every price. A set that is feasible at a price
    and has no quotient must not be better than 0 there.
    """
    sign = 1.0 if problem.sense == "max" else -1.0
    scores = [at_price(price).score for price in (0.0, 1.0, *PRICES)]
    for graph in graphs:
        if declared(problem, graph) is None:
            continue
        sets = chain.from_iterable(combinations(range(graph.num_nodes), size) for size in range(graph.num_nodes + 1))
        for nodes in sets:
            priced = [score(graph, list(nodes)) for score in scores]
            fault = _fault(list(nodes), problem.score(graph, list(nodes)), priced, sign)
            if fault is not None:
                return f"{fault} (graph: {graph.num_nodes} nodes, edges {graph.edges.T.tolist()})"
    return None


def _fault(nodes: list[int], value: float | None, priced: list[float | None], sign: float) -> str | None:
    """Return what is wrong with a set, by its quotient and its scores at the prices 0 and 1 and others."""
    above, less, *others = priced
    if value is None:
        better = any(each is not None and sign * each > TOLERANCE for each in priced)
        return f"{nodes} has no quotient, but is better than 0 at a price" if better else None
    if above is None or less is None or None in others:
        return f"{nodes} has a quotient, but no score at a price"
    below = above - less
    if not below > 0:
        return f"the denominator of {nodes} is {below:g}, it must be above 0"
    if not _same(value * below, above):
        return f"the quotient of {nodes} is {value:g}, but the scores at prices say {above / below:g}"
    if not all(_same(each, above - price * below) for price, each in zip(PRICES, others, strict=True)):
        return f"the score of {nodes} is not a − price · b"
    return None


def _same(left: float | None, right: float) -> bool:
    return left is not None and abs(left - right) <= TOLERANCE * max(1.0, abs(left), abs(right))
