"""Decides whether --restore may run the script that a checkpoint names.

A checkpoint from an unknown source may name a script on this disk, its arguments, and the directory of its relative
paths. It is trusted if a database that belongs to this user confirms that the run was of this script with these
arguments in this directory: the database next to the checkpoint, or the one that the checkpoint names.
"""

import contextlib
import json
import os
import shlex
import sqlite3
from typing import Any

from ...errors import Error, legible
from ...results.database import connect


def refuse_unknown(file: str, saved: Any) -> None:
    """Raises Error for a checkpoint whose run is in no database of the user."""
    beside = os.path.join(os.path.dirname(os.path.abspath(file)), "stats.db")
    if not any(_knows(database, saved) for database in dict.fromkeys([beside, saved.run.database])):
        command = legible(shlex.join([saved.script.path, *saved.script.argv]), keep="")
        where = legible(shlex.quote(saved.script.cwd), keep="")
        raise Error(
            f"{file}: it would run {command} in {where}, and no database of yours confirms that its run was "
            "of this script in this directory: add --trust if you know the author of the checkpoint, or continue "
            "without the script by memsim.restore(FILE) in Python"
        )


def _knows(database: str, saved: Any) -> bool:
    try:
        if os.stat(database).st_uid != os.geteuid():
            return False  # other users may write to it
        with contextlib.closing(connect(database)) as db:
            row = db.execute("SELECT script, argv, cwd FROM run WHERE id = ?", [saved.run.uuid]).fetchone()
        return row is not None and [row[0], json.loads(row[1]), row[2]] == [
            saved.script.path,
            saved.script.argv,
            saved.script.cwd,
        ]
    except (OSError, Error, sqlite3.Error, ValueError, TypeError):
        return False  # no database, or an unreadable one
