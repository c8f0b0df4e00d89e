"""Names of the pictures of one or many graphs, and whether they may be written."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from annealco.graph.errors import GraphFileError


def picture_names(path: Path, num_graphs: int) -> list[Path]:
    """Return OUT.png for a single graph, OUT-0.png and on for many, [num_graphs].

    Example:
        >>> [name.name for name in picture_names(Path("out.png"), 11)][:2]
        ['out-00.png', 'out-01.png']
    """
    if num_graphs == 1:
        return [path]
    digits = len(str(max(num_graphs - 1, 0)))
    return [path.with_name(f"{path.stem}-{number:0{digits}}{path.suffix}") for number in range(num_graphs)]


def check_pictures(pictures: Sequence[Path], files: Sequence[Path]) -> None:
    """Raise where one of the pictures could not be written, or would replace one of the files that were read.

    Raises:
        InputError: as `check_picture`, and for a picture that is one of the files, under whatever name.
    """
    from annealco.drawing import check_picture

    # Links and capital letters give one file several names, but it has one identity.
    read = {_identity(file): file for file in files}
    for picture in pictures:
        check_picture(picture)
        if picture.exists() and _identity(picture) in read:
            file = read[_identity(picture)]
            raise GraphFileError(picture, f"the picture would replace the graph file {file}; choose another name")


def _identity(path: Path) -> tuple[int, int]:
    status = path.stat()
    return status.st_dev, status.st_ino
