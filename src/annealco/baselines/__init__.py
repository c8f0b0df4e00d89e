"""Who must be beaten: one registry of methods with one signature.

`METHODS` holds the methods of the package and those that other packages bring as entry points of the group
``annealco.methods``. `find_method` also takes a place, ``package.module:NAME`` or ``file.py:NAME``; `check_method` is
the contract that all of them keep.
"""

from operator import attrgetter

from annealco.baselines import external
from annealco.baselines.clustering import refuses as refuses_all_but_cuts
from annealco.baselines.contract import MethodError, check_method
from annealco.baselines.external import networkx_approximation, takes_independent_sets
from annealco.baselines.method import Method, Outcome, takes_kinds
from annealco.registry import Registry

_METHODS = (
    Method(
        "greedy_fixed",
        "the paper's greedy: one fixed order by degree",
        "annealco.baselines.search_methods:run_greedy_fixed",
        refuses=takes_kinds("packing", "covering"),
        repeatable=True,
    ),
    Method(
        "greedy",
        "greedy that looks again after every choice, by the kind of the problem",
        "annealco.baselines.search_methods:run_greedy",
        refuses=takes_kinds("packing", "covering", "quadratic", "ranged"),
        takes_quotients=True,
        repeatable=True,
    ),
    Method(
        "mean_field",
        "mean-field annealing, 1,000 sweeps, then conditional decoding: the paper's MFA",
        "annealco.baselines.search_methods:run_mean_field",
        takes_quotients=True,
        repeatable=True,
    ),
    Method(
        "anneal",
        "simulated annealing of ours, cooling after cooling",
        "annealco.baselines.search_methods:run_annealing",
        counts_moves=True,
    ),
    Method(
        "search",
        "annealco's search without a network and without a bound",
        "annealco.baselines.search_methods:run_search",
        counts_moves=True,
        takes_quotients=True,
    ),
    Method(
        "sampling",
        "gradient-informed parallel sampling with annealing (RLSA; iSCO with a correction), 16 chains in torch",
        "annealco.baselines.sampling:run",
        needs="learn",
        package="torch",
        counts_moves=True,
    ),
    Method(
        "pagerank_nibble",
        "PageRank-Nibble: pushes and a sweep (Andersen, Chung and Lang, 2006)",
        "annealco.baselines.clustering.diffusion:run_pagerank_nibble",
        refuses=refuses_all_but_cuts,
        takes_quotients=True,
        repeatable=True,
    ),
    Method(
        "crd",
        "capacity releasing diffusion and a sweep (Wang et al., 2017)",
        "annealco.baselines.clustering.diffusion:run_crd",
        refuses=refuses_all_but_cuts,
        takes_quotients=True,
        repeatable=True,
    ),
    Method(
        "mqi",
        "the best subset of a ball around the seed, by flows (Lang and Rao, 2004)",
        "annealco.baselines.clustering.flow:run_mqi",
        refuses=refuses_all_but_cuts,
        takes_quotients=True,
        repeatable=True,
    ),
    Method(
        "simple_local",
        "Simple-Local: a ball improved by local flows (Veldt, Gleich and Mahoney, 2016)",
        "annealco.baselines.clustering.flow:run_simple_local",
        refuses=refuses_all_but_cuts,
        takes_quotients=True,
        repeatable=True,
    ),
    Method(
        "cp_sat",
        "OR-tools' CP-SAT on the terms as integer rows, with a bound",
        "annealco.baselines.exact.cp_sat:run",
        needs="exact",
        package="ortools",
    ),
    Method(
        "highs",
        "the HiGHS branch and cut on the terms as linear rows, with a bound",
        "annealco.baselines.exact.highs:run",
        needs="exact",
        package="highspy",
    ),
    Method(
        "scip",
        "the SCIP branch and cut on the terms as linear rows, with a bound",
        "annealco.baselines.exact.scip:run",
        needs="exact",
        package="pyscipopt",
    ),
    Method(
        "gurobi",
        "Gurobi on the terms as linear rows, with a bound; its free licence ends at 2,000 rows",
        "annealco.baselines.exact.gurobi:run",
        needs="exact",
        package="gurobipy",
    ),
    Method(
        "dwave",
        "D-Wave's simulated annealing on the energy as a quadratic form",
        "annealco.baselines.external.dwave:run",
        needs="peers",
        package="dwave.samplers",
        refuses=external.refuses,
    ),
    Method(
        "online_mis",
        "KaMIS' OnlineMIS: local search with reductions on the fly",
        "annealco.baselines.external.kamis:run_online_mis",
        needs="peers",
        package="chszlablib",
        refuses=takes_independent_sets(weighted=False),
    ),
    Method(
        "redu_mis",
        "KaMIS' ReduMIS: reductions and an evolutionary search",
        "annealco.baselines.external.kamis:run_redu_mis",
        needs="peers",
        package="chszlablib",
        refuses=takes_independent_sets(weighted=False),
    ),
    Method(
        "chils",
        "CHILS: local search for weighted independent sets",
        "annealco.baselines.external.kamis:run_chils",
        needs="peers",
        package="chszlablib",
        refuses=takes_independent_sets(weighted=True),
    ),
    Method(
        "networkx",
        "networkx' own approximations; its dominating sets are wrong up to 3.6.1",
        "annealco.baselines.external.networkx_approximation:run",
        needs="peers",
        package="networkx",
        refuses=networkx_approximation.refuses,
    ),
)


def _complaint(thing: object) -> str | None:
    if not isinstance(thing, Method):
        return f"it is of type {type(thing).__name__}, not annealco.baselines.Method"
    from annealco.baselines.learned import LEARNED

    return f"{thing.name}=DIR is a way to use a network: give it another name" if thing.name in LEARNED else None


METHODS: Registry[Method] = Registry(
    "method",
    "annealco.methods",
    {method.name: method for method in _METHODS},
    _complaint,
    name_of=attrgetter("name"),
)
"""Every method by its name."""


def find_method(given: str | Method) -> Method:
    """Return a method by its name or place, or the one that is given.

    Raises:
        InputError: for an unknown name, a place that cannot be loaded, an entry point with another name, and a method
            at a place that has the name of one of the package.
    """
    return METHODS.find(given)


__all__ = ["METHODS", "Method", "MethodError", "Outcome", "check_method", "find_method"]
