"""How far an optimum can be: proven bounds, read off the terms of an instance and never off a problem's name."""

from annealco.bounds.ledger import Bound, BoundKind, Ledger
from annealco.bounds.prove import BOUNDS, bound_at_optimum, find_bounds, prove_bound

__all__ = ["BOUNDS", "Bound", "BoundKind", "Ledger", "bound_at_optimum", "find_bounds", "prove_bound"]
