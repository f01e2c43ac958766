"""The points of a study with their states: the table `point` of its database, which can be queried while the study
runs, and the lines that show its progress."""
import contextlib
import json
import os
import shutil
import sqlite3
import sys
import threading
import time
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from .. import _memsim
from ..errors import Error
from ..run.progress import EVERY, duration

Row = dict[str, Any]  # row of the table, by column

COLUMNS = {
    "study": "TEXT",
    "number": "INTEGER",
    "name": "TEXT",
    "keys": "TEXT",
    "command": "TEXT",
    "state": "TEXT",
    "began": "REAL",
    "seconds": "REAL",
    "run": "TEXT",
    "error": "TEXT",
    "jobs": "INTEGER",
    "owner": "TEXT",
}
TABLE = (
    "CREATE TABLE IF NOT EXISTS point("
    + ", ".join(f"{n} {kind}" for n, kind in COLUMNS.items())
    + ", PRIMARY KEY(study, number)) WITHOUT ROWID"
)


def owner() -> str:
    """The identification of this process in the table."""
    return f"{os.getpid()} {os.uname().nodename}"


def is_gone(owner: str) -> bool:
    """Whether the `owner` of a row was a process of this host that has ended."""
    process, _, host = owner.partition(" ")
    return host == os.uname().nodename and not os.path.exists(f"/proc/{process}")


class Points:
    """The table's rows of one study, updated by the study. `show` keeps three lines on a terminal: finished points,
    running points, and the time left."""

    def __init__(self, database: str, study: str, points: Sequence[Any], jobs: int, show: bool) -> None:
        _memsim.Database(database)  # creates it, or raises Error for another file
        self._study, self._lock = study, threading.Lock()
        self._db = sqlite3.connect(database, timeout=60, check_same_thread=False)
        self._show = show and sys.stderr is not None and sys.stderr.isatty()
        self._shown, self._lines = time.monotonic(), 0
        rows = [
            (study, number, point.name, json.dumps(point.keys), json.dumps(point.command), jobs)
            for number, point in enumerate(points)
        ]
        self._numbers = {id(point): number for number, point in enumerate(points)}
        with self._writing() as db:
            db.execute(TABLE)
            # Points that another process is running keep their state, unless their command has changed.
            db.executemany(
                "INSERT INTO point(study, number, name, keys, command, jobs, state) "
                "VALUES(?, ?, ?, ?, ?, ?, 'waiting') ON CONFLICT DO UPDATE SET name = excluded.name, "
                "keys = excluded.keys, command = excluded.command, jobs = excluded.jobs, "
                "state = excluded.state, began = NULL, seconds = NULL, run = NULL, error = NULL, "
                "owner = NULL WHERE state <> 'running' OR command <> excluded.command",
                rows,
            )
            db.execute("DELETE FROM point WHERE study = ? AND number >= ?", [study, len(rows)])

    @contextlib.contextmanager
    def _writing(self) -> Iterator[sqlite3.Connection]:
        try:
            with self._lock, self._db:
                yield self._db
        except sqlite3.Error as e:
            raise Error(f"the table of points cannot be written: {e}") from None

    def set(self, points: Iterable[Any], state: str, **values: Any) -> None:
        """Sets the state of equal points, and further columns of their rows."""
        values["state"] = state
        with self._writing() as db:
            db.executemany(
                f"UPDATE point SET {', '.join(f'{name} = ?' for name in values)} WHERE study = ? AND number = ?",
                [(*values.values(), self._study, self._numbers[id(point)]) for point in points],
            )

    def left(self) -> str:
        """', 1m20s left' for the line of a point that has ended; empty if unknown."""
        with self._lock:
            seconds = _left(rows_of(self._db, self._study))
        return f", about {duration(seconds)} left" if seconds else ""

    def show(self) -> None:
        """Redraws the lines, at most once per second."""
        if not self._show or time.monotonic() - self._shown < EVERY:
            return
        self.wipe()
        with self._lock:
            lines = summary(rows_of(self._db, self._study))
        width = shutil.get_terminal_size().columns - 1
        print("\n".join(line[:width] for line in lines), file=sys.stderr, end="", flush=True)
        self._shown, self._lines = time.monotonic(), len(lines)

    def wipe(self) -> None:
        """Removes the lines from the terminal, so that other output can be printed."""
        if self._lines:
            up = f"\033[{self._lines - 1}F" if self._lines > 1 else "\r"
            print(f"{up}\033[J", file=sys.stderr, end="", flush=True)
            self._lines = 0

    def close(self) -> None:
        self.wipe()
        self._db.close()


def rows_of(database: sqlite3.Connection, study: str | None = None) -> list[Row]:
    """The rows of one study, or of all, as dicts."""
    cursor = database.execute(
        f"SELECT {', '.join(COLUMNS)} FROM point WHERE ?1 IS NULL OR study = ?1 ORDER BY study, number", [study]
    )
    return [dict(zip(COLUMNS, row)) for row in cursor]


def _in(rows: Iterable[Row], *states: str) -> list[Row]:
    return [row for row in rows if row["state"] in states]


def _waiting(rows: Iterable[Row]) -> list[Row]:
    """Rows that are still to be run: also those whose process has ended without a result."""
    return [r for r in rows if r["state"] == "waiting" or r["state"] == "running" and is_gone(r["owner"])]


def _left(rows: list[Row]) -> float | None:
    """The estimated seconds until the end, from the points that have ended; None if unknown."""
    spent = [row["seconds"] for row in _in(rows, "finished") if row["seconds"]]
    running, now = [row for row in _in(rows, "running") if not is_gone(row["owner"])], time.time()
    waiting = len(_waiting(rows))
    if not spent or not running and not waiting:
        return None
    mean: float = sum(spent) / len(spent)
    work: float = waiting * mean + sum(max(mean - (now - row["began"]), 0) for row in running)
    at_once: int = min(max(row["jobs"] for row in rows), waiting + len(running))
    return work / max(at_once, 1)


def summary(rows: list[Row]) -> list[str]:
    """Three lines about the points of one study: done, now and left."""
    finished, failed = _in(rows, "finished"), _in(rows, "failed")
    before = sum(row["seconds"] is None for row in finished)
    done = f"{rows[0]['study']}: done: {len(finished)} of {len(rows)} points"
    done += f", {before} of them before" if before else ""
    done += f", and {len(failed)} failed" if failed else ""
    now = [
        f"{row['name']} ({'its process has ended' if is_gone(row['owner']) else _since(row)})"
        for row in _in(rows, "running")
    ]
    now += [f"{row['name']} (of another study)" for row in _in(rows, "elsewhere")]
    left = _left(rows)
    waiting = len(_waiting(rows))
    return [
        done,
        f"  now: {', '.join(now) or 'nothing'}",
        f"  left: {waiting} points" + (f", about {duration(left)}" if left else ""),
    ]


def _since(row: Row) -> str:
    return duration(time.time() - row["began"])
