"""Checks that the rows of a run have the form that memsim writes. Databases may come from anywhere, and readers rely on
this form."""
import contextlib
import functools
import json
import sqlite3
from typing import Any

from .. import _memsim
from ..run import signals
from ..errors import Error

# Table -> its rows of some runs (?1, as JSON), and the columns that refer to rows of other tables.
RUNS = "SELECT value FROM json_each(?1)"
OBJECTS = f"SELECT id FROM object WHERE run IN ({RUNS})"
STATS = f"SELECT id FROM stat WHERE object IN ({OBJECTS})"
PARTS = f"SELECT id FROM part WHERE stat IN ({STATS})"
DUMPS = f"SELECT id FROM dump WHERE run IN ({RUNS})"
LAUNCHES = f"SELECT id FROM launch WHERE run IN ({RUNS})"
TABLES: dict[str, tuple[str, dict[str, str]]] = {
    "run": (f"id IN ({RUNS})", {}),
    "dump": (f"run IN ({RUNS})", {"id": "dump"}),
    "object": (f"run IN ({RUNS})", {"id": "object"}),
    "source": (f"run IN ({RUNS})", {"id": "source"}),
    "param": (f"object IN ({OBJECTS})", {"object": "object", "source": "source"}),
    "connection": (f"run IN ({RUNS})", {}),
    "link": (f"run IN ({RUNS})", {}),
    "stat": (f"object IN ({OBJECTS})", {"id": "stat", "object": "object"}),
    "part": (f"stat IN ({STATS})", {"id": "part", "stat": "stat"}),
    "value": (f"dump IN ({DUMPS})", {"dump": "dump", "part": "part"}),
    "distribution": (f"dump IN ({DUMPS})", {"dump": "dump", "stat": "stat"}),
    "series": (f"part IN ({PARTS})", {"part": "part"}),
    "slow": (f"dump IN ({DUMPS})", {"dump": "dump"}),
    "total": (f"object IN ({OBJECTS})", {"id": "total", "object": "object"}),
    "launch": (f"run IN ({RUNS})", {"id": "launch"}),
    "counted": (f"launch IN ({LAUNCHES})", {"launch": "launch", "total": "total"}),
}
OF_STUDIES = ("point", "claim", "envelope")  # tables that only studies write

# Columns that are never NULL. Other columns may be NULL, because older versions did not write them.
NEEDED: dict[str, set[str]] = {
    "run": {"id", "name"},
    "dump": {"id", "tick"},
    "object": {"id", "path", "type"},
    "source": {"id", "kind"},
    "param": {"name", "text"},
    "connection": {"source", "source_port", "target", "target_port"},
    "link": {"sender", "sender_port", "receiver", "receiver_port"},
    "stat": {"id", "name"},
    "part": {"id", "name", "full_name"},
    "value": {"value"},
    "series": {"tick", "value"},
}
# Columns of TABLES that may be NULL, such as the source of a parameter.
OPTIONAL = {("param", "source")}
# Errors of queries of a damaged file: SQLite's message may quote bytes of the file that are not UTF-8.
SQL_ERRORS = sqlite3.Error, UnicodeDecodeError
UNSIGNED = {"seed", "address"}  # text from 2^63 on; only displayed
# Columns that name an object of the run.
PATHS = {"connection": ("source", "target"), "link": ("sender", "receiver")}
LONGEST_PATH = 1000

# Type of a column -> (condition of a wrong value, expected value)
KINDS = {
    "TEXT": ("typeof({0}) <> 'text'", "a text"),
    "INTEGER": ("typeof({0}) <> 'integer'", "a whole number"),
    "REAL": ("typeof({0}) NOT IN ('real', 'integer') OR abs({0}) > 1.7976931348623157e308", "a finite number"),
}


@functools.cache
def columns() -> dict[str, dict[str, str]]:
    """{table: {column: its type}} of this memsim's databases."""
    with contextlib.closing(sqlite3.connect(":memory:")) as database:
        database.executescript(_memsim.database_tables)
        return {
            table: {name: kind for _, name, kind, *_ in database.execute(f"PRAGMA table_info({table})")}
            for table in TABLES
        }


def check_kinds(database: sqlite3.Connection, file: str) -> None:
    """Raises Error if a view replaces a table, because it might not terminate."""
    names = ", ".join(f"'{table}'" for table in (*TABLES, *OF_STUDIES))
    for kind, name in database.execute(
        f"SELECT type, name FROM sqlite_master WHERE lower(name) IN ({names}) AND type <> 'table'"
    ):
        raise Error(f"{file}: this is no database of results: its {kind} '{name}' has the name of a table of memsim")


def check(database: sqlite3.Connection, file: str, run: str) -> None:
    """Raises Error, which names the first wrong value, if the rows of a run do not have the form that memsim writes."""
    try:
        for table in TABLES:
            _check_table(database, file, run, table)
    except SQL_ERRORS as e:
        signals.handle_interrupted_query(e)
        raise wrong(file, run, str(e)) from None


def _check_table(database: sqlite3.Connection, file: str, run: str, table: str) -> None:
    there = {row[1] for row in database.execute(f"PRAGMA table_info({table})")}
    if missing := [name for name in columns()[table] if name not in there]:
        raise wrong(file, run, f"its table {table} has no column {missing[0]}")
    conditions = _conditions(table)
    cases = " ".join(f"WHEN {condition} THEN {at}" for at, (_, condition, _) in enumerate(conditions))
    found = database.execute(
        f"SELECT * FROM (SELECT CASE {cases} END AS wrong, * FROM {table} WHERE {TABLES[table][0]}) "
        "WHERE wrong IS NOT NULL LIMIT 1",
        [json.dumps([run])],
    )
    if row := found.fetchone():
        column, _, right = conditions[row[0]]
        value = row[[name.lower() for name, *_ in found.description].index(column, 1)]
        raise wrong(file, run, f"{table}.{column} is {shown(value)}, where {right} is right")


def _conditions(table: str) -> list[tuple[str, str, str]]:
    """(column, condition of a wrong value, expected value) of a table."""
    numbers = TABLES[table][1]
    found = []
    for column, kind in columns()[table].items():
        if column not in UNSIGNED:
            condition, right = KINDS[kind]
            condition = condition.format(column)
            needed = column in NEEDED.get(table, ()) or column in numbers and (table, column) not in OPTIONAL
            found.append((column, condition if needed else f"{column} NOT NULL AND ({condition})", right))
    for column, of in numbers.items():
        if column != "id":
            rows = f"SELECT id FROM {of} WHERE {TABLES[of][0]}"
            found.append((column, f"{column} NOT IN ({rows})", f"a row of {of} of the same run"))
    for column in PATHS.get(table, ()):
        paths = f"SELECT path FROM object WHERE run IN ({RUNS})"
        found.append((column, f"{column} NOT IN ({paths})", "the path of an object"))
    if table == "object":
        found.append(("path", f"length(path) > {LONGEST_PATH}", f"a path of at most {LONGEST_PATH} characters"))
    return found


def wrong(file: str, run: str, why: str) -> Error:
    """The Error about a run whose rows memsim did not write."""
    return Error(f"{file}: run {run} cannot be read: {why}: memsim did not write this file")


def shown(value: Any) -> str:
    """A value of SQL for a message."""
    if value is None:
        return "NULL"
    if isinstance(value, bytes):
        return f"a blob of {len(value)} bytes"
    text = repr(value)
    return text if len(text) <= 60 else f"{text[:60]}..."
