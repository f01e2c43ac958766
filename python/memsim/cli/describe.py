"""`memsim describe`: the declarations of a component type, the meaning of a name, or the assumptions of a paper's
machines."""

import argparse

from ..model import reference


def register(parser: argparse.ArgumentParser) -> None:
    parser.set_defaults(refuse=parser.error)
    parser.description = (
        "The declaration of a component type, the meaning of a name, or the assumptions of a paper's machines"
    )
    what = parser.add_mutually_exclusive_group(required=True)
    what.add_argument(
        "TYPE",
        nargs="?",
        help="such as mem.Cache (--list-sim-objects lists them), or a policy, a table or a workload: lru, hbm2, z_nand",
    )
    what.add_argument(
        "--assumptions", metavar="PAPER", help="the assumed values of a paper's machines, or of a database's last run"
    )
    parser.add_argument(
        "--write", metavar="PAGE", default="", help="with --assumptions: write the table into this page"
    )


def main(args: argparse.Namespace) -> None:
    if args.assumptions:
        from .generated import assumptions  # imports all machines of a paper

        assumptions.main(args.assumptions, args.write)
        return
    if args.write:
        args.refuse("--write writes the table of --assumptions: leave it out")
    reference.describe(args.TYPE)
