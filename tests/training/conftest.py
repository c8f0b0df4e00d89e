from __future__ import annotations

import pytest

from annealco.models import MODELS
from tests.training.tiny_model import TinyModel


@pytest.fixture(autouse=True)
def _tiny_model(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(MODELS, "tiny", TinyModel)
