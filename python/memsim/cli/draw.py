"""`memsim draw DB RUN`: the machine of a run as a diagram."""

import argparse

from ..errors import Error, did_you_mean
from ..results.report.diagram import Diagram
from ..results.report.output import write
from ..results.report.run_data import open_runs


def register(parser: argparse.ArgumentParser) -> None:
    parser.description = "Draw the machine of a run as SVG: its objects and the links between them"
    parser.add_argument("DB", help="the database, or an output directory with its stats.db")
    parser.add_argument("RUN", nargs="?", help="the run's id or its first digits (the latest)")
    parser.add_argument(
        "--open",
        metavar="GROUP",
        action="append",
        default=[],
        help="show each object of a list, such as gpu.sm (repeatable)",
    )
    parser.add_argument("--open-all", action="store_true", help="show each object of every list")
    parser.add_argument("-o", "--output", metavar="FILE", help="the drawing (machine.svg beside the database)")


def main(args: argparse.Namespace) -> None:
    run = open_runs(args.DB, [args.RUN] if args.RUN else [])[0]
    run.check()
    diagram = Diagram(run)
    opened = {name if name.endswith("[*]") else f"{name}[*]" for name in args.open}
    for group in opened - diagram.open_all():
        raise Error(
            f"this machine has no list {group.removesuffix('[*]')}"
            f"{did_you_mean(group, diagram.groups)}: it has {', '.join(diagram.groups) or 'none'}"
        )
    write(args.DB, args.output, "machine.svg", diagram.svg(diagram.open_all() if args.open_all else opened))
