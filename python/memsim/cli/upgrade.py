"""`memsim upgrade DB`: converts a database to the tables of this memsim."""

import argparse

from .. import _memsim
from ..results.database import connect


def register(parser: argparse.ArgumentParser) -> None:
    parser.description = "Convert a database of an older memsim to the tables of this version"
    parser.add_argument(
        "DB", help="the file, or an output directory with its stats.db; older versions cannot write it afterwards"
    )


def main(args: argparse.Namespace) -> None:
    file = connect(args.DB).execute("PRAGMA database_list").fetchone()[2]
    _memsim.Database(file)
    print(f"{args.DB}: its tables have version {_memsim.database_version}")
