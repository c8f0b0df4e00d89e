"""RUN-CSP (Tönshoff, Ritzert, Wolf and Grohe, 2021): a recurrent network for constraints on pairs, here "not both".

Every variable has an LSTM state h, normal at first. At each step every constraint (u, v) sends v the message
W [h_u, h_v]; a variable takes the mean of its messages, normalised over the batch, into its LSTM cell, and a linear map
of the state is the logit. The weights are the same at every step, so more steps may be run than were trained.

Messages are linear, W [h_u, h_v] = W₁ h_u + W₂ h_v, so their mean is W₁ (mean of the h_u) + W₂ h_v: one sparse product
for all constraints, and none is ever written down. The released code also normalises single messages; that is left out,
for then it would have to be.
"""

from __future__ import annotations

from typing import Any
from weakref import WeakKeyDictionary

import torch
from torch import Tensor, nn
from torch.nn.functional import linear

from annealco.energy import Instance
from annealco.errors import InputError
from annealco.graph.graph import Graph
from annealco.models.model import BatchNorm, Model, ModelInput, as_samples
from annealco.models.neighbours import Conflicts, conflicts_of

FADING = 0.95
"""Weight of an output in training relative to the next one's."""

NORM_MOMENTUM = 0.01
"""Of the normalisation's running sums: all steps share them, so they must not forget the first ones."""


class RunCsp(Model):
    """RUN-CSP: LSTM states that hear the mean of linear messages from conflicting nodes.

    Args:
        width: of a node's state.
        num_steps: steps of a run, in training too.
    """

    name = "run_csp"
    loss = "run_csp"
    batch_size = 5

    def __init__(self, *, width: int = 128, num_steps: int = 30) -> None:
        super().__init__(width=width, num_steps=num_steps)
        if width < 1 or num_steps < 1:
            raise InputError(f"width and num_steps must be at least 1, they are {width} and {num_steps}")
        self.width, self.num_steps = width, num_steps
        self.message = nn.Linear(2 * width, width, bias=False)
        self.norm = BatchNorm(width, momentum=NORM_MOMENTUM)
        self.cell = nn.LSTMCell(width, width)
        self.read = nn.Linear(width, 1)
        self._conflicts: WeakKeyDictionary[Instance, dict[tuple[torch.device, torch.dtype], Conflicts]]
        self._conflicts = WeakKeyDictionary()

    def __getstate__(self) -> dict[str, Any]:
        # What was made for a batch stays behind: it hangs on the batch's instance.
        return {**self.__dict__, "_conflicts": None}

    def __setstate__(self, attributes: dict[str, Any]) -> None:
        super().__setstate__({**attributes, "_conflicts": WeakKeyDictionary()})  # type: ignore[no-untyped-call]

    def draw_features(self, graph: Graph, num_samples: int, generator: torch.Generator | None = None) -> Tensor:
        """Draw the first states, normal numbers [num_nodes, num_samples, width]."""
        return torch.randn(graph.num_nodes, num_samples, self.width, generator=generator).to(**self.place)

    def forward(self, batch: ModelInput) -> Tensor:
        """Return the logits after the last step."""
        return self._run(batch, keep=1)[0]

    def outputs(self, batch: ModelInput) -> list[tuple[float, Tensor]]:
        """Return the logits after every step, with weights 0.95^age that sum to 1."""
        logits = self._run(batch, keep=self.num_steps)
        weights = [FADING**age for age in reversed(range(len(logits)))]
        return [(weight / sum(weights), each) for weight, each in zip(weights, logits, strict=True)]

    def prepare(self, graph: Graph, instance: Instance) -> None:  # noqa: ARG002 (conflicts are the instance's)
        """Make the sums over conflicts of this batch."""
        self._conflicts_of(instance, **self.place)

    def _run(self, batch: ModelInput, keep: int) -> list[Tensor]:
        """Run the recurrence and return the logits after the last ``keep`` steps."""
        given = as_samples(batch.graph, batch.features, self.width)
        conflicts = self._conflicts_of(batch.instance, given.device, given.dtype)
        some = (conflicts.count > 0).to(given.dtype).unsqueeze(1)
        from_other, from_self = self.message.weight.chunk(2, dim=1)
        rows = given.flatten(0, 1)
        memory, kept = torch.zeros_like(rows), []
        for step in range(self.num_steps):
            state = rows.view(given.shape)
            heard = linear(conflicts.mean(state.flatten(1)).view(given.shape), from_other)
            heard = heard + linear(state, from_self) * some
            rows, memory = self.cell(self.norm(heard.flatten(0, 1)), (rows, memory))
            if self.num_steps - step <= keep:
                logits = self.read(rows).view(given.shape[:2])
                kept.append(logits if batch.features.dim() == 3 else logits.squeeze(1))
        return kept

    def _conflicts_of(self, instance: Instance, device: torch.device, dtype: torch.dtype) -> Conflicts:
        """Return the conflicts of this batch, made once an instance."""
        made = self._conflicts.setdefault(instance, {})
        place = (device, dtype)
        if place not in made:
            # Tensors made in inference mode could not be used for training later.
            with torch.inference_mode(False):
                made[place] = conflicts_of(instance, device, dtype)
        return made[place]
