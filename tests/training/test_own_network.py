"""Networks of a user's own: trained, saved without code, loaded by who names them, solved with and compared."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from torch import Tensor, nn

import annealco
from annealco.errors import InputError
from annealco.models import Field, build_model
from annealco.models.model import NUM_INPUTS
from annealco.models.pretrained import read_json, shipped_folder
from annealco.problems import PROBLEMS
from tests.budgets import BRIEF_OPTIONS
from tests.cli.program import Output, call
from tests.training.small_runs import assert_same_run, small_graphs

GRAPHS = small_graphs(12, seed=2)
SMALL: dict[str, Any] = {"epochs": 2, "batch_size": 4, "progress": False, "picture": False}


class Net(nn.Module):
    """A layer of the features and their sums over neighbours."""

    def __init__(self, width: int = 8) -> None:
        super().__init__()
        self.inner = nn.Linear(NUM_INPUTS, width)
        self.outer = nn.Linear(width, 1)

    def forward(self, x: Tensor, edge_index: Tensor) -> Tensor:
        heard = x.index_add(0, edge_index[0], x[edge_index[1]])
        return self.outer(torch.relu(self.inner(heard)))


class Renamed(Net):
    """The same, somewhere else."""


PLACE = f"{__name__}:Net"


@pytest.fixture(scope="module")
def by_place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("place")
    annealco.train("mis", GRAPHS, model=PLACE, settings={"width": 4}, out=out, **SMALL)
    return out


@pytest.fixture(scope="module")
def by_module(tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("module")
    torch.manual_seed(0)
    annealco.train("mis", GRAPHS, model=Net(4), out=out, **SMALL)
    return out


def test_what_is_saved_is_a_place_and_settings(by_place: Path, by_module: Path) -> None:
    content = read_json(by_place / "model.json")
    assert (content["model"], content["settings"]) == (PLACE, {"width": 4})
    assert (content["record"]["recipe"]["model"], content["record"]["recipe"]["settings"]) == (PLACE, {"width": 4})
    content = read_json(by_module / "model.json")
    assert (content["model"], content["settings"]) == (PLACE, None)


def test_it_is_loaded_by_module_class_or_place(by_place: Path, by_module: Path) -> None:
    instance = PROBLEMS["mis"].declare(GRAPHS)
    found = [annealco.load(by_place, model)(GRAPHS, instance) for model in (PLACE, Net, Renamed, Net(4))]
    assert all(np.array_equal(each, found[0]) for each in found)
    module = Net(4)
    trained = annealco.load(by_module, model=module)
    assert trained.problem == "mis"
    # The module itself has the weights now.
    assert torch.equal(module.inner.weight, trained.model.state_dict()["module.inner.weight"])
    assert annealco.solve(GRAPHS[0], "mis", model=trained, restarts=2, moves=100).feasible


@pytest.mark.parametrize(
    ("which", "model", "message"),
    [
        ("place", None, r"its network is '.*:Net', which is not of annealco: say which module that is"),
        ("module", None, r"say which module that is, load\(folder, model=...\) or --model PLACE"),
        ("module", Net, r"was given as a module, and how it was made is not known: load\(folder, model=module\)"),
        ("module", Net(5), r"the tensor 'module.inner.weight' must have shape \[5, 8\], it has \[4, 8\]"),
        ("place", nn.Linear, "cannot be made with {'width': 4}: TypeError"),
        ("place", "field", "unknown|shape|lack|settings"),
        ("place", "no.such:Thing", "there is no module 'no'"),
        ("place", 5, "must be a name, a place|unknown model 5|is no model"),
    ],
)
def test_what_does_not_fit_is_told_in_one_line(
    which: str, model: Any, message: str, by_place: Path, by_module: Path
) -> None:
    with pytest.raises(InputError, match=message) as caught:
        annealco.load({"place": by_place, "module": by_module}[which], model)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    "name", ["os:system", "{}:Trap", "trap_module:Trap", "../trap.py:Trap", "annealco.models.field:Field"]
)
def test_loading_never_imports_what_a_file_names(
    name: str, by_place: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    trap = tmp_path / "trap_module.py"
    trap.write_text(f"from pathlib import Path\nPath({str(tmp_path / 'sprung')!r}).touch()\nclass Trap: pass\n")
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.chdir(tmp_path)
    content = json.loads((by_place / "model.json").read_text())
    tensors = (by_place / content["tensors"]).read_bytes()
    (tmp_path / content["tensors"]).write_bytes(tensors)
    (tmp_path / "model.json").write_text(json.dumps({**content, "model": name.format(trap)}))
    with pytest.raises(InputError, match="which is not of annealco: say which module that is"):
        annealco.load(tmp_path)
    with pytest.raises(InputError, match="which is not of annealco"):
        annealco.solve(GRAPHS[0], "mis", model=tmp_path)
    assert not (tmp_path / "sprung").exists()
    # Who names the class gets it, whatever the file says.
    assert annealco.load(tmp_path, Net).problem == "mis"
    assert not (tmp_path / "sprung").exists()


def test_a_run_of_ones_own_network_resumes_to_the_same_weights(tmp_path: Path) -> None:
    options = {**SMALL, "model": PLACE, "settings": {"width": 4}}
    annealco.train("mis", GRAPHS, out=tmp_path / "whole", **{**options, "epochs": 3})
    annealco.train("mis", GRAPHS, out=tmp_path / "again", **{**options, "epochs": 3})
    (tmp_path / "again" / "log.csv").unlink()
    annealco.train("mis", GRAPHS, out=tmp_path / "again", resume=True, **{**options, "epochs": 3})
    assert_same_run(tmp_path / "whole", tmp_path / "again")
    with pytest.raises(InputError, match="another recipe: settings width was 4 and is now 5"):
        annealco.train("mis", GRAPHS, out=tmp_path / "again", resume=True, **{**options, "settings": {"width": 5}})


class Unlearned(Net):
    def __init__(self) -> None:
        super().__init__()
        self.unused = nn.Parameter(torch.zeros(2))


class Untrained(Net):
    def forward(self, x: Tensor, edge_index: Tensor) -> Tensor:
        return super().forward(x, edge_index) / 0


@pytest.mark.parametrize(
    ("model", "message"),
    [
        (Unlearned(), "parameter 'module.unused' of model .* has no gradient: use it in forward, or freeze it"),
        (Untrained(), "must return finite logits"),
        (nn.ReLU(), "has no parameters to train"),
        (Net().requires_grad_(requires_grad=False), "no parameters to train: all of them are frozen"),
        (Net().double(), "weights must be float32"),
    ],
)
def test_modules_that_cannot_be_trained_are_told_before_anything_is_written(
    model: nn.Module, message: str, tmp_path: Path
) -> None:
    with pytest.raises(InputError, match=message):
        annealco.train("mis", GRAPHS, model=model, out=tmp_path / "run", **SMALL)
    assert not list(tmp_path.glob("run/*.json"))


@pytest.mark.processes
def test_two_processes_train_a_module_of_ones_own() -> None:
    one, two = (
        annealco.train("mis", GRAPHS, model=Net, settings={"width": 4}, devices=devices, **SMALL) for devices in (1, 2)
    )
    for name, tensor in one.model.state_dict().items():
        assert torch.allclose(tensor, two.model.state_dict()[name], rtol=1e-3, atol=1e-3)


def test_training_begins_with_a_network_of_the_package() -> None:
    trained = annealco.train("mds", GRAPHS, init="auto", learning_rate=1e-9, **SMALL)
    shipped = annealco.load(shipped_folder("mds")).model.state_dict()
    for name, tensor in trained.model.state_dict().items():
        assert torch.allclose(tensor, shipped[name], atol=1e-6)
    recipe = trained.record["recipe"]
    assert (recipe["model"], recipe["init"]["source"], len(recipe["init"]["sha256"])) == ("field", "auto", 16)


def test_training_begins_with_the_network_of_a_folder_or_one_that_was_loaded(by_place: Path) -> None:
    with pytest.raises(InputError, match="which is not of annealco"):
        annealco.train("mis", GRAPHS, init=by_place, **SMALL)
    start = annealco.load(by_place, Net)
    before = {name: each.clone() for name, each in start.model.state_dict().items()}
    first = annealco.train("mis", GRAPHS, init=by_place, model=PLACE, **SMALL)
    second = annealco.train("mis", GRAPHS, init=start, **SMALL)
    assert all(torch.equal(each, before[name]) for name, each in start.model.state_dict().items())
    for name, tensor in first.model.state_dict().items():
        assert torch.equal(tensor, second.model.state_dict()[name])
        assert not torch.equal(tensor, before[name])
    digests = [each.record["recipe"]["init"]["sha256"] for each in (first, second)]
    assert digests[0] == digests[1]


def test_another_start_is_another_run(tmp_path: Path) -> None:
    for seed, name in ((1, "first"), (2, "second")):
        torch.manual_seed(seed)
        annealco.TrainedModel(build_model("field", width=4), "mis").save(tmp_path / name)
    annealco.train("mis", GRAPHS, init=tmp_path / "first", out=tmp_path / "run", **SMALL)
    with pytest.raises(InputError, match="another recipe: init source was"):
        annealco.train("mis", GRAPHS, init=tmp_path / "second", out=tmp_path / "run", resume=True, **SMALL)
    assert isinstance(annealco.load(tmp_path / "run").model, Field)


NETS = """
import torch
from torch import nn
class Net(nn.Module):
    def __init__(self, width=8):
        super().__init__()
        self.inner, self.outer = nn.Linear(8, width), nn.Linear(width, 1)
    def forward(self, batch):
        return self.outer(torch.relu(self.inner(batch.x)))
