"""One step of a gated recurrence on a graph, as a single differentiable function.

Composed of torch's own operations a step costs twice as much, most of it for intermediate tensors that are written,
kept for the backward pass and read again. Here the gates overwrite their inputs and little is kept.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import torch
from torch import Tensor

from annealco.energy.sparse import SparseMatrix, multiply


class Weights(NamedTuple):
    """What is learned; the parts of every first dimension are those of the gates r, z, c.

    Attributes:
        messages: [3 · width, 2 · width].
        signals: [3 · width, num_signals].
        recurrent: [3 · width, width].
        bias: [3 · width].
    """

    messages: Tensor
    signals: Tensor
    recurrent: Tensor
    bias: Tensor


def recurrent_step(
    weights: Weights, matrix: SparseMatrix, share: Tensor, *, state: Tensor, probability: Tensor, signals: Tensor
) -> Tensor:
    """Return the next state, [num_nodes, num_samples, width].

    With A the matrix and h the state, a node hears m = [share · A h, A (φ h)]. Then a = W_m m + W_s signals + bias and
    b = W_h h, in parts r, z, c: r = σ(a_r + b_r), z = σ(a_z + b_z), c = tanh(a_c + r b_c), and the next state is
    (1 − z) c + z h.

    Args:
        weights: what is learned.
        matrix: symmetric, [num_nodes, num_nodes].
        share: [num_nodes, 1, 1], not differentiated.
        state: h, [num_nodes, num_samples, width].
        probability: φ, [num_nodes, num_samples, 1].
        signals: [num_nodes, num_samples, num_signals].
    """
    return _Step.apply(matrix, share, state, probability, signals, *weights)  # type: ignore[no-any-return, no-untyped-call]


class _Step(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, matrix: SparseMatrix, share: Tensor, state: Tensor, *others: Tensor) -> Tensor:
        probability, signals, *learned = others
        weights, width = Weights(*learned), state.shape[2]
        rows, heard = state.flatten(0, 1), _hear(matrix, share, state, probability)
        gates = torch.addmm(weights.bias, signals.flatten(0, 1), weights.signals.t())
        gates.addmm_(heard.flatten(0, 1), weights.messages.t())
        recurrent = rows @ weights.recurrent.t()
        gates[:, : 2 * width].add_(recurrent[:, : 2 * width]).sigmoid_()
        reset, keep, candidate = gates.chunk(3, dim=1)
        candidate.addcmul_(reset, recurrent[:, 2 * width :]).tanh_()
        ctx.matrix, ctx.width = matrix, width
        ctx.save_for_backward(share, state, probability, signals, heard, gates, recurrent, *learned)
        return torch.lerp(candidate, rows, keep).view(state.shape)

    @staticmethod
    def backward(ctx: Any, gradient: Tensor) -> tuple[Tensor | None, ...]:
        share, state, probability, signals, heard, gates, recurrent, *learned = ctx.saved_tensors
        weights, width = Weights(*learned), ctx.width
        rows, gradient = state.flatten(0, 1), gradient.flatten(0, 1)
        to_rows, inward = _through_gates(gradient, gates, recurrent, rows)
        # b enters the gates r and z as a does; only its part in c passes the reset.
        to_signals = inward @ weights.signals
        to_heard = (inward @ weights.messages).view(heard.shape)
        learned_by = [inward.t() @ heard.flatten(0, 1), inward.t() @ signals.flatten(0, 1), inward.sum(0)]
        inward[:, 2 * width :].mul_(gates[:, :width])
        to_rows.addmm_(inward, weights.recurrent)
        learned_by.insert(2, inward.t() @ rows)
        to_heard[:, :, :width].mul_(share)
        # The matrix is symmetric: gradients travel as messages do.
        to_spoken = _product(ctx.matrix, to_heard)
        to_state = to_rows.view(state.shape)
        to_state.add_(to_spoken[:, :, :width]).addcmul_(to_spoken[:, :, width:], probability)
        to_probability = (to_spoken[:, :, width:] * state).sum(2, keepdim=True)
        return None, None, to_state, to_probability, to_signals.view(signals.shape), *learned_by


def _hear(matrix: SparseMatrix, share: Tensor, state: Tensor, probability: Tensor) -> Tensor:
    """Return what nodes hear, [num_nodes, num_samples, 2 · width]."""
    num_nodes, num_samples, width = state.shape
    spoken = state.new_empty(num_nodes, num_samples, 2 * width)
    spoken[:, :, :width] = state
    torch.mul(state, probability, out=spoken[:, :, width:])
    heard = _product(matrix, spoken)
    heard[:, :, :width].mul_(share)
    return heard


def _product(matrix: SparseMatrix, columns: Tensor) -> Tensor:
    if matrix.forward is None or columns.numel() == 0:
        return torch.zeros_like(columns)
    return multiply(matrix.forward, columns.flatten(1)).view(columns.shape)


def _through_gates(gradient: Tensor, gates: Tensor, recurrent: Tensor, rows: Tensor) -> tuple[Tensor, Tensor]:
    """Return the gradients by the state, directly, and by what comes into the gates, [num_rows, 3 · width]."""
    width = rows.shape[1]
    _, keep, candidate = gates.chunk(3, dim=1)
    inward = torch.empty_like(gates)
    to_reset, to_keep, to_candidate = inward.chunk(3, dim=1)
    kept = gradient * keep
    # The slope of tanh is 1 − c², that of σ is σ (1 − σ).
    torch.sub(gradient, kept, out=to_candidate)
    torch.mul(to_candidate, candidate, out=to_reset)
    to_candidate.addcmul_(to_reset, candidate, value=-1)
    torch.mul(to_candidate, recurrent[:, 2 * width :], out=to_reset)
    torch.sub(rows, candidate, out=to_keep).mul_(gradient)
    both = gates[:, : 2 * width]
    inward[:, : 2 * width].mul_(torch.addcmul(both, both, both, value=-1))
    return kept, inward
