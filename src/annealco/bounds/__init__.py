"""How far an optimum can be: proven bounds, read off the terms of an instance and never off a problem's name."""

from annealco.bounds.bound import Bound
from annealco.bounds.prove import bound_at_optimum, prove_bound
from annealco.bounds.slack import Slack, cost_slack

__all__ = ["Bound", "Slack", "bound_at_optimum", "cost_slack", "prove_bound"]
