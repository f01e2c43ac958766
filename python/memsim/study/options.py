"""The options of studies, and values that follow from them."""

import argparse
from collections.abc import Iterable

from ..arguments import whole
from ..run.options import script_parser
from ..run.processes import add_jobs


def add_options(parser: argparse.ArgumentParser) -> argparse.ArgumentParser:
    """Adds the options of every study."""
    parser.add_argument(
        "--scale",
        default="default",
        help="tiny, small, default or judge; some systems also have half or twice (of judge)",
    )
    add_jobs(parser)
    parser.add_argument(
        "--max-instructions", type=whole(0), default=0, help="thread instructions per point (0: no limit)"
    )
    parser.add_argument(
        "--seeds",
        type=whole(1),
        default=1,
        help="run each point with the seeds 1 to N; a claim is judged by the median",
    )
    return parser


def jobs(doc: str) -> int:
    """Parses the only option of a study without a scale: the number of concurrent processes."""
    return int(add_jobs(script_parser(doc)).parse_args().jobs)


def limit(args: argparse.Namespace) -> list[object]:
    """The arguments with which a point's script receives --max-instructions; none if there is no limit."""
    return ["--max-instructions", args.max_instructions] if args.max_instructions else []


def preview(args: argparse.Namespace, every: Iterable[str]) -> bool:
    """Whether a study was given less than claims are judged from: a smaller scale, a part of the programs, or not
    `every` workload over which the paper averages."""
    return args.scale != "judge" or bool(args.max_instructions) or not set(every) <= set(args.workloads)
