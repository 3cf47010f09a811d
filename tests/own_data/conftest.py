"""What several tests of one's own data need."""

from __future__ import annotations

from typing import Any

import pytest


@pytest.fixture
def dp() -> Any:
    """OpenDP with what it calls contributed."""
    prelude = pytest.importorskip("opendp.prelude", reason="OpenDP is the extra opendp")
    prelude.enable_features("contrib")
    return prelude
