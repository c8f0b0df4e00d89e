"""The paper's four tables, by their problems: all its methods and ours on all its sets."""

from __future__ import annotations

from annealco.experiments.learners import (
    ERDOS_KL,
    ERDOS_KL_CUT,
    FIELD,
    L1,
    L2,
    PAPER,
    PAPER_CUT,
    RUN_CSP,
)
from annealco.experiments.table import Table

_GREEDY = ("greedy_fixed", "greedy", "mean_field", "search")

MIS = Table(
    "mis",
    "Maximum independent set",
    ("rb-small", "rb-large", "collab", "twitter"),
    _GREEDY,
    (ERDOS_KL, RUN_CSP, PAPER, FIELD),
)
CLIQUE = Table(
    "clique",
    "Maximum clique",
    # Cliques of the paper's RB graphs are those of the complements, where an optimum is planted.
    ("rb-small-complement", "rb-large-complement", "collab", "twitter"),
    _GREEDY,
    (ERDOS_KL, RUN_CSP, PAPER, FIELD),
)
MDS = Table(
    "mds", "Minimum dominating set", ("ba-small", "ba-large", "collab", "twitter"), _GREEDY, (ERDOS_KL, PAPER, FIELD)
)
CUT = Table(
    "cut",
    "Minimum cut within volume bounds",
    # Of SF-295 only a part can be had.
    ("sf295-subset", "facebook", "twitter"),
    ("greedy", "mean_field", "search", "pagerank_nibble", "crd", "mqi", "simple_local"),
    (ERDOS_KL_CUT, L1, L2, PAPER_CUT, FIELD),
)
