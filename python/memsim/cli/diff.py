"""`memsim diff A B`: the parameters and statistics in which two runs differ."""

import argparse

from ..arguments import whole
from ..results import diff


def register(parser: argparse.ArgumentParser) -> None:
    parser.description = (
        "The parameters and statistics in which two runs differ, with the difference; largest change first"
    )
    for name in "A", "B":
        parser.add_argument(
            name,
            help="an output directory or database (its latest run), DB:RUN, or a run of memsim-out; "
            "the first letters of a run's id suffice",
        )
    parser.add_argument(
        "--most", type=whole(0), default=40, metavar="N", help="the number of parameters and of statistics (40; 0: all)"
    )
    parser.add_argument("--match", default="", metavar="TEXT", help="only names that contain this, such as l2")


def main(args: argparse.Namespace) -> None:
    diff.show(args.A, args.B, args.most, args.match)
