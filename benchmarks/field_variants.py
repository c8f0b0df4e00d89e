"""`field` with a part left out or changed, to measure what the part is worth."""

from __future__ import annotations

import torch
from torch import Tensor

from annealco.graph.graph import Graph
from annealco.models import MODELS
from annealco.models.field import NUM_FEATURES, Field, Setting, Weights, recurrent_step
from annealco.models.model import ModelInput

SIGNALS = ("probability", "cut", "exponential", "asinh", "objective")
"""What a step reads off Q, in the order of the network's columns."""

MESSAGES = ("mean", "sum")


class FieldVariant(Field):
    """The recurrence, with inputs that are set to 0: the same number of parameters and the same cost.

    Args:
        width: as in `Field`.
        num_steps: as in `Field`.
        spread: training draws from ``num_steps`` ± this, whatever its progress; None for what `Field` does.
        signals: those that are seen, separated by spaces.
        messages: those that are heard.
        features: how many random numbers a node starts from, of `NUM_FEATURES`.
        judged: what the loss is taken at: the outputs of the later ``half``, as in `Field`, or the ``last`` one.
    """

    name = "field-variant"

    def __init__(
        self,
        *,
        width: int = 32,
        num_steps: int = 16,
        spread: int | None = None,
        signals: str = " ".join(SIGNALS),
        messages: str = " ".join(MESSAGES),
        features: int = NUM_FEATURES,
        judged: str = "half",
    ) -> None:
        super().__init__(width=width, num_steps=num_steps)
        self.spread = spread
        self.settings |= {
            "spread": spread,
            "signals": signals,
            "messages": messages,
            "features": features,
            "judged": judged,
        }
        self.seen = torch.tensor([float(each in signals.split()) for each in SIGNALS])
        self.heard = torch.tensor([float(each in messages.split()) for each in MESSAGES]).repeat_interleave(width)
        self.features, self.judged = features, judged

    def draw_features(self, graph: Graph, num_samples: int, generator: torch.Generator | None = None) -> Tensor:
        """Draw normal numbers, 0 where they are left out."""
        drawn = super().draw_features(graph, num_samples, generator)
        drawn[:, :, self.features :] = 0
        return drawn

    def draw_steps(self) -> int:
        if self.spread is None:
            return super().draw_steps()
        return int(torch.randint(max(1, self.num_steps - self.spread), self.num_steps + self.spread + 1, ()))

    def outputs(self, batch: ModelInput) -> list[tuple[float, Tensor]]:
        """Return what training takes its loss at."""
        outputs = super().outputs(batch)
        return outputs if self.judged == "half" else [(1.0, outputs[-1][1])]

    def _signals(self, setting: Setting, logits: Tensor) -> Tensor:
        return super()._signals(setting, logits) * self.seen

    def _step(self, setting: Setting, fixed: Tensor, state: Tensor, logits: Tensor) -> Tensor:
        seen = torch.cat([self._signals(setting, logits), fixed], dim=2)
        chance = torch.sigmoid(logits).unsqueeze(2)
        messages = self.messages.weight * self.heard
        weights = Weights(messages, self.signals.weight, self.recurrent.weight, self.signals.bias)
        return recurrent_step(weights, setting.matrix, setting.share, state=state, probability=chance, signals=seen)


def register() -> None:
    """Let `train` and `load` know the variant."""
    MODELS[FieldVariant.name] = FieldVariant
