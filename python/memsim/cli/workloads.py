"""`memsim workloads`: lists the catalogue, counts the memory operations of each workload, and compares its result with
that of a plain program."""

import argparse
from typing import Any

from ..arguments import whole
from ..model.workloads import Job, chosen, longest_first, profiles
from ..run.processes import add_jobs

HEADING = (
    f"{'name':14} {'footprint':>10} {'launches':>8} {'instructions':>12} {'read ratio':>10} "
    f"{'APKI':>6}  papers' tables"
)


def row(w: dict[str, Any], p: dict[str, Any]) -> str:
    """The line of a workload of the catalogue, with its counts."""
    return (
        f"{w['names'][0]:14} {p['footprint'] / 1024:>6.0f} KiB {p['launches']:>8} "
        f"{p['thread_instructions']:>12} {p['read_ratio']:>10.3f} {p['apki']:>6.0f}  {w['tables']}"
    )


def register(parser: argparse.ArgumentParser) -> None:
    parser.set_defaults(refuse=parser.error)
    parser.description = (
        "The workloads by name: footprint, launches, thread instructions, read ratio and "
        "accesses per thousand warp instructions, all counted without timing."
    )
    parser.add_argument("NAME", nargs="*", help="workloads (all)")
    parser.add_argument("--check", action="store_true", help="compare each result with that of a plain program")
    parser.add_argument(
        "--graph",
        metavar="FILE",
        action="append",
        default=[],
        help="run the workloads that read a graph on this one (repeatable). Formats: "
        " SNAP, DIMACS or PACE .gr, MatrixMarket, Rodinia, CSR1; gzip, xz",
    )
    parser.add_argument("--size", type=whole(1), help="the size (the small one of the tests)")
    parser.add_argument("--full", action="store_true", help="use the default sizes")
    parser.add_argument("--describe", action="store_true", help="only describe them")
    add_jobs(parser)


def main(args: argparse.Namespace) -> int:
    every = chosen(args.NAME, bool(args.graph))
    if args.describe:
        for w in every:
            print(
                f"{', '.join(w['names'])}\n    {w['doc']}.\n    size: {w['size_is']}, from "
                f"{w['least']} to {w['most']}, default {w['size']}\n    reads: {w['reads'] or 'no file'}\n"
                f"    named in: {w['tables']}"
            )
        return 0
    if args.graph and (args.size or args.full):
        args.refuse("--graph takes neither --size nor --full: a file has its own size")
    if args.size and args.full:
        args.refuse("--size and --full are two sizes: leave one out")
    sizes = [args.size or w["size" if args.full else "check_size"] for w in every]
    jobs: list[Job] = [(w["names"][0], size, args.check) for w, size in zip(every, sizes)]
    jobs = [(*job, ("input", file)) for file in args.graph for job in jobs] or jobs
    print(HEADING)
    wrong = 0
    first = longest_first(every, args.jobs) if args.full and args.jobs > 1 else None
    for i, p in enumerate(profiles(jobs, args.jobs, first)):
        if args.graph and i % len(every) == 0:
            print(f"{args.graph[i // len(every)]}:")
        print(row(every[i % len(every)], p), flush=True)
        if p["difference"]:
            wrong += 1
            print(f"    WRONG: {p['difference']}")
    if args.check:
        print(f"{len(jobs) - wrong} of {len(jobs)} workloads give the results of their references")
    return 1 if wrong else 0
