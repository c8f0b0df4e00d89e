"""How far an optimum can be: proven bounds, read off the terms of an instance and never off a problem's name."""

from annealco.bounds.bound import Bound
from annealco.bounds.prove import prove_bound

__all__ = ["Bound", "prove_bound"]
