"""`memsim report DB RUN...`: a run as one HTML file."""

import argparse

from ..results.report import page
from ..results.report.output import write
from ..results.report.run_data import open_runs


def register(parser: argparse.ArgumentParser) -> None:
    parser.description = (
        "Write a page of a run: machine, stages, series, statistics, parameters, a comparison with other runs, claims. "
        "One HTML file for any browser"
    )
    parser.add_argument("DB", help="the database, or an output directory with its stats.db")
    parser.add_argument(
        "RUN",
        nargs="*",
        default=[],
        help="the run of the page, and runs to compare with it: ids or their first digits "
        f"(the latest, and the {page.MOST_RUNS - 1} of the same script before it)",
    )
    parser.add_argument("-o", "--output", metavar="FILE", help="the page (report.html beside the database)")


def main(args: argparse.Namespace) -> None:
    runs = open_runs(args.DB, args.RUN)
    if not args.RUN:
        runs = [run for run in runs if run.info["name"] == runs[0].info["name"]][: page.MOST_RUNS]
    for run in runs:
        run.check()
    write(args.DB, args.output, "report.html", page.report(args.DB, runs))
