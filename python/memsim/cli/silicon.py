"""`memsim silicon CHIP`: microbenchmarks of a preset, compared with measured figures of the chip."""

import argparse
from pathlib import Path

from ..errors import check_known
from ..run.processes import add_jobs


def register(parser: argparse.ArgumentParser) -> None:
    parser.description = (
        "Runs microbenchmarks on a preset of systems.v100(), a100() or h100() and prints each figure with the "
        "measured one of the chip, with the difference. Figures from which the preset's parameters were inferred "
        "are marked as used."
    )
    parser.add_argument("CHIP", nargs="?", help="such as h100-sxm; without it: lists the chips")
    parser.add_argument("--only", metavar="BENCHMARK", action="append", help="only this benchmark (repeatable)")
    add_jobs(parser)
    parser.add_argument("--write", metavar="FOLDER", type=Path, help="write the table as a page, with a plot")


def main(args: argparse.Namespace) -> int:
    from ..silicon import comparison
    from ..silicon.benchmarks import BENCHMARKS
    from ..silicon.points import chips, points_of

    if not args.CHIP:
        for name, benchmark in BENCHMARKS.items():
            print(f"{name:14} {benchmark.what}, in {benchmark.unit}")
        print("Chips with measured figures: " + ", ".join(chips()))
        return 0
    for name in args.only or ():
        check_known("benchmark", name, BENCHMARKS)
    points = [p for p in points_of(args.CHIP) if not args.only or p.benchmark in args.only]
    print(comparison.HEADING)
    rows = []
    for row in comparison.compare(points, args.jobs):
        print(comparison.line(row), flush=True)
        rows.append(row)
    print(comparison.summary(rows))
    if args.write:
        print(f"written: {comparison.write(args.CHIP, rows, args.write)}")
    return 0
