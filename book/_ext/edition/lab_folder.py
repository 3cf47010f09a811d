"""A reader's own copy of the notebooks, in which nothing that the reader changed is overwritten.

``python -m book._ext.edition.lab_folder my-notebooks`` copies ``_build/notebooks`` there.  A file
of that folder is replaced only if it is still what an earlier copy put there: the sums of what was
copied stand in ``.copied.json``.  Running a notebook and saving it changes it, too.
"""

import hashlib
import json
import shutil
import sys
from pathlib import Path

from book._ext.edition.student_bundle import NOTEBOOKS, ROOT

RECORD = ".copied.json"


def checksum(path: Path) -> str:
    """Return a sum that tells two contents apart."""
    return hashlib.sha256(path.read_bytes()).hexdigest()


def copy_edition(source: Path, target: Path) -> list[str]:
    """Copy a folder file by file; return the names of the files that the reader keeps as they are.

    Raises
    ------
    SystemExit
        If the target is a file, or there is nothing to copy.
    """
    if not source.is_dir():
        raise SystemExit(f"There are no notebooks in {source}: run make notebooks.")
    if target.exists() and not target.is_dir():
        raise SystemExit(f"{target} is a file; the notebooks go into a folder of that name.")
    record = target / RECORD
    copied = json.loads(record.read_text(encoding="utf-8")) if record.is_file() else {}
    kept = []
    for path in sorted(path for path in source.rglob("*") if path.is_file()):
        name = path.relative_to(source).as_posix()
        own, new = target / name, checksum(path)
        if own.exists() and checksum(own) not in {new, copied.get(name)}:
            kept.append(name)
            continue
        if not own.exists() or checksum(own) != new:
            own.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(path, own)
        copied[name] = new
    record.write_text(json.dumps(copied, indent=1, sort_keys=True), encoding="utf-8")
    return kept


if __name__ == "__main__":
    folder = Path(sys.argv[1])
    changed = copy_edition(ROOT / NOTEBOOKS, folder)
    print(f"The notebooks are in {folder.resolve()}")
    for name in changed:
        print(f"kept, because you have changed it: {name}")
    if changed:
        print("To get the book's version of such a file, rename yours and run the command again.")
