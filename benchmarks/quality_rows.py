"""The ways to train that `train_quality.py` compares: the rows of its table, and the trials before it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from field_variants import FieldVariant


class Way(NamedTuple):
    """How to train, and with how many steps to evaluate; 0 for a network that has no such number."""

    model: str
    settings: Mapping[str, Any]
    options: Mapping[str, Any]
    steps: tuple[int, ...]


PAPER = {"schedule": "linear", "tau0": "auto", "tau_last": 0.001, "anneal_by": "epoch"}
"""The annealing of the paper: from the Lipschitz constant, epoch by epoch."""

BASE = {
    "batch_size": 32,
    "learning_rate": 0.004,
    "rate": "cosine",
    "schedule": "geometric",
    "tau0": 0.5,
    "tau_last": 0.02,
    "anneal_by": "step",
}
"""Where the trials begin."""


def trial(settings: Mapping[str, Any] | None = None, **options: Any) -> Way:
    """Return the base with changes: 16 ± 4 steps all along."""
    return Way(FieldVariant.name, {"spread": 4, **(settings or {})}, {**BASE, **options}, (16, 64))


def later(settings: Mapping[str, Any] | None = None, **options: Any) -> Way:
    """Return the defaults of `field`, where the number of steps rises, with changes."""
    return trial({"spread": None, **(settings or {})}, **{"batch_size": 8, **options})


TRIALS = {
    "batch 32": trial(),
    "batch 16": trial(batch_size=16),
    "batch 8": trial(batch_size=8),
    "batch 8, rate 0.002": trial(batch_size=8, learning_rate=0.002),
    "batch 8, rate 0.008": trial(batch_size=8, learning_rate=0.008),
    "batch 4": trial(batch_size=4),
    "schedule of the paper": trial(batch_size=8, **PAPER),
    "loss at the last step": later({"judged": "last"}),
    "τ 1 to 0.05": trial(batch_size=8, tau0=1.0, tau_last=0.05),
    "τ 0.5 to 0.1": later(tau_last=0.1),
    "16 ± 8 steps": trial({"spread": 8}, batch_size=8),
    "16 ± 8 steps, rate 0.003, τ 0.25 to 0.02": trial({"spread": 8}, batch_size=8, learning_rate=0.003, tau0=0.25),
    "16 ± 8 steps, τ 1 to 0.05": trial({"spread": 8}, batch_size=8, tau0=1.0, tau_last=0.05),
    "steps rise": later(),
    "steps rise to 12": later({"num_steps": 8}),
    "width 16": later({"width": 16}),
    "width 48": later({"width": 48}),
    "one random feature": later({"features": 1}),
    "messages: mean only": later({"messages": "mean"}),
    "messages: sum only": later({"messages": "sum"}),
    "signals: φ only": later({"signals": "probability"}),
    "signals: φ and field": later({"signals": "probability cut"}),
}

KARALIAS_LOUKAS = {"batch_size": 32, "learning_rate": 0.001, "rate": "decay"}
"""How Karalias and Loukas train, which the paper follows."""

OURS = {**BASE, "batch_size": 8}
"""The defaults of `field`, written out."""

ROWS = {
    "erdos annealed": Way("erdos", {}, {**KARALIAS_LOUKAS, **PAPER}, (0,)),
    "erdos τ=0": Way("erdos", {}, {**KARALIAS_LOUKAS, "tau0": 0.0}, (0,)),
    "erdos KL": Way("erdos", {"head": "min-max"}, {**KARALIAS_LOUKAS, "loss": "kl"}, (0,)),
    "field annealed": Way("field", {}, OURS, (16, 64)),
    "field τ=0": Way("field", {}, {**OURS, "tau0": 0.0}, (16, 64)),
    "field KL": Way("field", {}, {**OURS, "tau0": 0.0, "loss": "kl"}, (16, 64)),
}
