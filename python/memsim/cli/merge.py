"""`memsim merge INTO.db FROM.db...`: the runs of several databases in one."""

import argparse

from ..study.merge import merge


def register(parser: argparse.ArgumentParser) -> None:
    parser.description = (
        "Copy the runs of databases into one, which is created if it does not exist. A run that exists, or a finished "
        "one with the same configuration and digest, is not copied."
    )
    parser.add_argument("INTO", help="the database that receives the runs")
    parser.add_argument("FROM", nargs="+", help="a database, or an output directory with its stats.db")


def main(args: argparse.Namespace) -> None:
    copied, known = merge(args.INTO, args.FROM)
    print(f"{copied} run{'s' if copied != 1 else ''} copied into {args.INTO}, {known} existed")
