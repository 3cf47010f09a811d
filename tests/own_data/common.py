"""A column and its releases, and processes that have imported the package already."""

from __future__ import annotations

import multiprocessing
import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any
from unittest.mock import patch

import numpy as np
from numpy.typing import ArrayLike

import pdpbook as pb

VALUES = np.repeat([1.0, 2.0, 2.5, 4.0, 7.0], [5, 9, 1, 3, 2])
ROOT = Path(__file__).parents[2]
READY: Any = multiprocessing.get_context("spawn" if sys.platform == "win32" else "forkserver")
if sys.platform != "win32":
    READY.set_forkserver_preload(["pdpbook.commands.main", "pdpbook.own_data.publishing", "pytest"])


def released(values: ArrayLike = VALUES, **named: Any) -> pb.own_data.Published:
    """A release of a column of ages from 0 to 8."""
    usual = {"lower": 0, "upper": 8, "epsilon": 1.0, "name": "age"}
    return pb.make_release(values, **usual | named)


def begun(target: Callable[..., Any], *arguments: Any) -> Any:
    """Begin a process: a fork of one that has imported this checkout."""
    process = READY.Process(target=target, args=arguments, daemon=True)
    with patch.dict(os.environ, PYTHONPATH=str(ROOT)):
        process.start()
    return process
