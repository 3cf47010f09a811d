"""Files that are whole or not there: whatever happens meanwhile, nobody reads half of one.

The content goes to a file of another name in the same folder, which then takes the name.  Nothing
is left of that file if it cannot be finished.
"""

from __future__ import annotations

import os
import secrets
from pathlib import Path

__all__ = ["write_whole"]


def write_whole(path: Path, content: bytes, *, new: bool = False, private: bool = False) -> None:
    """Write a file whole or not at all.

    Parameters
    ----------
    path : Path
        The file; what it holds stays until the new content has been written.
    content : bytes
        The content.
    new : bool
        Whether there may be no file of that name yet.
    private : bool
        Whether only its owner may read it, from the first byte on.

    Raises
    ------
    FileExistsError
        If it has to be new and is not.
    OSError
        If it cannot be written.
    """
    unfinished = path.with_name(f".{path.name}.{secrets.token_hex(8)}.tmp")
    mode = 0o600 if private else 0o666
    try:
        with open(unfinished, "xb", opener=lambda name, flags: os.open(name, flags, mode)) as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        if new:
            os.link(unfinished, path)
        else:
            os.replace(unfinished, path)
    finally:
        unfinished.unlink(missing_ok=True)
