"""`memsim across`: ways to a larger GPU memory on equal work."""

import argparse
from pathlib import Path

from ..arguments import whole
from ..errors import check_known, user_error
from ..run.processes import add_jobs
from ..run.session import session


def register(parser: argparse.ArgumentParser) -> None:
    parser.description = (
        "Runs a decode step of a language model on a share of an H100 whose data exceed its local memory up to 16 "
        "times, over each way to a larger memory: High Bandwidth Flash beside or behind the HBM, host memory over "
        "NVLink-C2C or PCIe, CXL memory, SSDs, and the memories of CXL-GPU, Ohm-GPU, ZnG and SAP; WAY+cmd has CMD's "
        "deduplication before it. Prints performance, energy, endurance and dollars, and what follows from them. A "
        "signal saves the running points; the same command continues, and runs no finished point again."
    )
    parser.add_argument("--scale", default="quick", help="quick (minutes) or default (an hour)")
    parser.add_argument("--way", metavar="WAY", action="append", help="only this way (repeatable)")
    parser.add_argument("--ratio", metavar="N", type=whole(1), action="append", help="only this ratio (repeatable)")
    parser.add_argument("-d", "--outdir", default="memsim-out/across", help="its runs (memsim-out/across)")
    parser.add_argument("-q", "--quiet", action="store_true", help="print no progress")
    add_jobs(parser)
    parser.add_argument("--at", type=whole(2), default=8, help="ratio of the cut at equal capacity, and of --envelope")
    parser.add_argument(
        "--budget", metavar="DOLLARS", type=whole(1), action="append", help="cut at equal cost (repeatable)"
    )
    parser.add_argument(
        "--envelope", action="store_true", help="run the assumptions at their other values: which orders they turn"
    )
    parser.add_argument("--write", metavar="FOLDER", type=Path, help="write the tables as a page, with a plot")


def main(args: argparse.Namespace) -> int:
    from ..across import envelope, page, points, runs, sections
    from ..across.ways import DEFAULT, KNOWN

    check_known("scale", args.scale, points.SCALES)
    for name in args.way or ():
        check_known("way", name, KNOWN)
    ratios = args.ratio or points.RATIOS
    if args.envelope and args.at not in ratios:
        raise user_error(f"--envelope compares the ways at {args.at} with their rows: add --ratio {args.at}")
    session.options.verbosity = -args.quiet
    rows = runs.rows(args.scale, args.way or DEFAULT, ratios, args.outdir, args.jobs)
    print(page.HEADING, *map(page.line, rows), sep="\n", flush=True)
    around = envelope.envelope(args.scale, rows, args.at, args.outdir, args.jobs) if args.envelope else None
    cut = page.Cut(args.at, args.budget or page.BUDGETS, around)
    if args.write:
        print(f"written: {page.write(args.scale, rows, args.write, cut)}")
    elif lines := sections.findings(rows, args.at, around) + sections.envelope(around):
        print("", *lines, sep="\n")
    return 0
