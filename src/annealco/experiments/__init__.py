"""The tables and figures of the paper as experiments: each has a plan and a result, at one of three scales."""

from __future__ import annotations

from collections.abc import Collection
from typing import Protocol

from annealco.experiments.beta import BETA
from annealco.experiments.distance import DISTANCE
from annealco.experiments.run_folder import Material, RunFolder, Step
from annealco.experiments.schedule import SCHEDULE
from annealco.experiments.tables import CLIQUE, CUT, MDS, MIS
from annealco.experiments.toy import TOY


class Experiment(Protocol):
    """A table or figure that can be reproduced."""

    @property
    def name(self) -> str:
        """The name that users type."""

    @property
    def title(self) -> str:
        """A title of a few words."""

    @property
    def parts(self) -> tuple[str, ...]:
        """Names of what can be run alone."""

    def plan(self, folder: RunFolder, only: Collection[str] = ()) -> list[Step]:
        """Return the steps that are left to do in a folder, of all parts or of some; refuse what cannot be done."""

    def is_finished(self, folder: RunFolder) -> bool:
        """Tell whether everything has been computed."""

    def material(self, folder: RunFolder) -> Material:
        """Return the rows that the tables are made of."""

    def missing(self, folder: RunFolder, material: Material) -> list[str]:
        """Return what has no row in the material yet, in words."""

    def as_markdown(self, material: Material) -> str:
        """Return the tables as Markdown."""

    def finish(self, folder: RunFolder) -> str:
        """Draw the pictures, and return the result as Markdown."""


_ALL: tuple[Experiment, ...] = (MIS, CLIQUE, MDS, CUT, TOY, DISTANCE, BETA, SCHEDULE)
EXPERIMENTS: dict[str, Experiment] = {each.name: each for each in _ALL}
"""Every table and figure by its name."""
