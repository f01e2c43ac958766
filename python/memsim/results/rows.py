"""The tables of a database of results: which rows are a run's, and whether they hold what memsim writes. A file may come
from anywhere, and readers count on what is checked here."""
import contextlib
import functools
import json
import math
import sqlite3

from .. import _memsim
from ..run import signals
from ..errors import Error

# Table -> its rows of some runs (?1, as JSON), and the columns that hold numbers of which table's rows.
RUNS = "SELECT value FROM json_each(?1)"
OBJECTS = f"SELECT id FROM object WHERE run IN ({RUNS})"
STATS = f"SELECT id FROM stat WHERE object IN ({OBJECTS})"
PARTS = f"SELECT id FROM part WHERE stat IN ({STATS})"
DUMPS = f"SELECT id FROM dump WHERE run IN ({RUNS})"
LAUNCHES = f"SELECT id FROM launch WHERE run IN ({RUNS})"
TABLES = {
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
OF_STUDIES = ("point", "claim")  # tables that only studies make

# What is never NULL. Other columns may be: older versions did not write them all.
NEEDED = {
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
# Columns of TABLES that may be NULL all the same: a parameter without a source.
OPTIONAL = {("param", "source")}
UNSIGNED = {"seed", "address"}  # text from 2^63 on; they are shown and not computed with
# Columns that name an object of the run.
PATHS = {"connection": ("source", "target"), "link": ("sender", "receiver")}
LONGEST_PATH = 1000
CLAIM_NEEDS = ("id", "study", "metric", "subject", "verdict")

# Type of a column -> the condition under which a value is none of it, and what is right.
KINDS = {
    "TEXT": ("typeof({0}) <> 'text'", "a text"),
    "INTEGER": ("typeof({0}) <> 'integer'", "a whole number"),
    "REAL": ("typeof({0}) NOT IN ('real', 'integer') OR abs({0}) > 1.7976931348623157e308", "a finite number"),
}


@functools.cache
def columns():
    """{table: {column: its type}} of this memsim's databases."""
    with contextlib.closing(sqlite3.connect(":memory:")) as database:
        database.executescript(_memsim.database_tables)
        return {
            table: {name: kind for _, name, kind, *_ in database.execute(f"PRAGMA table_info({table})")}
            for table in TABLES
        }


def check_kinds(database, file):
    """Refuses a view where memsim has a table: it may have no end."""
    names = ", ".join(f"'{table}'" for table in (*TABLES, *OF_STUDIES))
    for kind, name in database.execute(
        f"SELECT type, name FROM sqlite_master WHERE lower(name) IN ({names}) AND type <> 'table'"
    ):
        raise Error(f"{file}: this is no database of results: its {kind} '{name}' stands where memsim has a table")


def check(database, file, run):
    """Refuses a run whose rows are not as memsim writes them, by the first value that is wrong."""
    try:
        for table in TABLES:
            _check_table(database, file, run, table)
    except sqlite3.Error as e:
        signals.pass_on(e)
        raise wrong(file, run, str(e)) from None


def _check_table(database, file, run, table):
    there = {row[1] for row in database.execute(f"PRAGMA table_info({table})")}
    if missing := [name for name in columns()[table] if name not in there]:
        raise wrong(file, run, f"its table {table} has no column {missing[0]}")
    own, numbers = TABLES[table]
    conditions = []  # (column, condition, what is right)
    for column, kind in columns()[table].items():
        if column in UNSIGNED:
            continue
        condition, right = KINDS[kind]
        condition = condition.format(column)
        needed = column in NEEDED.get(table, ()) or column in numbers and (table, column) not in OPTIONAL
        conditions.append((column, condition if needed else f"{column} NOT NULL AND ({condition})", right))
    for column, of in numbers.items():
        if column != "id":
            conditions.append(
                (
                    column,
                    f"{column} NOT IN (SELECT id FROM {of} WHERE {TABLES[of][0]})",
                    f"a row of {of} of the same run",
                )
            )
    for column in PATHS.get(table, ()):
        conditions.append(
            (column, f"{column} NOT IN (SELECT path FROM object WHERE run IN ({RUNS}))", "the path of an object")
        )
    if table == "object":
        conditions.append(("path", f"length(path) > {LONGEST_PATH}", f"a path of at most {LONGEST_PATH} characters"))
    cases = " ".join(f"WHEN {condition} THEN {at}" for at, (_, condition, _) in enumerate(conditions))
    found = database.execute(
        f"SELECT * FROM (SELECT CASE {cases} END AS wrong, * FROM {table} WHERE {own}) "
        "WHERE wrong IS NOT NULL LIMIT 1",
        [json.dumps([run])],
    )
    if row := found.fetchone():
        column, _, right = conditions[row[0]]
        value = row[[name.lower() for name, *_ in found.description].index(column, 1)]
        raise wrong(file, run, f"{table}.{column} is {shown(value)}, where {right} is right")


def claims(database, file):
    """The rows of the table `claim` as dicts; nothing where no study made one."""
    from ..study.verdict import COLUMNS

    there = [name for _, name, *_ in database.execute("PRAGMA table_info(claim)") if name in COLUMNS]
    if not there:
        return []
    try:
        found = database.execute(f"SELECT {', '.join(there)} FROM claim ORDER BY study, id").fetchall()
    except sqlite3.Error as e:
        signals.pass_on(e)
        raise Error(f"{file}: its claims cannot be read: {e}") from None
    for row in found:
        for column, value in zip(there, row):
            kind = COLUMNS[column].partition(" ")[0]
            right = (
                isinstance(value, str) if kind == "TEXT" else isinstance(value, (int, float)) and math.isfinite(value)
            )
            if not right and (value is not None or column in CLAIM_NEEDS):
                raise Error(
                    f"{file}: its claims cannot be read: claim.{column} is {shown(value)}, where {KINDS[kind][1]} is "
                    "right: memsim did not write the file so"
                )
    if missing := [name for name in CLAIM_NEEDS if name not in there]:
        raise Error(f"{file}: its claims cannot be read: the table claim has no column {missing[0]}")
    return [dict.fromkeys(COLUMNS) | dict(zip(there, row)) for row in found]


def wrong(file, run, why):
    """The sentence about a run that memsim did not write so."""
    return Error(f"{file}: run {run} cannot be read: {why}: memsim did not write the file so")


def shown(value):
    """A value of SQL in a sentence."""
    if value is None:
        return "NULL"
    if isinstance(value, bytes):
        return f"a blob of {len(value)} bytes"
    text = repr(value)
    return text if len(text) <= 60 else f"{text[:60]}..."
