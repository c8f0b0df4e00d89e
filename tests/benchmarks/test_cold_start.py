"""The program that measures start-up."""

import json
import os

from cold_start import NUM_GROUPS, _write_graphs, run

from annealco.graph.formats import read_graph
from tests.budgets import FAR
from tests.cli.program import without_note


def test_the_graphs_have_300_nodes_and_only_one_has_a_planted_set(tmp_path):
    paths = _write_graphs(tmp_path)
    forced, random = read_graph(paths["forced"]), read_graph(paths["random"])
    assert forced.num_nodes == random.num_nodes == 300
    assert forced.graph_data["planted_size"].tolist() == [NUM_GROUPS]
    assert "planted_size" not in random.graph_data


def test_a_new_process_proves_the_planted_set(tmp_path):
    path = _write_graphs(tmp_path)["forced"]
    done = run("mis", path, dict(os.environ), "--json", "--moves", str(10**7), "--time-limit", str(FAR))
    answer = json.loads(done.printed)
    assert (answer["value"], answer["optimal"]) == (NUM_GROUPS, True)
    assert without_note(done.told) == ""
    assert done.cpu > 0
    assert done.wall > 0
