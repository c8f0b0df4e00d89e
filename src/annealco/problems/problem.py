"""What a problem is: a declaration in terms, and a plain score that shares no code with it."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Collection
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np

from annealco.energy import Instance
from annealco.energy.instance import Sense
from annealco.graph.errors import InputError
from annealco.graph.graph import Graph

Declare = Callable[..., Instance]
Score = Callable[..., float | None]
AtPrice = Callable[..., "Problem"]
Draw = Callable[[Graph, int], dict[str, Any]]


@dataclass(frozen=True)
class Problem:
    """A combinatorial problem on weighted graphs.

    Attributes:
        name: what users type.
        title: what it is, in a few words.
        sense: whether the score is minimised or maximised.
        declare: ``declare(graph, *, options...) -> Instance`` for one or many graphs.
        score: ``score(graph, nodes, *, options...) -> float | None`` for one graph and a set of its node numbers, in
            plain Python on sets and loops; None where the set is not feasible.
        at_price: ``at_price(price, *, options...) -> Problem`` for a score that is a quotient a / b with b > 0: the
            problem whose score is a − price · b. A set is better than the price exactly where it is better than 0
            there. The declaration is then that of a alone. None where the score is what the declaration says.
        sharp: whether 0.9 of the critical penalty is known to fail on some graph.
        node_options: names of the options that name nodes, so that callers can translate the user's labels.
        draw: ``draw(graphs, seed) -> options`` with a value a graph, [num_graphs, ...] each, for instances to learn
            from; None where there is nothing to draw.
        set_options: names of the options that were set by `with_options`.
    """

    name: str
    title: str
    sense: Sense
    declare: Declare
    score: Score
    at_price: AtPrice | None = None
    sharp: bool = True
    node_options: tuple[str, ...] = ()
    draw: Draw | None = None
    set_options: tuple[str, ...] = ()

    @property
    def options(self) -> tuple[str, ...]:
        """Names of what can be set, such as the volume box of a cut."""
        parameters = inspect.signature(self.declare).parameters.values()
        return tuple(each.name for each in parameters if each.kind is each.KEYWORD_ONLY)

    @property
    def option_values(self) -> dict[str, Any]:
        """What `with_options` has set, by name."""
        return dict(self.declare.keywords) if isinstance(self.declare, partial) else {}

    @property
    def learned_as(self) -> str:
        """Name of the problem whose networks propose sets for this one: its own, or that of a quotient's numerator."""
        return self.name if self.at_price is None else self.at_price(0.0).name

    def with_options(self, **options: Any) -> Problem:
        """Return the same problem with options set, for its declaration and its score alike.

        Example:
            >>> from annealco.problems import PROBLEMS
            >>> PROBLEMS["cut"].with_options(volumes=(2, 4))
            Traceback (most recent call last):
            annealco.graph.errors.InputError: cut has no option 'volumes'; choose one of volume, seed_node, price
        """
        for name in options:
            if name not in self.options:
                choices = f"choose one of {', '.join(self.options)}" if self.options else "it takes none"
                raise InputError(f"{self.name} has no option {name!r}; {choices}")
        return replace(
            self,
            declare=partial(self.declare, **options),
            score=partial(self.score, **options),
            at_price=None if self.at_price is None else partial(self.at_price, **options),
            set_options=tuple(dict.fromkeys([*self.set_options, *options])),
        )


def as_node_set(graph: Graph, nodes: Collection[int]) -> set[int]:
    """Return nodes as a set of ints, for scores; raise where one does not exist or there are many graphs."""
    if graph.num_graphs != 1:
        raise InputError(f"a score is of one graph, this batch has {graph.num_graphs}")
    for node in nodes:
        # A mask or a fraction is no node number, and Python would take it for one.
        if isinstance(node, bool | np.bool_) or not isinstance(node, int | np.integer):
            raise InputError(f"nodes must be whole numbers, {node!r} is none")
    chosen = {int(node) for node in nodes}
    for node in chosen:
        if not 0 <= node < graph.num_nodes:
            raise InputError(f"node {node} is outside a graph of {graph.num_nodes} nodes")
    return chosen
