import math
from dataclasses import replace

import numpy as np
import pytest
import torch

from annealco.energy import AllPairs, Energy, Range
from annealco.energy.expectation import AllPairsTensors, PairsTensors, Place, ProductDistribution, _lower_all_pairs
from annealco.errors import InputError
from annealco.graph.graph import Graph
from annealco.problems import PROBLEMS
from tests.energy.reference import KINDS, plain_expectation, random_term
from tests.problems.sums import SUMS


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


def exact(term):
    return replace(term, method="exact") if isinstance(term, Range) else term


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("seed", range(3))
def test_expectation_and_field_are_sums_over_assignments(kind, seed):
    rng = np.random.default_rng(seed)
    term = exact(random_term(kind, rng))
    energy = Energy(term.node_ptr, (term,))
    logits = torch.tensor(rng.normal(0, 2, 7))
    probability = torch.sigmoid(logits).numpy()
    assert np.allclose(energy.expectation(logits), plain_expectation(term, probability), atol=1e-10)
    field = energy.field(logits).numpy()
    for node in range(7):
        given = np.tile(probability, (2, 1))
        given[:, node] = 0, 1
        without, chosen = (plain_expectation(term, each).sum() for each in given)
        assert field[node] == pytest.approx(chosen - without, abs=1e-10)


@pytest.mark.parametrize("kind", KINDS)
def test_expectation_and_field_differentiate(kind):
    term = random_term(kind, np.random.default_rng(1))
    energy = Energy(term.node_ptr, (term,))
    logits = torch.randn(7, dtype=torch.float64, generator=torch.Generator().manual_seed(0), requires_grad=True)
    assert torch.autograd.gradcheck(energy.expectation, logits)
    assert torch.autograd.gradcheck(energy.field, logits)


@pytest.mark.parametrize("kind", KINDS)
def test_further_dimensions_are_independent(kind):
    term = random_term(kind, np.random.default_rng(2))
    energy = Energy(term.node_ptr, (term,))
    logits = torch.randn(7, 2, 3, dtype=torch.float64, generator=torch.Generator().manual_seed(0))
    together, field = energy.expectation(logits), energy.field(logits)
    assert together.shape == (3, 2, 3)
    for i in range(2):
        for j in range(3):
            assert torch.allclose(together[:, i, j], energy.expectation(logits[:, i, j]))
            assert torch.allclose(field[:, i, j], energy.field(logits[:, i, j]))


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("size", [2.0, 50.0])
def test_float32_agrees_with_float64_for_small_and_large_logits(kind, size):
    rng = np.random.default_rng(4)
    term = random_term(kind, rng, sizes=(40, 60))
    energy = Energy(term.node_ptr, (term,))
    logits = torch.tensor(rng.uniform(-size, size, 100))
    scale = 1 + np.abs(term.value(np.ones(100))).max() + np.abs(term.coefficient).sum()
    for quantity in (energy.expectation, energy.field):
        wide = quantity(logits)
        narrow = quantity(logits.float())
        assert narrow.dtype == torch.float32
        assert torch.isfinite(narrow).all()
        assert torch.allclose(narrow.double(), wide, rtol=1e-4, atol=1e-5 * scale)


@pytest.mark.parametrize("name", SUMS)
@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
def test_gradients_stay_finite_at_extreme_logits(name, dtype):
    graph = Graph.from_edges([[0, 0, 0, 1, 2, 4], [1, 2, 3, 2, 3, 5]], num_nodes=7)
    energy = SUMS[name].declare(graph).energy()
    for logits in ([50.0] * 7, [-50.0] * 7, [50, -50] * 3 + [0.0], [200.0, -200.0] * 3 + [0.0]):
        logit = torch.tensor(logits, dtype=dtype, requires_grad=True)
        total = energy.expectation(logit).sum() + energy.field(logit).sum()
        total.backward()
        assert torch.isfinite(total)
        assert torch.isfinite(logit.grad).all()


