import numpy as np
import pytest
import torch

from annealco.energy.sparse import symmetric_matrix
from annealco.models.field import Weights, recurrent_step

PLACE = {"device": torch.device("cpu"), "dtype": torch.float64}


def draw(num_samples, width, pairs=((0, 1, 1), (1, 2, 3))):
    generator = torch.Generator().manual_seed(0)

    def normal(*shape):
        return torch.randn(*shape, generator=generator, dtype=torch.float64, requires_grad=True)

    matrix = symmetric_matrix(np.array(pairs, dtype=int), 1.0, 4, **PLACE)
    share = torch.rand(4, 1, 1, generator=generator, dtype=torch.float64)
    moving = normal(4, num_samples, width), normal(4, num_samples, 1), normal(4, num_samples, 5)
    weights = Weights(normal(3 * width, 2 * width), normal(3 * width, 5), normal(3 * width, width), normal(3 * width))
    return matrix, share, moving, weights


def step(weights, matrix, share, state, probability, signals):
    return recurrent_step(weights, matrix, share, state=state, probability=probability, signals=signals)


def plain_step(weights, matrix, share, state, probability, signals):
    """The same step with torch's own gated unit, one sample after the other."""
    width = state.shape[2]
    cell = torch.nn.GRUCell(2 * width + 5, width, dtype=torch.float64)
    cell.weight_ih.data = torch.cat([weights.messages, weights.signals], dim=1)
    cell.weight_hh.data, cell.bias_ih.data = weights.recurrent, weights.bias
    cell.bias_hh.data.zero_()
    dense = matrix.forward.to_dense()
    samples = []
    for sample in range(state.shape[1]):
        own, chance = state[:, sample], probability[:, sample]
        heard = torch.cat([share[:, 0] * (dense @ own), dense @ (own * chance)], dim=1)
        samples.append(cell(torch.cat([heard, signals[:, sample]], dim=1), own))
    return torch.stack(samples, dim=1)


@pytest.mark.parametrize("num_samples", [1, 3])
def test_a_step_is_a_gated_recurrent_unit_on_messages(num_samples):
    matrix, share, moving, weights = draw(num_samples, 4)
    with torch.no_grad():
        expected = plain_step(weights, matrix, share, *moving)
    assert torch.allclose(step(weights, matrix, share, *moving), expected)


def test_gradients_equal_finite_differences():
    matrix, share, moving, weights = draw(2, 3)

    def of_all(state, probability, signals, *learned):
        return step(Weights(*learned), matrix, share, state, probability, signals)

    assert torch.autograd.gradcheck(of_all, (*moving, *weights))


def test_a_graph_without_edges_hears_nothing():
    matrix, share, moving, weights = draw(1, 3, pairs=((), ()))
    silent = weights._replace(messages=torch.zeros_like(weights.messages))
    assert torch.equal(step(weights, matrix, share, *moving), step(silent, matrix, share, *moving))
