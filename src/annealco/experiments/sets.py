"""Tell which data sets of an experiment are there, before anything is computed."""

from __future__ import annotations

from collections.abc import Sequence

from annealco.experiments.run_folder import RunFolder
from annealco.graph.datasets.files import download, find_file
from annealco.graph.datasets.folders import DATA_VARIABLE
from annealco.graph.datasets.registry import find_dataset


def present_sets(folder: RunFolder, names: Sequence[str]) -> list[str]:
    """Return the sets that can be had, in their order.

    Synthetic ones are drawn. A real one that is not on the disk is left out with a note where the scale allows it, else
    downloaded.

    Raises:
        InputError: where a set is needed and cannot be had; it says how to get it.
    """
    present = []
    for name in names:
        dataset = find_dataset(name)
        if dataset.kind == "real" and find_file(dataset) is None:
            if folder.scale.skips_absent:
                folder.note(
                    f"{name} is left out: there is no {dataset.stored.file} in a folder that {DATA_VARIABLE} names"
                )
                continue
            download(dataset)
        present.append(name)
    return present