"""


def test_the_command_line_trains_and_compares_a_network_of_ones_own(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Output
) -> None:
    (tmp_path / "my_own_nets.py").write_text(NETS)
    monkeypatch.chdir(tmp_path)
    data = ["--data", "regular-small", "--graphs", 4, "--validation-graphs", 2, "--epochs", 1]
    place = ["--model", "my_own_nets:Net"]
    assert call("train", "mis", *data, *place, "--setting", "width=4", "--out", "run") == 0
    assert read_json(tmp_path / "run" / "model.json")["settings"] == {"width": 4}
    (tmp_path / "path.edges").write_text("0 1\n1 2\n")
    assert call("solve", "mis", "path.edges", "--model", "my_own_nets:Net=run", "--json") == 0
    assert json.loads(capsys.readouterr().out.splitlines()[-1])["nodes"] == [0, 2]
    for model, rule in (("run", "say which module that is"), ("my_own_nets:Nut=run", "did you mean Net?")):
        assert call("solve", "mis", "path.edges", "--model", model) == 2
        assert rule in capsys.readouterr().err
    assert call("solve", "mis", "path.edges", "--model", "my_own_nets:Net=nowhere") == 2
    assert "unknown model 'my_own_nets:Net=nowhere'" in capsys.readouterr().err
    small = ["--data", "regular-small", "--limit", 1, *BRIEF_OPTIONS, "--out", "rows"]
    assert call("bench", "mis", *small, "--methods", "annealed=run,greedy", *place) == 0
    assert "annealed=run" in capsys.readouterr().out
    assert call("bench", "mis", *small, "--methods", "annealed=run,greedy") == 2
    assert "say which module that is" in capsys.readouterr().err
    assert call("train", "mis", *data, "--init", "auto", "--out", "tuned") == 0
    assert read_json(tmp_path / "tuned" / "state.json")["recipe"]["init"]["source"] == "auto"


TEN_LINES = """
import annealco
from torch_geometric.nn import GCN

