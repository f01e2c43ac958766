"""`memsim reproduce ohm/fig16`: a paper's figures, run, drawn and judged."""

import argparse
import signal
import sys

from ..arguments import whole
from ..errors import Error
from ..run.processes import add_jobs
from ..study import accuracy
from ..study.catalog import SCALES, chosen, listing
from ..study.command import check_options
from ..study.reproduce import check, reproduce


def register(parser: argparse.ArgumentParser) -> None:
    parser.description = "Run the figures of papers, draw the papers' values beside ours, and judge the claims"
    parser.epilog = "Other options are the figures' own, such as --workloads betw back, --only, --max-instructions."
    parser.add_argument("FIGURE", nargs="*", help="such as ohm/fig16; ohm: all figures of this paper; all")
    parser.add_argument("--list", action="store_true", help="list the figures with their measured CPU time and memory")
    parser.add_argument(
        "--scale",
        choices=SCALES,
        default="quick",
        help="quick: small inputs and the first 300,000 thread instructions of each run, a check without verdicts; "
        "tiny, small, default; judge: the paper's scale; half and twice of it in some papers (quick)",
    )
    add_jobs(parser)
    parser.add_argument(
        "--seeds", type=whole(1), default=1, help="run all points with the seeds 1 to N; the median is judged"
    )
    parser.add_argument(
        "-d", "--outdir", default="memsim-out/reproduce", help="the output directory (memsim-out/reproduce)"
    )
    parser.add_argument("-q", "--quiet", action="store_true", help="print no progress")
    parser.add_argument(
        "--check",
        action="store_true",
        help="exit with 1 if a claim that docs/results records as met is not met",
    )
    parser.add_argument(
        "--record",
        action="store_true",
        help="write the figures of --scale quick, half or twice, or those of judge and their points, into "
        "docs/results, with their cost, and docs/accuracy.md and the README's figures",
    )
    parser.add_argument(
        "--envelope",
        action="store_true",
        help="then run each assumption of the machines alone: the least and greatest value of each claim, and the "
        "assumption that moves it most; --record writes these alone, into docs/results/<paper>/sensitivity.csv",
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
    if args.envelope and (fixed := [f.name for f in todo if f.is_sweep or not f.takes_a_scale]):
        raise Error(f"--envelope is of figures that are run at a scale, without a sweep of their own: {fixed[0]}")
    # A sweep records at which scale and on which workloads it was run.
    if args.record and not args.envelope and not all(figure.is_sweep for figure in todo):
        if args.scale not in ("quick", "half", "judge", "twice"):
            raise Error("--record is of --scale quick, half, judge or twice: docs hold no figures of others")
        if args.others:
            raise Error(f"--record takes no options of figures: without {args.others[0]} all of their points are run")
    if args.others:
        scaled = [figure.name for figure in todo if figure.takes_a_scale]
        if not scaled:
            raise Error(f"{todo[0].name} has no options of its own: leave out {args.others[0]}")
        check_options(scaled, [*args.others, *["--envelope"] * args.envelope])
    signal.signal(signal.SIGTERM, lambda number, frame: sys.exit(128 + number))
    found = reproduce(todo, args)
    return check(found, args.scale) if args.check else 0
