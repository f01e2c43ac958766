"""The options that studies have, and what follows from them."""

import argparse
import os
from collections.abc import Iterable

from ..run.options import script_parser, whole


def add_jobs(parser: argparse.ArgumentParser) -> argparse.ArgumentParser:
    """The option of a study for how many processes it runs at once."""
    parser.add_argument("--jobs", type=whole(1), default=os.cpu_count(), help="processes at once")
    return parser


def add_options(parser: argparse.ArgumentParser) -> argparse.ArgumentParser:
    """The options that every study has."""
    parser.add_argument(
        "--scale",
        default="default",
        help="tiny, small, default or judge; some systems also have half or twice (of judge)",
    )
    add_jobs(parser)
    parser.add_argument(
        "--max-instructions", type=whole(0), default=0, help="thread instructions of a point (0: to its end)"
    )
    parser.add_argument(
        "--seeds",
        type=whole(1),
        default=1,
        help="run each point with the seeds 1 to N; a claim is judged by the median",
    )
    return parser


def jobs(doc: str) -> int:
    """The only option of a study whose points have no scale: how many processes it runs at once."""
    return int(add_jobs(script_parser(doc)).parse_args().jobs)


def limit(args: argparse.Namespace) -> list[object]:
    """The arguments of a point's script that pass --max-instructions on; none where there is no limit."""
    return ["--max-instructions", args.max_instructions] if args.max_instructions else []


def preview(args: argparse.Namespace, every: Iterable[str]) -> bool:
    """Whether what a study was given is less than a claim is judged from: a smaller scale, less of the
    programs, or not `every` workload over which the paper averages."""
    return args.scale != "judge" or bool(args.max_instructions) or not set(every) <= set(args.workloads)
