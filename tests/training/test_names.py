from __future__ import annotations

import annealco.training
from annealco.training.train import train


def test_names_do_not_depend_on_what_was_imported_before() -> None:
    assert callable(train)
    for name in annealco.training.__all__:
        assert callable(getattr(annealco.training, name))
