"""Processes that have imported the package already, to be killed or to compete with others."""

from __future__ import annotations

import multiprocessing
import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any
from unittest.mock import patch

ROOT = Path(__file__).parents[2]
READY: Any = multiprocessing.get_context("spawn" if sys.platform == "win32" else "forkserver")
if sys.platform != "win32":
    READY.set_forkserver_preload(["pdpbook.commands.main", "pdpbook.own_data.publishing", "pytest"])


def begun(target: Callable[..., Any], *arguments: Any) -> Any:
    """Begin a process: a fork of one that has imported this checkout."""
    process = READY.Process(target=target, args=arguments, daemon=True)
    with patch.dict(os.environ, PYTHONPATH=str(ROOT)):
        process.start()
    return process