def test_all_pairs_of_a_hundred_thousand_nodes_needs_no_square_array():
    size = 100_000
    rng = np.random.default_rng(0)
    weight = rng.integers(1, 5, size).astype(float)
    term = AllPairs(np.array([0, size]), weight)
    probability = rng.uniform(0.01, 0.99, size)
    logits = torch.tensor(np.log(probability / (1 - probability)))
    # min(w_i, w_j) = Σ_k [w_i ≥ k][w_j ≥ k] for integers, so the sum splits into one of unit weights a level.
    expected = 0.0
    for level in range(1, 5):
        p = probability[weight >= level]
        expected += (p.sum() ** 2 - (p**2).sum()) / 2
    assert Energy(term.node_ptr, (term,)).expectation(logits).item() == pytest.approx(expected, rel=1e-9)


def test_almost_complete_graph_keeps_its_digits_in_float32():
    size = 1000
    low, high = np.triu_indices(size, 1)
    graph = Graph.from_edges(np.stack([low, high])[:, 1:], size)
    penalty = PROBLEMS["clique"].declare(graph).constraints[0].term
    logits = torch.zeros(size, requires_grad=True)
    value = Energy(graph.node_ptr, (penalty,)).expectation(logits)
    assert value.item() == pytest.approx(0.25, abs=1e-6)


@pytest.mark.parametrize("seed", range(4))
def test_all_pairs_with_most_excluded_are_the_pairs_that_are_left(seed):
    rng = np.random.default_rng(seed)
    ptr = np.array([0, 6, 6, 7, 15])
    pairs = np.concatenate([np.stack(np.triu_indices(n, 1)) + start for start, n in ((0, 6), (7, 8))], axis=1)
    excluded = pairs[:, rng.random(pairs.shape[1]) < 0.8][:, ::-1]
    excluded = excluded[::-1] if seed % 2 else excluded
    term = AllPairs(ptr, rng.uniform(0, 3, 15), excluded)
    logits = torch.tensor(rng.normal(size=(15, 2)), requires_grad=True)
    place = Place(logits.device, logits.dtype)
    long, short, q = AllPairsTensors(term, place), _lower_all_pairs(term, place), ProductDistribution(logits)
    assert isinstance(short, PairsTensors)
    assert torch.allclose(short.expectation(q), long.expectation(q))
    assert torch.allclose(short.field(q), long.field(q))
    slopes = [torch.autograd.grad(each.expectation(q).sum(), logits, retain_graph=True)[0] for each in (long, short)]
    assert torch.allclose(*slopes)


def test_all_pairs_with_few_excluded_are_never_listed():
    term = AllPairs(np.array([0, 4]), np.ones(4), np.array([[0], [1]]))
    assert isinstance(_lower_all_pairs(term, Place(torch.device("cpu"), torch.float32)), AllPairsTensors)


def test_tensors_are_made_once_a_device_and_dtype():
    term = random_term("pairs", np.random.default_rng(0))
    energy = Energy(term.node_ptr, (term,))
    from annealco.energy.expectation import _lowered

    logits = torch.zeros(7)
    energy.expectation(logits)
    assert _lowered(term, logits) is _lowered(term, torch.ones(7))
    assert _lowered(term, logits) is not _lowered(term, logits.double())


@pytest.mark.parametrize("name", SUMS)
def test_training_works_after_an_evaluation_in_inference_mode(name):
    energy = SUMS[name].declare(Graph.from_edges([[0, 1], [1, 2]])).energy()
    with torch.inference_mode():
        energy.expectation(torch.zeros(3))
    logits = torch.zeros(3, requires_grad=True)
    energy.expectation(logits).sum().backward()
    assert torch.isfinite(logits.grad).all()


@pytest.mark.parametrize("name", SUMS)
def test_graphs_without_nodes_take_logits_with_further_dimensions(name):
    energy = SUMS[name].declare(Graph.from_edges(np.zeros((2, 0), int), 0)).energy()
    assert energy.expectation(torch.zeros(0, 3)).shape == (1, 3)
    assert energy.field(torch.zeros(0, 3)).shape == (0, 3)


def test_other_types_of_logits_are_refused():
    energy = PROBLEMS["mis"].declare(Graph.from_edges([[0], [1]])).energy()
    for dtype in (torch.float16, torch.bfloat16, torch.int64):
        with pytest.raises(InputError, match="logits must be float32 or float64"):
            energy.expectation(torch.zeros(2, dtype=dtype))
