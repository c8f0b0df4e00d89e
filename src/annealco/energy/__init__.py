"""What is minimised: five kinds of terms, energies that are sums of them, instances that pair cost with constraints.

Terms are frozen arrays. Torch (`expectation.py`) and the compiled core (`compiled.py`) read them from outside, so that
importing this package does not import torch; `structure.py` tells which kind of problem they make together.
"""

from annealco.energy.instance import Constraint, Energy, Instance
from annealco.energy.terms import AllPairs, Cover, Linear, Pairs, Range, Term

__all__ = ["AllPairs", "Constraint", "Cover", "Energy", "Instance", "Linear", "Pairs", "Range", "Term"]
