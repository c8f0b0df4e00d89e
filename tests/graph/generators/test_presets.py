from __future__ import annotations

import hashlib
import itertools
import subprocess
import sys

import networkx as nx
import numpy as np
import pytest

from annealco.errors import InputError
from annealco.graph.generators import GENERATORS, generate
from annealco.graph.generators.presets import ring_with_chords
from annealco.graph.graph import Graph

RB = ["rb-small", "rb-large", "rb-small-unforced", "rb-large-unforced"]
RANGES = {
    "rb-small": (range(20, 25), range(5, 12), range(200, 301)),
    "rb-large": (range(40, 55), range(20, 25), range(800, 1201)),
}

# SHA-256 of the first five graphs at seed 1. They pin the streams of NumPy's PCG64 and of Generator's methods as well
# as our own code: published results name (preset, seed), so a change here must be deliberate and go into the changelog.
GOLDEN = {
    "rb-small": "20ec0c01918fda5c98bde4eab7800a18eb78069cad2e2ad7463e2967631dafe9",
    "rb-small-complement": "ea5e701915ee53beabdcc29c41519a5a6d2da7ba3d64bf229bd9691775fd837c",
    "rb-small-unforced": "cb04d2d14482b9a592bfdcf2508cc446404d049df44aef2168cf817f6259f76c",
    "rb-small-unforced-complement": "7ab2ddb8cefc4eaa137da86592fe00273f762f2a65d79b15eb4ab52929363fd1",
    "rb-large": "6dcb5098aeba3182bbd615d1ec5e8b62f444596657fb42c5ab0d5469dab23dd3",
    "rb-large-complement": "26903a4c735462a4c70711cc220ada25dafc004d9cd575540c55afff2278978a",
    "rb-large-unforced": "80bb80850b01f4d21d769d80a34e6da81acc7fdf6ec0a03e7d2a8629306ab84c",
    "rb-large-unforced-complement": "ad1840ccc8b461f79ecc6b445ba3068d3e4625a5c96bff8d3455cdd2e2144a30",
    "ba-small": "c8cd7e91f316ab17a338fe42160999b584e02b9dcb9dee30bf5262d9bc4395a6",
    "er-small": "c209df20e050626e6d88a49d3c26eecd23cf3a1ec864d1b0fbc07c4c38e43d80",
    "regular-small": "9efc0fe5d5b4c9d89574cb6d67064568aa725665b165accc0ab31d733e5a7698",
    "ba-large": "aba6c7e94292631f7270aaf2834686921f941689832ea4ba007e316d09a20276",
    "er-large": "16f2664c99a33fa489eb6db8b81977c93cedf8523aed4e2c83048e7223a811d8",
    "regular-large": "ccd0410a470e0d87aee3213fa30477f707039e34c17d6855971ce3a8a7e8c771",
}


def fingerprint(graph: Graph) -> str:
    """Hash names and contents of all arrays, whatever integer type holds them."""
    arrays = {"node_ptr": graph.node_ptr, "edges": graph.edges, **graph.node_data, **graph.graph_data}
    digest = hashlib.sha256()
    for name in sorted(arrays):
        digest.update(f"{name} {list(arrays[name].shape)} ".encode())
        digest.update(np.ascontiguousarray(arrays[name], dtype="<i8").tobytes())
    return digest.hexdigest()


def same(first: Graph, second: Graph) -> bool:
    return fingerprint(first) == fingerprint(second)


def test_the_registry_is_complete() -> None:
    rb = [name + suffix for name in RB for suffix in ("", "-complement")]
    plain = [f"{model}-{size}" for model in ("ba", "er", "regular") for size in ("small", "large")]
    assert sorted(GENERATORS) == sorted(rb + plain)
    assert all(name == preset.name for name, preset in GENERATORS.items())
    descriptions = [preset.description for preset in GENERATORS.values()]
    assert len(set(descriptions)) == len(descriptions)
    assert all(text.isascii() and "\n" not in text and len(text) < 90 for text in descriptions)


@pytest.mark.parametrize("name", GENERATORS)
def test_first_graphs_are_the_golden_ones(name: str) -> None:
    assert fingerprint(generate(name, count=5, seed=1)) == GOLDEN[name]


@pytest.mark.parametrize("name", GENERATORS)
def test_a_graph_depends_on_name_seed_and_number_alone(name: str) -> None:
    whole = generate(name, count=6, seed=3)
    assert same(generate(name, count=3, seed=3), whole[:3])
    assert same(generate(name, count=2, seed=3, start=4), whole[4:])
    assert not same(generate(name, count=3, seed=4), whole[:3])
    assert not same(whole[0], whole[1])


def test_the_name_is_part_of_the_seed() -> None:
    # Both draw the number of nodes first, from the same range.
    first, second = generate("ba-small", count=20, seed=1), generate("er-small", count=20, seed=1)
    assert not np.array_equal(first.node_ptr, second.node_ptr)


def test_another_process_draws_the_same_bytes() -> None:
    code = """if True:
        import sys
        from annealco.graph.generators import generate
        graph = generate("rb-small", count=2, seed=2**63 + 5, start=10)
        sys.stdout.buffer.write(graph.edges.tobytes())
    """
    written = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True).stdout
    assert written == generate("rb-small", count=2, seed=2**63 + 5, start=10).edges.tobytes()


