"""An energy as a quadratic form a·x + Σ b_uv x_u x_v, where it is one."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from annealco.energy import AllPairs, Cover, Energy, Linear, Pairs, Term
from annealco.energy.small_sets import expand
from annealco.energy.small_sets import is_quadratic as has_small_sets
from annealco.graph.errors import InputError
from annealco.graph.graph import Graph
from annealco.graph.segments import FloatArray, IntArray
from annealco.problems import Problem


class QuadraticForm(NamedTuple):
    """a·x + Σ b_uv x_u x_v + c.

    Attributes:
        linear: a, [num_nodes].
        pairs: [2, num_pairs] with u < v; a pair may be listed again.
        value: b, [num_pairs].
        constant: c.
    """

    linear: FloatArray
    pairs: IntArray
    value: FloatArray
    constant: float


def is_quadratic(term: Term) -> bool:
    """Tell whether a term has products of two bits at most."""
    return has_small_sets(term) if isinstance(term, Cover) else isinstance(term, Linear | Pairs | AllPairs)


def refuses(problem: Problem, graph: Graph) -> str | None:
    """Refuse energies that are not quadratic."""
    terms = problem.declare(graph).energy().terms
    return None if all(map(is_quadratic, terms)) else "its energy is not quadratic"


def as_quadratic_form(energy: Energy) -> QuadraticForm:
    """Return the form of an energy of one graph whose terms are all quadratic.

    Example:
        >>> from annealco.problems import PROBLEMS
        >>> path = Graph.from_edges([[0, 1], [1, 2]])
        >>> as_quadratic_form(PROBLEMS["vertex_cover"].declare(path).energy())[0].tolist()
        [0.0, -1.0, 0.0]
    """
    linear, constant = np.zeros(int(energy.node_ptr[-1])), 0.0
    pairs, value = [np.zeros((2, 0), np.int64)], [np.zeros(0)]
    for term in energy.terms:
        if isinstance(term, Linear):
            linear += term.coefficient
        elif isinstance(term, Cover):
            single, products, missed = expand(term)
            linear += single.coefficient
            constant += float(missed.sum())
            pairs.append(products.pairs.astype(np.int64))
            value.append(products.coefficient)
        elif isinstance(term, Pairs | AllPairs):
            listed = term if isinstance(term, Pairs) else term.listed()
            pairs.append(listed.pairs.astype(np.int64))
            value.append(listed.coefficient)
        else:
            raise InputError("a range of weights is no quadratic form")
    ends = np.concatenate(pairs, axis=1)
    return QuadraticForm(linear, np.sort(ends, axis=0), np.concatenate(value), constant)
