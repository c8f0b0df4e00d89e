import numpy as np
from geometric import random_geometric


def test_edges_join_exactly_the_near_points():
    graph = random_geometric(np.random.default_rng(3), num_nodes=200, average_degree=6.0)
    points = np.random.default_rng(3).random((200, 2))
    radius = np.sqrt(6.0 / (np.pi * 200))
    near = {(u, v) for u in range(200) for v in range(u + 1, 200) if np.hypot(*(points[u] - points[v])) <= radius}
    assert set(map(tuple, graph.edges.T.tolist())) == near
