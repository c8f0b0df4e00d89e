"""How to solve: the settings, checked once, that the pipeline reads, and what a model is to it."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field, fields
from functools import cache
from typing import Any, Protocol, runtime_checkable

from numpy.typing import ArrayLike

from annealco._core import Patience, StopFlag
from annealco.arguments import as_plain, plain_hints
from annealco.bounds.ledger import BoundKind
from annealco.energy import Instance
from annealco.errors import InputError, did_you_mean
from annealco.graph.graph import Graph
from annealco.models.compiled_field import StepSeconds
from annealco.problems import PROBLEMS, Problem
from annealco.search.decode import DEFAULT_ORDER, Order, check_order
from annealco.search.protocol import SearchKind

Proposer = Callable[[Graph, Instance], ArrayLike]
"""A model as the pipeline sees it: graph and instance to logits, [num_nodes] or [num_restarts, num_nodes]."""

MAX_RESTARTS = 10_000
"""Every restart keeps a state of its own."""

MAX_MOVES = 10**15
"""More than a year of moves."""

TIME_LIMIT = 0.3
"""Seconds per graph, unless told otherwise: short beside the start of a process, which takes about a second."""


@runtime_checkable
class Trained(Protocol):
    """A model that learned one problem: it gives as many restarts as it is asked for, and minds the time.

    Whatever else can be called with a graph and its instance is a `Proposer`, which gives what it gives.
    """

    @property
    def name(self) -> str: ...

    @property
    def problem(self) -> str: ...

    @property
    def step_seconds(self) -> StepSeconds: ...

    def with_settings(self, *, num_restarts: int, seed: int, seconds: float, stop: StopFlag) -> Proposer: ...

    def __call__(self, graph: Graph, instance: Instance, /) -> ArrayLike: ...


@dataclass(frozen=True)
class Solver:
    """How to solve a problem; `annealco.solve` tells what each setting means.

    Attributes:
        time_limit: seconds per graph; see `limit_per_graph` for the default.
        search: None for the default of each instance.
        bounds: None for all of the package.
        patience: seconds, or text such as ``20%``, a share of what a restart has: of its moves where these are limited,
            else of its seconds.
        stop: once it is set, what is under way ends with the best so far.
        options: of the problem, by name.
    """

    problem: Problem
    time_limit: float = TIME_LIMIT
    total_time: float | None = None
    moves: int | None = None
    gap: float = 0.0
    patience: float | str | None = None
    restarts: int = 1
    polish: bool = True
    bound: bool = True
    search: SearchKind | None = None
    bounds: tuple[BoundKind, ...] | None = None
    model: str | Proposer = "none"
    penalty_scale: float = 1.0
    decode_order: Order = DEFAULT_ORDER
    seed: int = 0
    num_threads: int | None = None
    stop: StopFlag = field(default_factory=StopFlag)
    options: dict[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        for name, hint in _plain_settings().items():
            as_plain(name, getattr(self, name), hint)
        self._check_limits()
        if not 1 <= self.restarts <= MAX_RESTARTS:
            raise InputError(f"restarts must be at least 1 and at most {MAX_RESTARTS:,}, they are {self.restarts}")
        check_order(self.decode_order)
        if self.seed < 0:
            raise InputError(f"the seed must not be negative, it is {self.seed}")
        if not callable(self.model) and self.model != "none":
            raise InputError(f"unknown model {self.model!r}; choose none, or give a function")
        if self.trained is not None:
            # A network goes by the name of the problem that it has learned.
            PROBLEMS.check_name(self.problem)
        if self.trained is not None and self.trained.problem not in self.problem.learned_from:
            wanted, name = " or ".join(self.problem.learned_from), self.problem.name
            serves = f", whose networks serve {name}" if wanted != name else ""
            raise InputError(f"the model was trained for {self.trained.problem}, not for {wanted}{serves}")
        # An option that does not exist is told before any graph is read.
        own = [option.name for option in self.problem.options]
        for name in self.options:
            if name not in own and (hint := did_you_mean(name, _names_of_settings())):
                choices = f"choose one of {', '.join(own)}; " if own else ""
                raise InputError(f"{self.problem.name} has no option {name!r}; {choices}{hint.strip()}")
        self.problem.posed(self.options)

    def _check_limits(self) -> None:
        # A total time may be the time limit too.
        if self.total_time is not None and not 0 < self.total_time < math.inf:
            raise InputError(f"the total time must be more than 0 seconds and finite, it is {self.total_time}")
        if not 0 < self.time_limit < math.inf:
            raise InputError(f"the time limit must be more than 0 seconds and finite, it is {self.time_limit}")
        if not 0 <= self.gap < 1:
            raise InputError(f"the gap must be from 0 to below 1, it is {self.gap}")
        if self.patience is not None:
            _read_patience(self.patience)
        if self.moves is not None and not 0 <= self.moves <= MAX_MOVES:
            raise InputError(f"moves must not be negative and at most {MAX_MOVES:,}, they are {self.moves}")

    @property
    def trained(self) -> Trained | None:
        """The model, where it is one that learned a problem."""
        # Text is told apart first: to compare with a protocol takes as long as all other checks of a solver.
        return self.model if not isinstance(self.model, str) and isinstance(self.model, Trained) else None

    def patience_of_restart(self, seconds: float) -> Patience | None:
        """Return how long a restart that has so many seconds may search in vain; None where that is no matter."""
        if self.patience is None:
            return None
        value, is_share = _read_patience(self.patience)
        if is_share and self.moves is not None:
            return Patience(moves=max(1, int(value * self.moves)))
        return Patience(seconds=value * seconds if is_share else value)

    @property
    def is_timed(self) -> bool:
        """Whether a search follows that seconds are counted for."""
        return self.polish and self.moves is None


def limit_per_graph(time_limit: float | None, total_time: float | None) -> float:
    """Return the time limit of each graph, where it may not have been given: a total time is then the only limit.

    Example:
        >>> limit_per_graph(None, None), limit_per_graph(None, 60.0), limit_per_graph(2.0, 60.0)
        (0.3, 60.0, 2.0)
    """
    if time_limit is not None:
        return time_limit
    return TIME_LIMIT if total_time is None else total_time


def _read_patience(patience: float | str) -> tuple[float, bool]:
    """Return a number of seconds, or a share, and whether it is a share.

    Example:
        >>> _read_patience(1.5), _read_patience("1.5"), _read_patience("20%")
        ((1.5, False), (1.5, False), (0.2, True))
    """
    text = patience.strip() if isinstance(patience, str) else ""
    is_share = text.endswith("%")
    try:
        value = float(text.removesuffix("%")) / (100 if is_share else 1) if text else float(patience)
    except ValueError:
        value = math.nan
    if not 0 < value < math.inf or (is_share and value > 1):
        rule = "patience must be seconds above 0, or a share such as 20% of at most 100%"
        raise InputError(f"{rule}, it is {patience!r:.40}")
    return value, is_share


@cache
def _names_of_settings() -> list[str]:
    """Return what a user may have meant by an option that a problem does not have."""
    return [each.name for each in fields(Solver) if each.name not in {"problem", "options", "stop"}]


@cache
def _plain_settings() -> dict[str, Any]:
    """Return the settings of a solver that are numbers, flags or text, and their annotations."""
    return plain_hints(Solver)
