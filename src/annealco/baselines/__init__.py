"""Who must be beaten: one registry of methods with one signature."""

from annealco.baselines.method import Method, Outcome
from annealco.graph.errors import InputError

_METHODS = (
    Method(
        "cp_sat",
        "OR-tools' CP-SAT on the terms as integer rows, with a bound",
        "annealco.baselines.cp_sat:run",
        needs="exact",
        package="ortools",
    ),
    Method(
        "highs",
        "the HiGHS branch and cut on the terms as linear rows, with a bound",
        "annealco.baselines.highs:run",
        needs="exact",
        package="highspy",
    ),
    Method(
        "scip",
        "the SCIP branch and cut on the terms as linear rows, with a bound",
        "annealco.baselines.scip:run",
        needs="exact",
        package="pyscipopt",
    ),
    Method(
        "gurobi",
        "Gurobi on the terms as linear rows, with a bound; its free licence ends at 2,000 rows",
        "annealco.baselines.gurobi:run",
        needs="exact",
        package="gurobipy",
    ),
)

METHODS: dict[str, Method] = {method.name: method for method in _METHODS}
"""Every method by its name."""


def find_method(name: str) -> Method:
    """Return a method by its name."""
    if name not in METHODS:
        raise InputError(f"unknown method {name!r}; choose one of {', '.join(METHODS)}")
    return METHODS[name]


__all__ = ["METHODS", "Method", "Outcome", "find_method"]
