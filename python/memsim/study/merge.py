"""Merges the runs of several databases into one, each run once.

All input is checked first, and all output is one transaction: if a file is rejected, INTO is unchanged. Rows have
numbers within their database, so those of FROM are renumbered behind those of INTO.
"""
import contextlib
import json
import os
import sqlite3
from collections.abc import Callable, Collection, Iterable
from typing import Any

from .. import _memsim
from . import points, sensitivity, stored
from ..errors import Error
from ..files import check_output
from ..results import claims
from ..results.database import connect, not_current
from ..results.rows import TABLES

APPLICATION = 0x6D73696D  # 'msim', as in src/stats/schema.hh


def merge(into: str, sources: Iterable[str]) -> tuple[int, int]:
    """Returns the number of runs copied and of runs that existed."""
    into = os.path.join(into, "stats.db") if os.path.isdir(into) else os.fspath(into)
    check_output(into, "a database")
    there = os.path.exists(into)
    with contextlib.ExitStack() as stack:
        opened = {}
        for path in sources:
            source = stack.enter_context(contextlib.closing(connect(path)))
            file = source.execute("PRAGMA database_list").fetchone()[2]
            if there and os.path.samefile(file, into) or file in opened:
                raise Error(f"{path}: it is named twice: merge a database into a different one")
            opened[file] = source
        for file, source in opened.items():
            _check(file, source)
            if why := not_current(source):
                raise Error(f"{file}: {why}: nothing was merged")
        if there:
            with contextlib.closing(connect(into)) as target:
                _check(into, target)
        database = _memsim.Database(os.path.abspath(into))  # creates it
        target = stack.enter_context(contextlib.closing(sqlite3.connect(into, timeout=60)))
        try:
            with target:
                target.execute("BEGIN IMMEDIATE")
                counts = [_copy(source, target, database.in_use) for source in opened.values()]
        except sqlite3.Error as e:
            raise Error(f"{into}: nothing was merged ({e})") from None
    copied, known = (sum(of) for of in zip(*counts))
    return copied, known


def _check(file: str, database: sqlite3.Connection) -> None:
    """Raises Error for a damaged database, and keeps its present contents."""
    database.set_authorizer(None)  # opened for reading only
    try:
        database.execute("BEGIN")
        if database.execute("PRAGMA application_id").fetchone()[0] != APPLICATION:
            raise Error(f"{file}: this is no database of results of memsim: nothing was merged")
        (found,) = database.execute("PRAGMA integrity_check(1)").fetchone()
        broken = database.execute("PRAGMA foreign_key_check").fetchone()
    except sqlite3.Error as e:
        found, broken = str(e), None
    if found != "ok" or broken:
        why = f"a row of '{broken[0]}' belongs to none of '{broken[2]}'" if broken else found
        raise Error(f"{file}: the file is damaged ({why.splitlines()[-1]}): nothing was merged")


def _copy(source: sqlite3.Connection, target: sqlite3.Connection, in_use: Any) -> tuple[int, int]:
    """Copies a database's runs and its rows of studies. Returns the numbers of runs copied and of runs that existed."""
    runs: list[str] = []
    same: dict[str, str] = {}
    older: list[str] = []
    for run, finished, configuration, digest in source.execute(
        "SELECT id, finished IS NOT NULL, configuration, digest FROM run"
    ).fetchall():
        twin = target.execute(
            "SELECT id FROM run WHERE id = ?1 OR ?2 AND finished IS NOT NULL AND configuration = ?3 AND "
            "configuration <> '' AND digest = ?4 ORDER BY id <> ?1",
            [run, finished, configuration, digest],
        ).fetchone()
        if not twin:
            runs.append(run)
        elif twin[0] == run and _how_far(source, run) > _how_far(target, run):
            if in_use(run):
                raise Error(f"the run {run} is still running and is in both databases: wait for its end")
            runs.append(run)
            older.append(run)
        else:
            same[run] = twin[0]
    for name, (own, _) in reversed(TABLES.items()):
        target.execute(f"DELETE FROM {name} WHERE {own}", [json.dumps(older)])
    _copy_rows(source, target, json.dumps(runs))
    target.executemany(
        "UPDATE run SET parent = ? WHERE parent = ?", [(twin, run) for run, twin in same.items() if twin != run]
    )
    _copy_studies(source, target, same)
    return len(runs), len(same)


def _how_far(database: sqlite3.Connection, run: str) -> Any:
    """The progress of a run, as a sort key. A finished run is further than an unfinished one."""
    return database.execute(
        "SELECT finished IS NOT NULL, (SELECT coalesce(max(tick), -1) FROM dump "
        "WHERE run = ?1) FROM run WHERE id = ?1",
        [run],
    ).fetchone()


def _copy_rows(source: sqlite3.Connection, target: sqlite3.Connection, runs: str) -> None:
    behind = {
        name: target.execute(f"SELECT coalesce(max(id), 0) FROM {name}").fetchone()[0]
        for name, (_, numbers) in TABLES.items()
        if numbers.get("id") == name
    }
    for name, (own, numbers) in TABLES.items():
        columns = [row[1] for row in target.execute(f"PRAGMA table_info({name})")]
        moved = [f"{c} + {behind[numbers[c]]}" if c in numbers else c for c in columns]
        target.executemany(
            f"INSERT INTO {name}({', '.join(columns)}) VALUES({', '.join('?' * len(columns))})",
            source.execute(f"SELECT {', '.join(moved)} FROM {name} WHERE {own}", [runs]),
        )


def _copy_studies(source: sqlite3.Connection, target: sqlite3.Connection, same: dict[str, str]) -> None:
    """Copies points, claims and envelopes. If both databases have a row, the one written last is kept."""
    tables: list[tuple[str, str, str, Collection[str], Callable[[], object]]] = [
        ("point", "study, number", "began", points.COLUMNS, lambda: target.execute(points.TABLE)),
        ("claim", "id", "judged", claims.COLUMNS, lambda: stored.store(target, "", [])),
        ("envelope", "claim", "judged", sensitivity.COLUMNS, lambda: sensitivity.create_table(target)),
    ]
    for table, key, when, columns, make in tables:
        if not source.execute("SELECT 1 FROM sqlite_master WHERE name = ?", [table]).fetchone():
            continue
        make()
        rows = source.execute(f"SELECT {', '.join(columns)} FROM {table}").fetchall()
        if table == "point":
            where = list(columns).index("run")
            rows = [[same.get(x, x) if i == where else x for i, x in enumerate(row)] for row in rows]
        target.executemany(
            f"INSERT INTO {table}({', '.join(columns)}) VALUES({', '.join('?' * len(columns))}) "
            f"ON CONFLICT({key}) DO UPDATE SET {', '.join(f'{c} = excluded.{c}' for c in columns)} "
            f"WHERE {table}.{when} IS NULL OR excluded.{when} > {table}.{when}",
            rows,
        )
