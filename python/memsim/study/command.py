"""Runs one figure of a paper as given on the command line: main("zng/fig10", ["--scale", "small"])."""

import argparse
from collections.abc import Sequence
from typing import Any

from ..arguments import whole
from ..errors import Error
from ..run.options import script_parser
from ..run.processes import add_jobs
from . import sensitivity
from .figure import Figure
from .options import add_options
from .paper import Paper, figure_of
from .tables import FigureTable, Option


def main(name: str, argv: Sequence[str]) -> None:
    """Runs a figure with its options, prints its tables and verdicts, and stores them."""
    found = figure_of(name)
    if not found:
        raise Error(f"there is no figure '{name}': memsim reproduce --list lists them")
    paper, table = found
    fig = Figure(paper, table, parsed(paper, table, argv))
    swept = sensitivity.of_figure(fig) if getattr(fig.args, "envelope", False) else None
    carry_out(fig)
    if swept:
        sensitivity.carry_out(swept)


def check_options(names: Sequence[str], argv: Sequence[str]) -> None:
    """Ends with an error message if one of these figures does not accept the options, before any of them runs."""
    for name in names:
        if found := figure_of(name):
            parsed(*found, argv)


def carry_out(fig: Figure) -> None:
    """Adds the points of the table, runs, shows, judges and closes."""
    table = fig.table_of
    for points in table.points:
        fig.add(points)
    if table.sweep:
        sensitivity.carry_out(fig)
    elif table.special:
        fig.paper.special(table.special, fig.paper.place(fig.name))(fig)
    else:
        fig.run()
        fig.show_all()
        fig.judge(*table.claims)
    fig.close()
    if table.after:
        fig.paper.special(table.after, fig.paper.place(fig.name))(fig)
    left = set(table.claims) - {v.claim.id for v in fig.verdicts}
    if left and not table.sweep:
        raise Error(f"{fig.paper.name}/{fig.name}: special.py does not judge {', '.join(sorted(left))}")


def parsed(paper: Paper, table: FigureTable, argv: Sequence[str]) -> argparse.Namespace:
    """The options of a figure: those of all studies, of the paper and of the figure."""
    parser = script_parser(table.doc)
    parser.prog = f"memsim reproduce {paper.name}/{table.name}"
    if not table.scaled:
        add_jobs(parser)
        return parser.parse_args(argv)
    add_options(parser)
    every = paper.workloads(table.workloads or paper.table.workloads, paper.place(table.name))
    parser.add_argument("--workloads", nargs="+", default=every, metavar="NAME", help=f"such as {', '.join(every)}")
    for option, given in {**paper.table.options, **table.options}.items():
        _add_option(parser, option, given)
    if not table.sweep:
        parser.add_argument(
            "--envelope", action="store_true", help="then run each assumption alone, and store the claims' envelopes"
        )
    parser.add_argument(
        "--only", nargs="+", metavar="NAME", help="assumptions that a sweep takes; without: all of the paper"
    )
    args = parser.parse_args(argv)
    sweeps = table.sweep or args.envelope
    if args.only and not sweeps:
        parser.error("--only names assumptions of a sweep: write it with --envelope")
    if args.only is None and sweeps:
        args.only = list(dict.fromkeys(a.name for a in paper.variants))
    for workload in args.workloads:
        if workload not in every:  # workloads of another paper are known to that paper only
            paper.check_workload(workload)
    args.all_workloads = every  # the workloads over which the paper averages
    return args


def _add_option(parser: argparse.ArgumentParser, name: str, option: Option) -> None:
    default = option.default
    first = default[0] if isinstance(default, list) and default else default
    kind: Any = whole(0) if first is None or isinstance(first, int) else type(first)
    more: dict[str, Any] = {"nargs": "+"} if isinstance(default, list) else {}
    if option.choices:
        more["choices"] = option.choices
    parser.add_argument(f"--{name}", type=kind, default=default, help=option.help, **more)
