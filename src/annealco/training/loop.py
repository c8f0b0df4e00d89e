"""The training loop: `train_run` is a run, `train_epoch` an epoch, `AnnealedLoss` what a step lowers.

For a batch of graphs the network gives Q_θ, and θ follows the gradient of

    L_τ(θ) = mean over graphs of  E_{Q_θ}[f] − τ H(Q_θ),

by default with f and τ in units of each graph (`annealco.training.recipe`). Lightning Fabric places the network on
devices and adds up gradients of processes; `annealco.training.machine` sets it up. Everything that a step draws or sets
follows from its number, so that a resumed run goes on as if it had never stopped.
"""

from __future__ import annotations

import copy
import csv
import io
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

import numpy as np
import torch
from lightning_fabric import Fabric
from torch import Tensor, nn

from annealco.arrays import FloatArray
from annealco.errors import InputError
from annealco.files import store
from annealco.graph.graph import Graph
from annealco.models.model import Model, ModelInput
from annealco.problems import Problem
from annealco.training.checkpoint import LOG, save_model
from annealco.training.data import Batch, Share, batches_of_epoch
from annealco.training.display import Display
from annealco.training.loss import LOSSES, entropy
from annealco.training.machine import Interrupt, quiet, started_outside
from annealco.training.recipe import Recipe, units
from annealco.training.state import COLUMNS, TENSORBOARD, EpochRow, State, remove_run, save_state
from annealco.training.validation import Validation, greedy_values, reference_values

GO_ON, SAVE, STOP = 0, 1, 2


@dataclass(frozen=True, eq=False)
class Job:
    """What a process needs to train.

    Attributes:
        recipe: of the run.
        model: the network.
        problem: to be learned.
        graphs: to learn from.
        validation: what networks are worth.
        folder: of the run.
        state: where it begins.
        start: the first weights, as one vector.
        save_seconds: time between two saves inside an epoch.
        replaces: files of another run in the folder, which are removed when this one is first saved: a run that does
            not get so far destroys nothing.
        progress: whether to show progress.
        tensorboard: whether to log for TensorBoard.
        interrupt: whether the user asked to stop.
    """

    recipe: Recipe
    model: Model
    problem: Problem
    graphs: Graph
    validation: Validation
    folder: Path
    state: State
    start: Tensor
    save_seconds: float
    replaces: Sequence[Path]
    progress: bool
    tensorboard: bool
    interrupt: Interrupt


def train_run(fabric: Fabric, job: Job) -> tuple[bool, dict[str, Tensor] | None]:
    """Train from where a job begins to its last epoch, in one of the processes that do.

    Returns:
        Whether the run is finished, and the weights of the best network where torchrun or SLURM started this process
        and it has seen it: others have their files.
    """
    with quiet(), job.interrupt.listening_in(fabric):
        run = Run(fabric, job)
        run.find_references()
        with run.display:
            while not run.finished and train_epoch(run):
                row = run.measure_epoch()
                run.keep_best(row)
                run.history.append(row)
                run.epoch, run.step = run.epoch + 1, 0
                run.sums = torch.zeros_like(run.sums)
                run.finished = run.epoch == run.recipe.epochs or run.is_stuck()
                stopped = run.order() == STOP
                run.save()
                run.log(row)
                if stopped:
                    break
        return run.finished, run.best_weights if started_outside() else None


def train_epoch(run: Run) -> bool:
    """Make the steps of an epoch that are left, and tell whether it is done; it is not where the user stops it."""
    recipe, fabric, model, optimizer = run.recipe, run.fabric, run.model, run.optimizer
    where = {"batch_size": recipe.batch_size, "seed": recipe.seed, "epoch": run.epoch, "start": run.step}
    for batch in batches_of_epoch(run.job.graphs, run.job.problem, run.share, **where):
        place = (run.epoch, run.step, run.num_batches)
        run.temperature = recipe.temperature(*place)
        for group in optimizer.param_groups:
            group["lr"] = recipe.learning_rate_of(*place)
        model.progress = recipe.progress(*place)

        loss, sums = run.annealed_loss(batch, run.temperature, run.number)
        optimizer.zero_grad()
        fabric.backward(loss)
        # What a network keeps for the way back is not to wait for the next loss.
        del loss
        run.check_gradients()
        fabric.clip_gradients(run.annealed_loss, optimizer, max_norm=recipe.clip, error_if_nonfinite=False)
        optimizer.step()

        run.count_step(sums)
        if run.step < run.num_batches:
            # The end of an epoch saves by itself.
            order = run.order()
            if order != GO_ON:
                run.save()
            if order == STOP:
                return False
    return True


