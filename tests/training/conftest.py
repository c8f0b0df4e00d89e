from __future__ import annotations

from collections.abc import Iterator

import pytest

from annealco.models import MODELS
from tests.training.tiny_model import TinyModel


@pytest.fixture(scope="package", autouse=True)
def _tiny_model() -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setitem(MODELS, "tiny", TinyModel)
        yield
