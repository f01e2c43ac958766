"""The progress of studies: the lines of `memsim sweep --status`."""

import contextlib
import os
import sqlite3

from ..errors import Error
from ..results.database import connect
from .points import Row, rows_of, summary


def status(path: str) -> str:
    """The lines for each study of a database, or for the tasks in an output directory."""
    rows = _rows(path) if not os.path.isdir(path) or os.path.exists(os.path.join(path, "stats.db")) else []
    if os.path.isdir(path):
        from .slurm import rows as rows_of_tasks

        rows += rows_of_tasks(path, {row["study"] for row in rows})
    if not rows:
        raise Error(f"{path}: no study has run points into this database")
    lines = []
    for study in dict.fromkeys(row["study"] for row in rows):
        own = [row for row in rows if row["study"] == study]
        lines += summary(own)
        lines += [f"  failed: {row['name']}: {row['error']}" for row in own if row["state"] == "failed"]
    return "\n".join(lines)


def _rows(path: str) -> list[Row]:
    with contextlib.closing(connect(path)) as database:
        try:
            return rows_of(database)
        except sqlite3.OperationalError as e:
            if "no such table" not in str(e):
                raise Error(f"{path}: {e}") from None
            return []
