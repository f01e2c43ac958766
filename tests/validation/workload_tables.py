"""The papers' workload tables compared with our workloads.

    cd tests; PYTHONPATH=../build/python /usr/bin/python3 -m validation.workload_tables --generator grid

Counted over the whole instruction streams, without any timing. --size is that of graphs (2^size
vertices); the others have the small sizes of the tests, or with --full their defaults.
"""
import argparse
import os
from concurrent.futures import ProcessPoolExecutor

from memsim import _memsim
from memsim.model import workloads
from validation import document

HEADING = "Workloads: the papers' tables"

# Our name, the paper's name, its read ratio, its number of kernels.
ZNG = [
    ("betw", "betw", 0.98, 11),
    ("bfs1", "bfs1", 0.95, 7),
    ("bfs2", "bfs2", 0.99, 9),
    ("bfs3", "bfs3", 0.88, 10),
    ("bfs4", "bfs4", 0.97, 12),
    ("bfs5", "bfs5", 0.99, 6),
    ("bfs6", "bfs6", 0.97, 7),
    ("gc1", "gc1", 0.98, 8),
    ("gc2", "gc2", 0.99, 10),
    ("sssp3", "sssp3", 0.98, 8),
    ("deg", "deg", 1.00, 1),
    ("pr", "pr", 0.99, 53),
    ("back", "back", 0.57, 1),
    ("gaus", "gaus", 0.66, 3),
    ("FDT", "FDT", 0.73, 1),
    ("gram", "gram", 0.75, 3),
]
# Accesses per kilo-instruction and read ratio.
OHM = [
    ("backp", 30, 0.53),
    ("lud", 20, 0.52),
    ("GRAMS", 266, 0.70),
    ("FDTD", 86, 0.70),
    ("betw", 193, 0.99),
    ("bfsdata", 84, 0.95),
    ("bfstopo", 25, 0.97),
    ("gctopo", 93, 0.99),
    ("pagerank", 599, 0.99),
    ("sssp", 103, 0.98),
]
# Compute ratio and load ratio, in percent.
CXL = [
    ("rsum", 31.4, 53.3),
    ("stencil", 37.5, 72.5),
    ("merge_sort", 38.1, 98.7),
    ("gemm", 11.6, 99.9),
    ("vadd", 15.6, 69.1),
    ("saxpy", 16.2, 69.2),
    ("conv3", 21.8, 78.6),
    ("path", 27.0, 92.7),
    ("cfd", 20.9, 42.6),
    ("gaus_rows", 23.5, 48.5),
    ("bfs", 29.3, 43.2),
    ("gnn", 27.4, 73.8),
    ("mri", 29.2, 53.3),
]


def profile(job):
    name, size, params = job
    return workloads.profile(name, size, **params)


def profiles(size, full, jobs, **graph):
    """The counts of each workload of the tables, under each of its names."""
    entry = {name: w for w in _memsim.workloads() for name in w["names"]}
    entries = {entry[name]["names"][0]: entry[name] for name, *_ in ZNG + OHM + CXL}
    todo = [
        (name, size, graph) if "vertices" in w["size_is"] else (name, w["size" if full else "check_size"], {})
        for name, w in entries.items()
    ]
    with ProcessPoolExecutor(jobs) as pool:
        done = dict(zip(entries, pool.map(profile, todo)))
    return {name: done[w["names"][0]] for name, w in entry.items() if w["names"][0] in done}


def off(ours, paper):
    """The difference in points, bold from 10 on."""
    points = 100 * (ours - paper)
    return f"**{points:+.0f}**" if abs(points) >= 10 else f"{points:+.0f}"


def reads(ours, paper):
    """The columns of a read ratio."""
    return [
        f"{paper:.2f}",
        f"{ours['read_ratio']:.2f}",
        off(ours["read_ratio"], paper),
        f"{ours['load_requests'] / ours['requests']:.2f}",
    ]


def zng(of):
    for name, shown, ratio, kernels in ZNG:
        yield [shown, *reads(of[name], ratio), kernels, of[name]["launches"]]


def ohm(of):
    for name, apki, ratio in OHM:
        threads = 1000 * of[name]["requests"] / of[name]["thread_instructions"]
        yield [name, *reads(of[name], ratio), apki, f"{of[name]['apki']:.0f}", f"{threads:.0f}"]


def cxl(of):
    for name, compute, loads in CXL:
        r = of[name]
        memory = r["loads"] + r["stores"] + r["atomics"]
        loads_of = r["loads"] + r["atomics"]
        shared = r["shared_loads"] + r["shared_stores"]
        share, rest = loads_of / memory, 1 - (memory + shared) / r["warp_instructions"]
        both = (loads_of + r["shared_loads"]) / (memory + shared)
        yield [
            name,
            f"{loads:.1f} %",
            f"{100 * share:.1f} %",
            off(share, loads / 100),
            f"{100 * both:.1f} %",
            f"{compute:.1f} %",
            f"{100 * rest:.1f} %",
        ]


def main(arguments=None):
    p = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    p.add_argument("--size", type=int, default=14)
    p.add_argument("--full", action="store_true")
    p.add_argument("--generator", default="kronecker", choices=["kronecker", "grid"])
    p.add_argument("--input", default="", help="a graph file instead")
    p.add_argument("--jobs", type=int, default=len(os.sched_getaffinity(0)))
    args = p.parse_args(arguments)
    of = profiles(args.size, args.full, args.jobs, generator=args.generator, input=args.input)
    ratio = ["workload", "paper", "ours", "points", "ours, atomics as writes"]
    document.table(
        HEADING,
        "**ZnG, Table II**: read ratio; launches of kernels",
        [*ratio, "kernels: paper", "launches: ours"],
        zng(of),
    )
    document.table(
        HEADING,
        "**Ohm-GPU, Table II**: read ratio; accesses per kilo-instruction (of warps; of threads)",
        [*ratio, "APKI: paper", "ours, warps", "ours, threads"],
        ohm(of),
    )
    document.table(
        HEADING,
        "**CXL-GPU, Table 10b**: share of loads in loads and stores; of computing instructions",
        [
            "workload",
            "loads: paper",
            "ours",
            "points",
            "ours with shared memory",
            "compute: paper",
            "ours: no access to memory",
        ],
        cxl(of),
    )


if __name__ == "__main__":
    main()