class AnnealedLoss(nn.Module):
    """The loss of a batch; a module, because Fabric adds up gradients over processes around a module's ``forward``.

    Attributes:
        model: the network.
        recipe: which loss, how many samples, which seed.
        share: which of the processes this is.
    """

    def __init__(self, model: Model, recipe: Recipe, share: Share) -> None:
        super().__init__()
        self.model = model
        self.recipe = recipe
        self.share = share

    def forward(self, batch: Batch, temperature: float, number: int) -> tuple[Tensor, Tensor]:
        """Return the loss, and the sums over this process's graphs of loss, energy, entropy and 1.

        Args:
            batch: some graphs.
            temperature: τ.
            number: of the step in the whole run, from which all its random numbers follow.
        """
        recipe = self.recipe
        features = self._draw_features(batch, number)
        outputs = self.model.outputs(ModelInput(batch.graph, batch.instance, features))
        weights = [weight for weight, _ in outputs]

        # L_τ = E_Q[f] − τ H(Q) of every graph, sample and output that the network learns from.
        logits = torch.stack([each for _, each in outputs], dim=2)
        lowered = LOSSES[recipe.loss].of(batch.instance, recipe.penalty_scale)
        unit = logits.new_tensor(units(batch.instance))[:, None, None] if recipe.in_units else 1.0
        expected = lowered.expectation(logits)
        # Without a temperature the entropy is measured only.
        with torch.set_grad_enabled(temperature > 0):
            disorder = entropy(lowered.node_ptr, logits)
        losses = (expected - temperature * unit * disorder) / unit
        losses = losses @ losses.new_tensor(weights)

        counted = torch.as_tensor(batch.weight, device=logits.device)
        total = (losses.mean(1) * counted).sum()
        # Gradients are averaged over processes: what is summed here must be this one's share of the mean of all.
        loss = total * (self.share.world_size / batch.whole.num_graphs)
        with torch.no_grad():
            # The network proposes its last output.
            proposed = expected[:, :, -1]
            if not LOSSES[recipe.loss].annealed:
                proposed = batch.instance.energy(recipe.penalty_scale).expectation(logits[:, :, -1])
            measured = [(each.mean(1) * counted).sum() for each in (proposed, disorder[:, :, -1])]
            return loss, torch.stack([total, *measured, counted.sum()]).double()

    def _draw_features(self, batch: Batch, number: int) -> Tensor:
        """Draw features for the whole batch, and return those of this process's nodes."""
        seed = step_seed(self.recipe.seed, number)
        # For whatever else a network draws: the same in every process.
        seed_torch(seed)
        features = self.model.draw_features(batch.whole, self.recipe.samples, torch.Generator().manual_seed(seed))
        return features[batch.nodes].to(**self.model.place)


def seed_torch(seed: int) -> None:
    """Seed torch's own generators of the devices that training runs on.

    For devices that are not there, `torch.manual_seed` formats a stack trace and keeps it, at every call.
    """
    torch.default_generator.manual_seed(seed)
    if torch.cuda.is_available():
        torch.cuda.manual_seed_all(seed)
    if torch.backends.mps.is_available():
        torch.mps.manual_seed(seed)


def step_seed(seed: int, number: int) -> int:
    """Return the seed of a step; those of different runs and steps are unrelated."""
    return int(np.random.SeedSequence([seed, number]).generate_state(1, np.uint64)[0] >> 1)


