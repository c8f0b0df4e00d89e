"""The program that measures the way from a file to an answer."""

import json

import numpy as np
from large_graphs import DECLARED, measure_stages, table

from annealco.graph.formats import write_graph
from annealco.graph.generators.barabasi_albert import barabasi_albert


def test_stages_of_a_file_are_measured_and_shown(tmp_path):
    file = tmp_path / "small.col"
    write_graph(barabasi_albert(np.random.default_rng(0), num_nodes=60, attachment=4), file)
    row = json.loads(json.dumps(measure_stages(file)))
    assert {"read", "from_edges sorted", "from_edges shuffled", *(f"score {name}" for name in DECLARED)} <= set(row)
    shown = table(
        [
            {"version": "one", "nodes": 60, "cell": "stages"} | row,
            {"version": "two", "nodes": 60, "cell": "mis", "solve": 1.25, "value": 9.0},
        ]
    )
    assert shown.splitlines()[0] == "| CPU seconds (peak: GiB) | one, 60 nodes | two, 60 nodes |"
    assert "| solve mis | - | 1.250 |" in shown
