"""How far an optimum can be: proven bounds, read off the terms of an instance and never off a problem's name."""

from annealco.bounds.ledger import Bound
from annealco.bounds.prove import bound_at_optimum, prove_bound

__all__ = ["Bound", "bound_at_optimum", "prove_bound"]