class Run:
    """Where a run is, in one of its processes.

    Attributes:
        epoch: the epoch that it is in.
        step: batches done in this epoch.
        sums: of loss, energy, entropy and number of graphs in this epoch; here of this process.
        history: a row for each epoch that is done.
        best: the best ratio, to the references known now, and the epoch that reached it first.
        best_values: what the best network found on each validation graph.
        best_weights: of the latest network that had this ratio, where it was seen since the run began or went on.
        temperature: of the step before.
    """

    def __init__(self, fabric: Fabric, job: Job) -> None:
        self.fabric, self.job, self.recipe, self.validation = fabric, job, job.recipe, job.validation
        self.share = Share(fabric.global_rank, fabric.world_size)
        self.num_batches = -(-job.graphs.num_graphs // job.recipe.batch_size)
        # Processes that were started from here share the memory of what they were given.
        self.model = job.model if self.share.world_size == 1 else copy.deepcopy(job.model)
        state = job.state
        if state.tensors:
            self.model.load_state_dict(state.weights)
        self.model.train()
        optimizer = torch.optim.Adam(self.model.parameters(), lr=self.recipe.learning_rate, fused=True)
        self.annealed_loss, self.optimizer = fabric.setup(AnnealedLoss(self.model, self.recipe, self.share), optimizer)
        if state.tensors:
            state.restore(self.model, optimizer)
        self._adam = optimizer
        self.epoch, self.step, self.finished = state.epoch, state.step, state.finished
        self.history: list[EpochRow] = list(state.history)
        self.best, self.best_values = state.best, np.array(state.best_values)
        self.best_weights: dict[str, Tensor] | None = None
        self.temperature = self.recipe.tau0
        sums = torch.tensor(state.sums, dtype=torch.float64, device=fabric.device)
        # What was summed before is counted once.
        self.sums = sums if fabric.is_global_zero else torch.zeros_like(sums)
        total = self.recipe.epochs * self.num_batches
        self.display = Display(total, self.number, self.recipe.epochs, shown=job.progress and fabric.is_global_zero)
        self._replaces = job.replaces
        self._writer: Any = None
        self._begun = self._saved = time.monotonic()
        self._cpu_begun = time.process_time()

    @property
    def number(self) -> int:
        """The number of the next step in the whole run."""
        return self.epoch * self.num_batches + self.step

    @property
    def seconds(self) -> float:
        """Time spent on the run, before and after it was resumed."""
        return self.job.state.seconds + time.monotonic() - self._begun

    @property
    def cpu_seconds(self) -> float:
        """Processor time of this process spent on training, likewise."""
        return self.job.state.cpu_seconds + time.process_time() - self._cpu_begun

    def find_references(self) -> None:
        """Find the best known and the greedy values of the validation graphs, together with the other processes."""
        drawn, graphs = self.validation.drawn, self.validation.graphs
        how: dict[str, Any] = {"share": self.share, "seed": self.recipe.seed}
        known = np.array(self.job.state.known)
        if not len(known):
            known = self._sum_arrays(reference_values(drawn, graphs, **how))
        self.validation.known = known
        # It takes milliseconds and no chance: a resumed run finds the same again.
        self.validation.greedy = self._sum_arrays(greedy_values(drawn, graphs, **how))
        self.validation.update(self.validation.greedy)
        self._cpu_begun = time.process_time()

    def check_gradients(self) -> None:
        """Refuse at the first step a network with parameters that do not learn: they would have no moments to save."""
        if self.number > 0:
            return
        for name, parameter in self.model.named_parameters():
            if parameter.requires_grad and parameter.grad is None:
                rule = "use it in forward, or freeze it by requires_grad_(False)"
                raise InputError(f"parameter {name!r} of model {self.model.name} has no gradient: {rule}")

    def count_step(self, sums: Tensor) -> None:
        """Count a step that is done, and show it."""
        self.sums = self.sums + sums
        self.step += 1
        self.display.step(self.epoch, self.number, self.temperature, sums, self.history)

    def order(self) -> int:
        """Return what to do now, as the first process decides it."""
        due = time.monotonic() - self._saved > self.job.save_seconds
        order = STOP if self.job.interrupt.noted else SAVE if due else GO_ON
        return order if self.share.world_size == 1 else int(self.fabric.broadcast(order))

    def is_stuck(self) -> bool:
        """Tell whether the ratio has not become better for too long, in this leg."""
        if self.recipe.early_stop is None or self.best is None:
            return False
        first = max(self.best[1] + 1, self.recipe.leg(self.epoch - 1)[0])
        return sum(row["ratio"] is not None for row in self.history[first:]) >= self.recipe.early_stop

    def measure_epoch(self) -> EpochRow:
        """Return the row of the epoch that is done."""
        loss, energy, entropy, count = self._checked_sums()
        cpu_seconds = self.cpu_seconds
        ratio = self._measure_ratio() if self._is_validated() else None
        self._cpu_begun += self.cpu_seconds - cpu_seconds
        return {
            "epoch": self.epoch,
            "loss": loss / count,
            "energy": energy / count,
            "entropy": entropy / count,
            "temperature": self.temperature,
            "learning_rate": self._adam.param_groups[0]["lr"],
            "distance": parameter_distance(self.job.start, flatten(self.model)),
            "ratio": ratio,
            "greedy": None if ratio is None else self.validation.greedy_ratio(),
            "seconds": self.seconds,
            "cpu_seconds": cpu_seconds,
        }

    def _is_validated(self) -> bool:
        done = self.epoch + 1
        return done % self.recipe.validate_every == 0 or done == self.recipe.epochs

    def _measure_ratio(self) -> float:
        """Measure the network, and count the best one by the references that are known then."""
        self._found = self._sum_arrays(self.validation.measure(self.model, self.share))
        self.validation.update(self._found)
        if self.best is not None:
            self.best = (self.validation.ratio(self.best_values), self.best[1])
        return self.validation.ratio(self._found)

    def keep_best(self, row: EpochRow) -> None:
        """Keep the network if none before was better; of equals the latest, though it is no progress."""
        ratio = row["ratio"]
        if ratio is None or (self.best is not None and ratio < self.best[0]):
            return
        if self.best is None or ratio > self.best[0]:
            self.best = (ratio, self.epoch)
        self.best_values = self._found
        self.best_weights = {name: each.detach().cpu().clone() for name, each in self.model.state_dict().items()}
        if self.fabric.is_global_zero:
            self._replace()
            record = {"recipe": self.recipe.as_json(), "metrics": {**row, "seconds": None, "cpu_seconds": None}}
            save_model(self.job.folder, self.model, problem=self.recipe.problem, record=record)

    def save(self) -> None:
        """Write the state to the folder, in the first process."""
        sums = self._checked_sums()
        if self.fabric.is_global_zero:
            self._replace()
            state = State(
                epoch=self.epoch,
                step=self.step,
                sums=tuple(sums),
                history=tuple(self.history),
                best=self.best,
                best_values=tuple(self.best_values.tolist()),
                known=tuple(self.validation.known.tolist()),
                finished=self.finished,
                seconds=self.seconds,
                cpu_seconds=self.cpu_seconds,
            )
            save_state(self.job.folder, state.with_tensors(self.model, self._adam), self.recipe)
        self._saved = time.monotonic()

    def log(self, row: EpochRow) -> None:
        """Write the table of the run, and what TensorBoard shows, in the first process."""
        if self.fabric.is_global_zero:
            write_log(self.job.folder, self.history)
            if self.job.tensorboard:
                self._log_to_tensorboard(row)
        self.display.epoch(self.history)

    def _log_to_tensorboard(self, row: EpochRow) -> None:
        from torch.utils.tensorboard import SummaryWriter

        if self._writer is None:
            self._writer = SummaryWriter(str(self.job.folder / TENSORBOARD))
        for name, value in row.items():
            if value is not None:
                self._writer.add_scalar(name, value, self.epoch - 1)
        self._writer.flush()

    def _checked_sums(self) -> list[float]:
        """Return the sums over all processes; a loss that is no number ends the run, and is neither kept nor saved."""
        found: list[float] = self._sum(self.sums).tolist()
        if not np.isfinite(found[0]):
            raise InputError(f"the loss became {found[0]} in epoch {self.epoch}: a lower learning rate may help")
        return found

    def _sum(self, tensor: Tensor) -> Tensor:
        """Add up what the processes have."""
        if self.share.world_size == 1:
            return tensor
        return cast("Tensor", self.fabric.all_reduce(tensor.clone(), reduce_op="sum"))

    def _sum_arrays(self, values: FloatArray) -> FloatArray:
        """Add up arrays of all processes, [num_graphs]."""
        return np.asarray(self._sum(torch.from_numpy(values).to(self.fabric.device)).cpu().numpy())

    def _replace(self) -> None:
        """Remove the run that this one takes the place of."""
        remove_run(self.job.folder, self._replaces)
        self._replaces = ()


def write_log(folder: Path, history: Sequence[EpochRow]) -> None:
    """Write the table of a run into its folder."""
    store(folder / LOG, as_csv(history).encode())


def as_csv(history: Sequence[EpochRow]) -> str:
    """Return a table with a row for each epoch; what was not measured is left empty."""
    text = io.StringIO()
    table = csv.DictWriter(text, tuple(COLUMNS), lineterminator="\n")
    table.writeheader()
    table.writerows(history)
    return text.getvalue()


def flatten(model: nn.Module) -> Tensor:
    """Return all parameters as one vector, in float64."""
    return torch.cat([each.detach().cpu().double().flatten() for each in model.parameters()])


def parameter_distance(start: Tensor, now: Tensor) -> float:
    """Return ‖u − v‖₂ / ‖v‖₂ for parameters v before and u after, the paper's measure of how far training went.

    Example:
        >>> parameter_distance(torch.tensor([3.0, 4.0]), torch.tensor([3.0, 5.0]))
        0.2
    """
    size = start.norm().item()
    return (now - start).norm().item() / size if size else 0.0
