"""`memsim plot KIND DB -o FILE`: the usual figures of a database."""

import argparse
from collections.abc import Callable
from typing import Any

from ..results import figures, plot
from ..results.database import Results


def register(parser: argparse.ArgumentParser) -> None:
    parser.description = "Draw common figures of a database"
    kinds = parser.add_subparsers(dest="kind", required=True, metavar="KIND")

    by = "--by", "platform", "the argument of the scripts that distinguishes the runs, or script"
    _add_kind(
        kinds,
        figures.bars,
        "A statistic's last value as bars: a group for each workload, a bar for each platform, the mean of its seeds",
        (
            "--statistic",
            "gpu.dispatcher.ipc",
            "the path and name of the statistic, with [*] for all elements: counts are added "
            "up, other values averaged",
        ),
        by,
        ("--over", "", "the argument of the scripts that groups the bars, or script (workload, if runs have one)"),
        ("--relative-to", "", "the platform that is 1; adds the geometric mean of all groups"),
    )
    _add_kind(
        kinds,
        figures.series,
        "Samples over simulated time",
        ("--statistic", "*", "the path and name, with [*] for every index"),
        ("--run", "", "the first letters of the run's id; without it the latest"),
    )
    _add_kind(
        kinds,
        figures.latency,
        "Latency over bandwidth, a point for each run",
        ("--by", "script", by[2]),
        ("--bandwidth", "dram.bandwidth", "the path and name of the statistic on the x axis"),
        ("--latency", "dram.read_latency.mean", "the path and name of the statistic on the y axis"),
    )
    _add_kind(
        kinds,
        figures.stages,
        "The stages of a request as a stacked bar for each run; with --by a bar for each of its values, the mean "
        "of its seeds",
        ("--by", "", by[2]),
    )


def _add_kind(
    kinds: Any, act: Callable[[Results, argparse.Namespace], plot.Place], doc: str, *options: tuple[str, str, str]
) -> None:
    """Adds a kind of figure; `options` are (name, default, meaning)."""
    k = kinds.add_parser(act.__name__, help=doc, description=doc, allow_abbrev=False)
    k.add_argument("DB", help="the file, or an output directory with its stats.db")
    for name, default, what in options:
        k.add_argument(name, default=default, help=what + (f" ({default})" if default else ""))
    if act is not figures.series:
        k.add_argument(
            "--only",
            action="append",
            default=[],
            metavar="NAME=VALUE",
            help="only the runs that have this argument (repeatable)",
        )
    if act is not figures.stages:
        k.add_argument("--log", action="store_true", help="a logarithmic axis for the values")
    k.add_argument(
        "-o",
        "--output",
        metavar="FILE",
        default=f"{act.__name__}.svg",
        help=f"its ending selects the format: {', '.join(plot.ENDINGS)} ({act.__name__}.svg)",
    )
    k.set_defaults(act=act)


def main(args: argparse.Namespace) -> None:
    print(args.act(Results(args.DB), args))