module = GCN(in_channels=8, hidden_channels=16, num_layers=3, out_channels=1)
trained = annealco.train("mis", "rb-small", model=module, epochs=2, num_graphs=8, num_validation=2, out="gcn")
print(trained.record["metrics"]["ratio"])
"""

NEW_PROCESS = """
import annealco
from torch_geometric.nn import GCN

module = GCN(in_channels=8, hidden_channels=16, num_layers=3, out_channels=1)
graph = annealco.generate("rb-small", count=1, seed=5)
print(annealco.solve(graph, "mis", model=annealco.load("gcn", model=module), restarts=4, moves=1000).value)
"""


@pytest.mark.processes
def test_ten_lines_train_a_network_of_pyg_and_another_process_uses_it(tmp_path: Path) -> None:
    pytest.importorskip("torch_geometric")
    assert len(TEN_LINES.strip().splitlines()) < 10
    for program in (TEN_LINES, NEW_PROCESS):
        done = subprocess.run(
            [sys.executable, "-c", program], cwd=tmp_path, capture_output=True, text=True, check=False
        )
        assert done.returncode == 0, done.stderr
        assert float(done.stdout) > 0
    settings = {"in_channels": 8, "hidden_channels": 16, "num_layers": 3, "out_channels": 1}
    options = {**SMALL, "num_graphs": 8, "num_validation": 2, "out": tmp_path / "place"}
    annealco.train("mis", "rb-small", model="torch_geometric.nn:GCN", settings=settings, **options)
    annealco.train("mis", "rb-small", settings={"width": 4}, **{**options, "out": tmp_path / "field"})
    small = ["--data", "rb-small", "--limit", 1, *BRIEF_OPTIONS, "--out", tmp_path / "rows"]
    methods = f"annealed={tmp_path / 'place'},annealed={tmp_path / 'field'},greedy"
    assert call("bench", "mis", *small, "--methods", methods, "--model", "torch_geometric.nn:GCN") == 0


def test_settings_in_a_file_take_no_memory_before_they_fit_the_weights(by_place: Path, tmp_path: Path) -> None:
    content = json.loads((by_place / "model.json").read_text())
    (tmp_path / content["tensors"]).write_bytes((by_place / content["tensors"]).read_bytes())
    (tmp_path / "model.json").write_text(json.dumps({**content, "settings": {"width": 2**50}}))
    with pytest.raises(InputError, match="shape"):
        annealco.load(tmp_path, PLACE)


def test_several_processes_refuse_what_they_could_not_import(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Output
) -> None:
    (tmp_path / "file_nets.py").write_text(NETS)
    monkeypatch.chdir(tmp_path)
    data = ["--data", "regular-small", "--graphs", 4, "--validation-graphs", 2, "--epochs", 1, "--devices", 2]
    assert call("train", "mis", *data, "--model", "file_nets.py:Net", "--out", "run") == 2
    assert "name the module, such as my_nets:Net" in capsys.readouterr().err


@pytest.mark.processes
def test_several_processes_train_a_network_of_the_current_folder(tmp_path: Path) -> None:
    (tmp_path / "near_nets.py").write_text(NETS)
    data = ["--data", "regular-small", "--graphs", "24", "--validation-graphs", "2", "--epochs", "1", "--devices", "2"]
    command = [sys.executable, "-m", "annealco.__main__", "train", "mis", *data, "--model", "near_nets:Net"]
    # The folder of a console script is not that of the caller.
    program = f"import runpy, sys; sys.path = sys.path[1:]; sys.argv = {['annealco', *command[3:]]!r}; "
    done = subprocess.run(
        [sys.executable, "-c", program + "from annealco.__main__ import main; sys.exit(main())"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
