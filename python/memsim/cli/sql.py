"""`memsim sql DB QUERY`: prints the rows of a query."""

import argparse
import sqlite3
import sys

from ..errors import Error, legible
from ..results.database import connect, why_refused


def register(parser: argparse.ArgumentParser) -> None:
    parser.description = "Query a database of results; prints tab-separated rows"
    parser.add_argument("DB", help="the file, or an output directory with its stats.db")
    parser.add_argument("QUERY", help="such as 'SELECT * FROM result'; docs/database.md describes tables and views")


def main(args: argparse.Namespace) -> None:
    database = connect(args.DB)
    try:
        cursor = database.execute(args.QUERY)
        if cursor.description:
            print(*(column[0] for column in cursor.description), sep="\t")
        for row in cursor:
            print(*map(_cell, row), sep="\t")
    except (sqlite3.Error, sqlite3.Warning) as e:
        raise Error(f"{args.DB}: {why_refused(e, database)}") from None


def _cell(value: object) -> object:
    """A value as text. Values are REAL in the database; integral values are printed without a fraction."""
    if isinstance(value, float) and value.is_integer() and abs(value) < 2**53:
        return int(value)
    return "" if value is None else legible(value) if isinstance(value, str) and sys.stdout.isatty() else value
