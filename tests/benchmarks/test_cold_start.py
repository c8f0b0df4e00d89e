"""The program that measures start-up, and a ceiling that start-up stays below."""

import json
import os

from cold_start import NUM_GROUPS, _write_graphs, run

from annealco.graph.formats import read_graph


def test_the_graphs_have_300_nodes_and_only_one_has_a_planted_set(tmp_path):
    paths = _write_graphs(tmp_path)
    forced, random = read_graph(paths["forced"]), read_graph(paths["random"])
    assert forced.num_nodes == random.num_nodes == 300
    assert forced.graph_data["planted_size"].tolist() == [NUM_GROUPS]
    assert "planted_size" not in random.graph_data


def test_a_new_process_answers_in_little_cpu_time(tmp_path):
    path = _write_graphs(tmp_path)["forced"]
    environment = dict(os.environ)
    run("mis", path, environment)
    done = run("mis", path, environment, "--json")
    answer = json.loads(done.printed)
    assert (answer["value"], answer["optimal"]) == (NUM_GROUPS, True)
    assert done.told == ""
    # About 0.8 seconds, and 1.0 where bytecode is not kept; slower machines may take three times as long.
    assert done.cpu < 3
    assert done.wall > 0
