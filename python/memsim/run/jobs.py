"""How many processes run at once."""

import argparse
import os

from .options import whole


def cores() -> int:
    """The cores that this process may use: fewer than the computer's under taskset or Slurm."""
    return len(os.sched_getaffinity(0))


def add_jobs(parser: argparse.ArgumentParser) -> argparse.ArgumentParser:
    """Adds the option for the number of concurrent processes."""
    parser.add_argument("--jobs", type=whole(1), default=cores(), help="number of concurrent processes")
    return parser
