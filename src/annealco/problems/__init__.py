"""What the energies mean: one small file a problem, one registry, one contract that checks any of them."""

from annealco.problems.checks import ProblemError, check_problem
from annealco.problems.clique import CLIQUE
from annealco.problems.conductance import CONDUCTANCE
from annealco.problems.cut import CUT
from annealco.problems.max_cut import MAX_CUT
from annealco.problems.mds import MDS
from annealco.problems.mis import MIS
from annealco.problems.problem import Problem
from annealco.problems.vertex_cover import VERTEX_COVER

PROBLEMS: dict[str, Problem] = {each.name: each for each in (MIS, CLIQUE, MDS, CUT, CONDUCTANCE, VERTEX_COVER, MAX_CUT)}
"""Every problem by its name."""

__all__ = ["PROBLEMS", "Problem", "ProblemError", "check_problem"]
