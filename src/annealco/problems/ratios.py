"""How near values come to the best known, in the one sense that validation and comparisons share."""

from __future__ import annotations

import numpy as np

from annealco.graph.segments import FloatArray
from annealco.problems.problem import Problem


def ratios(problem: Problem, found: FloatArray, known: FloatArray) -> FloatArray:
    """Return how near values come to the best known, [num_graphs]: 1 is as good, 0 where nothing feasible was found.

    For positive values found/known of what is maximised and known/found of what is minimised, as in the paper; written
    as 1 − difference / the larger size, which has a meaning for values of 0 and below too. Never below 0.

    Example:
        >>> from annealco.problems import PROBLEMS
        >>> ratios(PROBLEMS["mis"], np.array([8.0, 0.0]), np.array([10.0, 0.0])).tolist()
        [0.8, 1.0]
        >>> ratios(PROBLEMS["mds"], np.array([10.0, np.nan]), np.array([8.0, 5.0])).tolist()
        [0.8, 0.0]
    """
    worse = known - found if problem.sense == "max" else found - known
    size = np.maximum(np.abs(found), np.abs(known))
    return np.maximum(np.nan_to_num(1.0 - worse / np.where(size == 0, 1.0, size), nan=0.0), 0.0)
