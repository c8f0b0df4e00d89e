"""Who learns, and how: the networks of the paper, of those it compares with, and ours.

Each is a network with the settings of its authors; how much it learns from is the scale's matter.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True)
class Learner:
    """A network and its training.

    Attributes:
        name: what rows and folders call it.
        model: a key of `annealco.models.MODELS`.
        ways: how it is used, keys of `annealco.baselines.learned.LEARNED`.
        summary: what it is.
        is_published: whether the paper has numbers of it, not only of others that are used the same way.
        settings: of the network.
        options: of `annealco.train`.
    """

    name: str
    model: str
    ways: tuple[str, ...]
    summary: str
    settings: Mapping[str, Any] = field(default_factory=dict)
    options: Mapping[str, Any] = field(default_factory=dict)
    is_published: bool = True


PAPERS_SCHEDULE: Mapping[str, Any] = {"schedule": "linear", "tau0": "auto", "anneal_by": "epoch", "rate": "decay"}
_MIN_MAX = {"head": "min-max"}
_DEEP = {"variant": "deep"}
_CUT_RATE = {"rate": "decay", "learning_rate": 1e-4}

PAPER = Learner(
    "erdos", "erdos", ("annealed",), "the paper's: annealed training of that network", options=PAPERS_SCHEDULE
)
FIELD = Learner(
    "field",
    "field",
    ("annealed", "annealed+search"),
    "our recurrence, annealed training as by default",
    is_published=False,
)
ERDOS_KL = Learner(
    "erdos-kl",
    "erdos",
    ("erdos",),
    "the network of Karalias and Loukas with their loss",
    settings=_MIN_MAX,
    options={"loss": "kl", "rate": "decay"},
)
RUN_CSP = Learner(
    "run_csp",
    "run_csp",
    ("run_csp",),
    "RUN-CSP of Tönshoff et al.",
    options={"rate": "constant", "penalty_scale": 3.0},
)
PAPER_CUT = Learner("erdos", "erdos", ("annealed",), PAPER.summary, settings=_DEEP, options=PAPERS_SCHEDULE)
ERDOS_KL_CUT = Learner(
    "erdos-kl",
    "erdos",
    ("erdos",),
    ERDOS_KL.summary,
    settings={**_DEEP, **_MIN_MAX},
    options={"loss": "kl", **_CUT_RATE},
)
L1 = Learner(
    "l1",
    "erdos",
    ("l1",),
    "the same network on the smooth cut Σ w |p_i − p_j|",
    settings={**_DEEP, **_MIN_MAX},
    options={"loss": "l1", **_CUT_RATE},
)
L2 = Learner(
    "l2",
    "erdos",
    ("l2",),
    "the same network on the smooth cut Σ w (p_i − p_j)²",
    settings={**_DEEP, **_MIN_MAX},
    options={"loss": "l2", **_CUT_RATE},
)
