"""Batch normalisation that also takes a batch of a single row, or of none."""

from __future__ import annotations

from torch import Tensor, nn
from torch.nn.functional import batch_norm


class BatchNorm(nn.BatchNorm1d):
    """Normalise over rows; in training too by the running statistics where there are fewer than two.

    The spread of a single row is 0: there is nothing to normalise by, or to learn the statistics from.
    """

    def forward(self, values: Tensor) -> Tensor:
        """Map [num_rows, width] to the same shape."""
        if self.training and len(values) < 2:
            return batch_norm(values, self.running_mean, self.running_var, self.weight, self.bias, eps=self.eps)
        return super().forward(values)
