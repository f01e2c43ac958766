"""The table `claim` of a database: our figures for the claims of papers, written only by studies."""
import math
import sqlite3
from typing import Any

from ..errors import Error
from . import rows
from ..run import signals

# Its columns, in order, with their types. `lowest` and `highest` are over the seeds.
COLUMNS = {
    "id": "TEXT PRIMARY KEY",
    "study": "TEXT",
    "metric": "TEXT",
    "subject": "TEXT",
    "baseline": "TEXT",
    "relation": "TEXT",
    "unit": "TEXT",
    "label": "TEXT",
    "stated_in": "TEXT",
    "paper": "REAL",
    "ours": "REAL",
    "lowest": "REAL",
    "highest": "REAL",
    "seeds": "INTEGER",
    "relative_error": "REAL",
    "effect_share": "REAL",
    "comparison": "TEXT",
    "verdict": "TEXT",
    "deviation": "TEXT",
    "judged": "TEXT",
}
NEEDED = ("id", "study", "metric", "subject", "verdict")  # never NULL
CHANGES = "gain", "reduction", "ratio"  # relations that state a change from 1


def stated(relation: str | None, value: str) -> str:
    """The paper's figure as text, such as 'below 100'."""
    return f"{relation} {value}" if relation in ("above", "below") else value


def unit_of(relation: str | None, unit: str | None) -> str:
    """The unit of a claim's figures. Papers state changes in percent; they are compared as ratios, '×'."""
    if relation in CHANGES or unit == "x":
        return "×"
    return "" if unit is None or unit in ("count", "ratio") else unit


def read(database: sqlite3.Connection, file: str) -> list[dict[str, Any]]:
    """The rows of the table, {column: value}; [] if no study has made one. A column that the table lacks is None.

    Raises Error if a row is not as memsim writes it.
    """
    there = [name for _, name, *_ in database.execute("PRAGMA table_info(claim)") if name in COLUMNS]
    if not there:
        return []
    unreadable = f"{file}: its claims cannot be read"
    try:
        found = database.execute(f"SELECT {', '.join(there)} FROM claim ORDER BY study, id").fetchall()
    except rows.SQL_ERRORS as e:
        signals.handle_interrupted_query(e)
        raise Error(f"{unreadable}: {e}") from None
    for row in found:
        for column, value in zip(there, row):
            kind = COLUMNS[column].partition(" ")[0]
            right = (
                isinstance(value, str) if kind == "TEXT" else isinstance(value, (int, float)) and math.isfinite(value)
            )
            if not right and (value is not None or column in NEEDED):
                raise Error(
                    f"{unreadable}: claim.{column} is {rows.shown(value)}, where {rows.KINDS[kind][1]} is "
                    "right: memsim did not write this file"
                )
    if missing := [name for name in NEEDED if name not in there]:
        raise Error(f"{unreadable}: the table claim has no column {missing[0]}")
    return [dict.fromkeys(COLUMNS) | dict(zip(there, row)) for row in found]