@pytest.mark.parametrize("name", RB)
def test_rb_presets_keep_their_ranges(name: str) -> None:
    groups, sizes, nodes = RANGES[name.removesuffix("-unforced")]
    batch = generate(name, count=300 if "small" in name else 40, seed=5)
    counts, num_groups = np.diff(batch.node_ptr), batch.graph_data["num_groups"]
    assert set(counts.tolist()) <= set(nodes)
    assert set(num_groups.tolist()) <= set(groups)
    assert set((counts // num_groups).tolist()) <= set(sizes)
    assert np.all(counts % num_groups == 0)
    assert ("planted" in batch.node_data) == ("unforced" not in name)
    # All sizes that pass the filter occur in a sample this large.
    if "small" in name:
        allowed = {(n, k) for n, k in itertools.product(groups, sizes) if n * k in nodes}
        assert set(zip(num_groups.tolist(), (counts // num_groups).tolist(), strict=True)) == allowed


def test_tightness_is_spread_over_its_range() -> None:
    shares = []
    for graph in generate("rb-small-unforced", count=300, seed=5):
        groups = int(graph.graph_data["num_groups"][0])
        low, high = np.sort(graph.node_data["group"][graph.edges], axis=0)
        counts = np.bincount((low * groups + high)[low < high])
        # A pair of groups joined in one round has ⌊p·k²⌋ edges.
        shares.append(counts[counts > 0].min(initial=10**6) / (graph.num_nodes / groups) ** 2)
    drawn = np.array([share for share in shares if share <= 1])
    assert 0.28 < drawn.min() < 0.33
    assert drawn.max() > 0.96
    assert drawn.mean() == pytest.approx(0.65, abs=0.05)


def test_two_thousand_rb_small_graphs_have_the_published_size() -> None:
    batch = generate("rb-small", count=2000, seed=1)
    assert 227 <= batch.num_nodes / 2000 <= 240
    assert 4000 <= batch.num_edges / 2000 <= 4700
    groups, sizes, nodes = RANGES["rb-small"]
    allowed = [n * k for n, k in itertools.product(groups, sizes) if n * k in nodes]
    assert batch.num_nodes / 2000 == pytest.approx(np.mean(allowed), abs=4 * np.std(allowed) / np.sqrt(2000))


def test_planted_sets_survive_batching() -> None:
    batch = generate("rb-small", count=20, seed=6)
    planted = batch.node_data["planted"]
    sizes = np.bincount(batch.graph_of_node, weights=planted).astype(int)
    assert sizes.tolist() == batch.graph_data["planted_size"].tolist() == batch.graph_data["num_groups"].tolist()
    assert not planted[batch.edges].all(axis=0).any()


@pytest.mark.parametrize("name", RB)
def test_complements_swap_edges_and_keep_the_planted_set(name: str) -> None:
    batch = generate(f"{name}-complement", count=3, seed=7)
    assert ("planted" in batch.node_data) == ("unforced" not in name)
    for graph in batch:
        groups = graph.node_data["group"]
        assert not np.any(groups[graph.edges[0]] == groups[graph.edges[1]])
        if "planted" in graph.node_data:
            size = int(graph.graph_data["planted_size"][0])
            inside = np.count_nonzero(graph.node_data["planted"][graph.edges].all(axis=0))
            assert (graph.node_data["planted"].sum(), inside) == (size, size * (size - 1) // 2)
    if name.startswith("rb-small"):
        assert 15_000 < batch.num_edges / 3 < 30_000


@pytest.mark.parametrize(("size", "low", "high", "count"), [("small", 200, 300, 400), ("large", 800, 1200, 60)])
def test_the_other_presets_keep_their_sizes(size: str, low: int, high: int, count: int) -> None:
    for model in ("ba", "er", "regular"):
        nodes = np.diff(generate(f"{model}-{size}", count=count, seed=8).node_ptr)
        assert low <= nodes.min() <= low + (high - low) // 10
        assert high - (high - low) // 10 <= nodes.max() <= high
        assert nodes.mean() == pytest.approx((low + high) / 2, abs=4 * (high - low) / np.sqrt(12 * count))


def test_the_other_presets_keep_their_densities() -> None:
    ba, er, regular = (generate(f"{model}-small", count=50, seed=9) for model in ("ba", "er", "regular"))
    assert [graph.num_edges for graph in ba] == [(graph.num_nodes - 4) * 4 for graph in ba]
    pairs = sum(graph.num_nodes * (graph.num_nodes - 1) // 2 for graph in er)
    assert er.num_edges / pairs == pytest.approx(0.15, abs=0.002)
    assert set(regular.degree.tolist()) == {3}


def test_no_graphs_are_a_legal_set() -> None:
    assert generate("rb-small", count=0, seed=0).num_graphs == 0


@pytest.mark.parametrize(
    ("name", "arguments", "message"),
    [
        ("rb", {}, f"unknown generator 'rb'; choose one of {', '.join(GENERATORS)}"),
        ("rb-small", {"count": -1}, "count must be at least 0, not -1"),
        ("rb-small", {"seed": -1}, "seed must be at least 0, not -1"),
        ("rb-small", {"seed": 2**64}, f"seed must be at most {2**64 - 1}, not {2**64}"),
        ("rb-small", {"start": -1}, "start must be at least 0, not -1"),
        ("rb-small", {"count": 1.5}, "count must be an integer, not 1.5"),
    ],
)
def test_bad_arguments_are_named(name: str, arguments: dict[str, int], message: str) -> None:
    with pytest.raises(InputError) as caught:
        generate(name, **{"count": 1, "seed": 0, **arguments})
    assert str(caught.value) == message


def test_all_nodes_are_alike_and_nothing_is_a_tree():
    graph = ring_with_chords(40)
    assert graph.degree.tolist() == [4] * 40
    same = nx.Graph(graph.edges.T.tolist())
    assert nx.is_connected(same)
    assert nx.triangles(same) == dict.fromkeys(range(40), 0)
