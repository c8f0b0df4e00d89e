import math

import torch

from annealco.energy.distribution import ProductDistribution


def test_moments_by_their_definitions():
    logits = torch.linspace(-8, 8, 33, dtype=torch.float64).unsqueeze(1)
    q = ProductDistribution(logits)
    for number, logit in enumerate(logits.ravel().tolist()):
        p = 1 / (1 + math.exp(-logit))
        assert math.isclose(q.probability[number, 0], p, rel_tol=1e-12)
        assert math.isclose(q.variance[number, 0], p * (1 - p), rel_tol=1e-9)
        assert math.isclose(q.miss[number, 0], -math.log1p(-p), rel_tol=1e-9)
        assert math.isclose(q.entropy[number, 0], -p * math.log(p) - (1 - p) * math.log1p(-p), rel_tol=1e-9)


def test_large_logits_keep_their_digits_in_float32():
    q = ProductDistribution(torch.tensor([[50.0], [-50.0]]))
    tail = math.exp(-50)
    assert torch.allclose(q.variance, torch.full((2, 1), tail), rtol=1e-5, atol=0)
    assert math.isclose(q.miss[0, 0], 50.0, rel_tol=1e-6)
    assert math.isclose(q.miss[1, 0], tail, rel_tol=1e-5)
    assert torch.allclose(q.entropy, torch.full((2, 1), 51 * tail), rtol=1e-5, atol=0)


def test_entropy_is_differentiable_and_largest_at_zero():
    logits = torch.tensor([[-1.0], [0.0], [2.0]], dtype=torch.float64, requires_grad=True)
    entropy = ProductDistribution(logits).entropy
    assert math.isclose(entropy[1, 0].item(), math.log(2))
    entropy.sum().backward()
    p = torch.sigmoid(logits.detach())
    assert torch.allclose(logits.grad, -logits.detach() * p * (1 - p))
