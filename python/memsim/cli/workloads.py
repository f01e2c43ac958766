"""`memsim workloads`: what the catalogue holds, what each workload does to memory, and whether it
computes what a plain program computes."""
import argparse
import multiprocessing
import os
import signal
from concurrent.futures import ProcessPoolExecutor

from .. import _memsim
from ..errors import Error, did_you_mean
from ..run.options import whole

TYPE = "workload.Program"


def profile(name, size=0, check=False, **params):
    """What a workload does, counted over its whole instruction stream without any timing: a dict of
    counts, `read_ratio` (requests after the coalescer, atomics being reads as they are loads of a
    kind), `apki` (requests per thousand instructions of warps) and, if checked, `difference`."""
    given = [("name", name), ("size", str(size))] + [(k, str(v)) for k, v in params.items()]
    prepared = _memsim.Prepared(TYPE, given)
    counts = prepared.profile()
    requests = sum(counts[kind] for kind in REQUESTS)
    reads = requests - counts["store_requests"]
    counts["name"], counts["requests"] = name, requests
    counts["read_ratio"] = reads / requests if requests else 0
    counts["apki"] = 1000 * requests / counts["warp_instructions"]
    counts["difference"] = prepared.difference() if check else ""
    return counts


REQUESTS = "load_requests", "store_requests", "atomic_requests"


def names(of=""):
    """Every name, or those of the workloads whose size counts these things ('vertices': graphs)."""
    return [name for w in _memsim.workloads() if of in w["size_is"] for name in w["names"]]


def reads_graphs(w):
    """Whether this entry of the catalogue reads a graph."""
    return w["reads"] == "a graph"


def chosen(names, of_graphs=False):
    """The catalogue's entries under these names, all without one; or those alone that read graphs."""
    every = _memsim.workloads()
    if not names:
        return [w for w in every if reads_graphs(w) or not of_graphs]
    by_name = {name: w for w in every for name in w["names"]}
    for name in names:
        if name not in by_name:
            raise Error(
                f"there is no workload '{name}'{did_you_mean(name, list(by_name))}; " "`memsim workloads` lists them"
            )
        if of_graphs and not reads_graphs(by_name[name]):
            raise Error(f"{name} reads no graph: leave it out, or --graph")
    return [by_name[name] for name in names]


def profiles(jobs, processes, first=None):
    """profile(*job) of each, in order, in parallel processes; those go `first` whose numbers in
    the list are named first."""
    before = signal.signal(signal.SIGTERM, _end_with_children)
    try:
        with ProcessPoolExecutor(processes, initializer=_die_at_once) as pool:
            futures = {i: pool.submit(_profile, jobs[i]) for i in first or range(len(jobs))}
            for i in range(len(jobs)):
                yield futures[i].result()
    finally:
        signal.signal(signal.SIGTERM, before)


def _end_with_children(number, frame):
    for child in multiprocessing.active_children():
        child.terminate()
    raise SystemExit(128 + number)


def _die_at_once():
    """A worker is in C++ for minutes, where Python would serve no signal."""
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, signal.SIG_DFL)


def longest_first(every, processes):
    """The numbers of these workloads, those first that do most at their small sizes, so that none
    of them is left for the end alone."""
    jobs = [(w["names"][0], w["check_size"], False) for w in every]
    work = [p["thread_instructions"] for p in profiles(jobs, processes)]
    return sorted(range(len(every)), key=lambda i: -work[i])


def _profile(job):
    return profile(*job[:3], **dict(job[3:]))


HEADING = (
    f"{'name':14} {'footprint':>10} {'launches':>8} {'instructions':>12} {'read ratio':>10} "
    f"{'APKI':>6}  papers' tables"
)


def row(w, p):
    return (
        f"{w['names'][0]:14} {p['footprint'] / 1024:>6.0f} KiB {p['launches']:>8} "
        f"{p['thread_instructions']:>12} {p['read_ratio']:>10.3f} {p['apki']:>6.0f}  {w['tables']}"
    )


def main(argv):
    p = argparse.ArgumentParser(
        prog="memsim workloads",
        allow_abbrev=False,
        description="The workloads by name: footprint, launches, instructions of threads, read ratio and "
        "accesses per thousand instructions of warps, all counted without timing.",
    )
    p.add_argument("NAME", nargs="*", help="only these")
    p.add_argument("--check", action="store_true", help="compare each one's result with that of a plain program")
    p.add_argument(
        "--graph",
        metavar="FILE",
        action="append",
        default=[],
        help="run the workloads that read a graph on this one (repeatable), in any format "
        "that is read: SNAP, DIMACS or PACE .gr, MatrixMarket, Rodinia, CSR1; gzip, xz",
    )
    p.add_argument("--size", type=int, help="instead of the small size that --check's tests use")
    p.add_argument("--full", action="store_true", help="at the default sizes")
    p.add_argument("--describe", action="store_true", help="only say what they are")
    p.add_argument("--jobs", type=whole(1), default=os.cpu_count(), help="processes")
    args = p.parse_args(argv)
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
        p.error("--graph takes neither --size nor --full: a file has its own size")
    sizes = [args.size or w["size" if args.full else "check_size"] for w in every]
    jobs = [(w["names"][0], size, args.check) for w, size in zip(every, sizes)]
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
        print(f"{len(jobs) - wrong} of {len(jobs)} workloads compute what their references compute")
    return 1 if wrong else 0
