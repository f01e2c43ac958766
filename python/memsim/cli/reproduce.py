"""`memsim reproduce ohm/fig16`: a paper's figures, run, drawn and judged."""

import argparse
import os
import signal
import sys

from ..errors import Error
from ..run.options import whole
from ..study import accuracy
from ..study.catalog import SCALES, chosen, listing
from ..study.reproduce import check, reproduce


def register(parser: argparse.ArgumentParser) -> None:
    parser.description = "Runs the figures of papers, draws the papers' values beside ours, and judges what they claim"
    parser.epilog = "Other options are the figures' own, such as --workloads betw back, --only, --max-instructions."
    parser.add_argument("FIGURE", nargs="*", help="such as ohm/fig16; ohm: all figures of this paper; all")
    parser.add_argument(
        "--list", action="store_true", help="name the figures, with CPU time and memory as measured before"
    )
    parser.add_argument(
        "--scale",
        choices=SCALES,
        default="quick",
        help="quick: small inputs, and of each the first 300,000 thread instructions, to see that all works "
        "(no claim is judged at it); tiny, small, default; judge: the paper's, of which some papers have half and "
        "twice (quick)",
    )
    parser.add_argument("--jobs", type=whole(1), default=os.cpu_count(), help="processes at once")
    parser.add_argument("--seeds", type=whole(1), default=1, help="run all with the seeds 1 to N; the median counts")
    parser.add_argument("-d", "--outdir", default="memsim-out/reproduce", help="where all goes (memsim-out/reproduce)")
    parser.add_argument("-q", "--quiet", action="store_true", help="print no progress")
    parser.add_argument(
        "--check",
        action="store_true",
        help="exit with 1 if a claim that was met before (docs/results) is met no more",
    )
    parser.add_argument(
        "--record",
        action="store_true",
        help="write the figures of --scale quick, or those of judge and their points, into docs/results, with what "
        "they cost, and docs/accuracy.md and the README's figures anew",
    )
    parser.add_argument(
        "--page",
        action="store_true",
        help="run nothing: write docs/accuracy.md and the README's figures from docs/results and the claims",
    )


def main(args: argparse.Namespace) -> int:
    if args.page:
        accuracy.write()
        return 0
    if args.list:
        listing(args.FIGURE, args.outdir)
        return 0
    if not args.FIGURE:
        raise Error("reproduce: name figures or papers, or all; --list shows what there is")
    todo = chosen(args.FIGURE)
    # A sweep records at which scale and on which workloads it was run.
    if args.record and not all(figure.is_sweep for figure in todo):
        if args.scale not in ("quick", "judge"):
            raise Error("--record is of --scale quick or judge: docs hold no figures of others")
        if args.others:
            raise Error(f"--record takes no options of figures: without {args.others[0]} all of their points are run")
    signal.signal(signal.SIGTERM, lambda number, frame: sys.exit(128 + number))
    found = reproduce(todo, args)
    return check(found, args.scale) if args.check else 0
