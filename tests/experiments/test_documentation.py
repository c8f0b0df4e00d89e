"""What docs/reproducing.md says is true."""

from __future__ import annotations

import re
import shlex
from itertools import product
from pathlib import Path

import pytest

from annealco.experiments import EXPERIMENTS
from annealco.experiments.scale import SCALES, Amount, Reading, Sample, Scale
from tests.cli.program import call

PAGE = (Path(__file__).parents[2] / "docs" / "reproducing.md").read_text(encoding="utf-8")


SETS = {
    "rb-small": "RB-small",
    "rb-small-complement": "its complements, on BA-small",
    "ba-small": "its complements, on BA-small",
    "facebook": "Facebook",
}
FIGURE_SETS = {"ba-small": "BA-small", "twitter": "Twitter"}
"""As the page calls those that have an amount of their own."""


def cells(first: str) -> list[list[str]]:
    """Return the cells of the lines of the table of scales that begin so."""
    return [line.split("|")[2:-1] for line in PAGE.splitlines() if line.startswith(f"| {first} |")]


def amount_in_words(amount: Amount) -> str:
    numbers = {**amount.settings, **amount.options}
    words = {"width": "width {}", "batch_size": "batch {}", "num_steps": "{} steps"}
    told = [form.format(numbers[name]) for name, form in words.items() if name in numbers]
    told += [f"{amount.seeds} seeds"] if amount.seeds > 1 else []
    return ", ".join([f"{amount.graphs} × {amount.epochs}", *sorted(told, key=lambda word: not word.startswith("w"))])


def reading_in_words(reading: Reading) -> str:
    settings, options = reading.settings, reading.options
    rate = f"rate `{options['rate']}`"
    told = [
        f"variant `{settings['variant']}`" if "variant" in settings else "",
        f"width {settings['width']}" if "width" in settings else "",
        f"input `{settings['features']}`" if "features" in settings else "",
        "no mask" if settings.get("mask") is False else "",
        f"batch {options['batch_size']}" if "batch_size" in options else "",
        f"{rate} from {options['learning_rate']:g}" if "learning_rate" in options else rate,
        f"in figures the {reading.order} order" if reading.order else "",
    ]
    return ", ".join(filter(None, told))


def sample_in_words(samples: list[Sample]) -> str:
    every = [f"every {each.every}th" if each.every > 1 else "all" for each in samples]
    words = [str(each.limit or word) for each, word in zip(samples, every, strict=True)]
    return "all" if set(words) == {"all"} else ", ".join(words)


def test_the_table_of_scales_has_their_numbers() -> None:
    scales = list(SCALES.values())

    def check(first: str, expected: list[str], number: int = 0) -> None:
        assert [cell.strip() for cell in cells(first)[number]] == expected, first

    for model in ("erdos", "field", "run_csp"):
        check(f"tables, `{model}`", [amount_in_words(scale.table[model]) for scale in scales])
    for data, name in SETS.items():
        check(f"on {name}", [amount_in_words(scale.amount("erdos", data)) for scale in scales])
    check("on Facebook", [amount_in_words(scale.amount("field", "facebook")) for scale in scales], 1)
    for model, data in product(("erdos", "field"), ("ba-small", "twitter")):
        own = [amount_in_words(scale.figure_amount(model, data)) for scale in scales]
        check(f"figures on {FIGURE_SETS[data]}, `{model}`", own)

    def seeds(scale: Scale) -> str:
        return f"{scale.distance_seeds}, {scale.beta_seeds}, {scale.schedule_seeds}, {scale.toy_seeds}"

    check("seeds of `distance`, `beta`, `schedule`, starts of `toy`", [seeds(scale) for scale in scales])
    for problems in (("mis", "clique"), ("mds",), ("cut",)):
        names = ", ".join(f"`{problem}`" for problem in problems)
        for problem in problems:
            check(f"`erdos` for {names}", [reading_in_words(scale.readings[problem]) for scale in scales])
    falls = [f"`{scale.annealing['schedule']}` by {scale.annealing['anneal_by']}" for scale in scales]
    check("the temperature of `erdos` falls", falls)

    sets = ("rb-small", "rb-large", "ba-small", "ba-large", "collab", "twitter")
    cuts = ("sf295-subset", "facebook", "twitter")
    for number, (first, names, samples) in enumerate(
        (
            (
                "test graphs: RB-small, RB-large, BA-small, BA-large, Collab, Twitter",
                sets,
                [each.samples for each in scales],
            ),
            ("instances of cuts: SF-295, Facebook, Twitter", cuts, [each.cut_samples for each in scales]),
        )
    ):
        check(first, [sample_in_words([each[name] for name in names]) for each in samples])
        slow = [[each[name].slow or each[name] for name in names] for each in samples]
        check("of these for methods that take seconds per graph", [sample_in_words(each) for each in slow], number)
    for scale in scales:
        assert scale.samples["rb-small"] == scale.samples["rb-small-complement"]
        assert scale.samples["rb-large"] == scale.samples["rb-large-complement"]
    check("test graphs of figures", [str(each.figure_sample.limit or "all") for each in scales])


def test_every_experiment_is_named() -> None:
    table = PAGE.partition("| name | what it makes |\n")[2].partition("\n\n")[0]
    names = [name for line in table.splitlines()[1:] for name in re.findall(r"`(\w+)`", line.split("|")[1])]
    assert names == list(EXPERIMENTS)


@pytest.mark.slow
def test_the_commands_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("ANNEALCO_DATA", raising=False)
    [block] = re.findall(r"```sh\n(annealco .*?)```", PAGE, re.DOTALL)
    for line in block.splitlines():
        assert call(*shlex.split(line)[1:]) == 0
    assert (tmp_path / "reproduced" / "report.html").exists()
