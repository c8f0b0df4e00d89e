import math
from dataclasses import replace

import numpy as np
import pytest
import torch

from annealco.energy import Energy, Range
from annealco.graph.errors import InputError

RNG = np.random.default_rng(0)


def expectation(term, logits):
    return Energy(term.node_ptr, (term,)).expectation(torch.as_tensor(logits, dtype=torch.float64)).numpy()


def box(weight, lower, upper, method="gaussian"):
    weight = np.asarray(weight, dtype=float)
    return Range(
        np.array([0, len(weight)]), weight, np.array([float(lower)]), np.array([float(upper)]), np.ones(1), method
    )


def test_exact_is_the_binomial_sum_for_equal_weights():
    p = 0.3
    logit = math.log(p / (1 - p))
    value = expectation(box(np.ones(10), 2, 4, "exact"), np.full(10, logit))
    chance = [math.comb(10, k) * p**k * (1 - p) ** (10 - k) for k in range(11)]
    assert value[0] == pytest.approx(sum(c * (max(k - 4, 0) + max(2 - k, 0)) for k, c in enumerate(chance)), rel=1e-12)


def test_gaussian_is_the_integral_over_a_normal_variable():
    term = box(RNG.integers(1, 6, 30), 40, 45)
    logits = RNG.normal(size=30)
    p = 1 / (1 + np.exp(-logits))
    mean, width = term.weight @ p, math.sqrt((term.weight**2 * p * (1 - p)).sum())
    grid = np.linspace(mean - 12 * width, mean + 12 * width, 400_001)
    density = np.exp(-0.5 * ((grid - mean) / width) ** 2) / (width * math.sqrt(2 * math.pi))
    outside = np.maximum(grid - 45, 0) + np.maximum(40 - grid, 0)
    assert expectation(term, logits)[0] == pytest.approx(
        float((density * outside).sum() * (grid[1] - grid[0])), rel=1e-6
    )


@pytest.mark.parametrize(("size", "tolerance"), [(50, 0.02), (400, 0.005)])
def test_gaussian_nears_exact_as_the_graph_grows_and_plugin_stays_below(size, tolerance):
    rng = np.random.default_rng(size)
    weight = rng.integers(1, 9, size)
    logits = rng.normal(size=size)
    middle = float(weight @ (1 / (1 + np.exp(-logits))))
    spread = math.sqrt(float((weight**2).sum()))
    for lower, upper in ((0.9 * middle, 1.1 * middle), (middle, 1.2 * middle), (0.5 * middle, 0.8 * middle)):
        term = box(weight, round(lower), round(upper))
        gaussian, exact, plugin = (
            expectation(replace(term, method=method), logits)[0] for method in ("gaussian", "exact", "plugin")
        )
        assert abs(gaussian - exact) < tolerance * spread
        assert plugin <= exact + 1e-9


@pytest.mark.parametrize("method", ["gaussian", "exact", "plugin"])
def test_a_certain_assignment_costs_its_value(method):
    term = box([1, 2, 3, 4], 3, 5, method)
    for bits in ([0, 0, 0, 0], [1, 1, 0, 0], [0, 0, 1, 1]):
        logits = 60.0 * (2 * np.array(bits) - 1)
        assert expectation(term, logits)[0] == pytest.approx(term.value(bits)[0], abs=1e-8)


@pytest.mark.parametrize("method", ["gaussian", "exact", "plugin"])
def test_field_never_exceeds_the_node_s_own_share(method):
    term = box(RNG.integers(0, 6, 12), 10, 14, method)
    energy = Energy(term.node_ptr, (term,))
    for scale in (0.1, 3.0, 60.0):
        field = energy.field(torch.tensor(RNG.normal(0, scale, 12)))
        assert (field.abs().numpy() <= term.weight + 1e-9).all()


def test_gaussian_field_is_exact_in_the_large_and_independent_of_own_probability():
    rng = np.random.default_rng(5)
    term = box(rng.integers(1, 9, 200), 300, 420)
    logits = torch.tensor(rng.normal(size=200))
    field = Energy(term.node_ptr, (term,)).field(logits)
    oracle = Energy(term.node_ptr, (replace(term, method="exact"),)).field(logits)
    assert torch.allclose(field, oracle, atol=0.05)
    moved = logits.clone()
    moved[7] += 3
    assert Energy(term.node_ptr, (term,)).field(moved)[7] == pytest.approx(field[7].item(), abs=1e-9)


def test_exact_refuses_fractions_and_large_graphs():
    with pytest.raises(InputError, match="needs integer weights"):
        expectation(box([0.5, 1], 0, 1, "exact"), [0.0, 0.0])
    with pytest.raises(InputError, match="small graphs: 20000 nodes"):
        expectation(box(np.full(20_000, 10), 0, 1, "exact"), np.zeros(20_000))
