#!/usr/bin/python3
"""The papers' workload tables beside what our workloads do, as Markdown (docs/validation.md).

    PYTHONPATH=build/python util/workloads/tables.py [--size 16] [--full] [--generator grid]

Counted over the whole instruction streams, without any timing. --size is that of graphs (2^size
vertices); the others have the small sizes of the tests, or with --full their defaults.
"""
import argparse
import os
from concurrent.futures import ProcessPoolExecutor

from memsim import _memsim, workloads

# Our name, the paper's name, its read ratio, its number of kernels.
ZNG = [("betw", "betw", 0.98, 11), ("bfs1", "bfs1", 0.95, 7), ("bfs2", "bfs2", 0.99, 9),
       ("bfs3", "bfs3", 0.88, 10), ("bfs4", "bfs4", 0.97, 12), ("bfs5", "bfs5", 0.99, 6),
       ("bfs6", "bfs6", 0.97, 7), ("gc1", "gc1", 0.98, 8), ("gc2", "gc2", 0.99, 10),
       ("sssp3", "sssp3", 0.98, 8), ("deg", "deg", 1.00, 1), ("pr", "pr", 0.99, 53),
       ("back", "back", 0.57, 1), ("gaus", "gaus", 0.66, 3), ("FDT", "FDT", 0.73, 1),
       ("gram", "gram", 0.75, 3)]
# Accesses per kilo-instruction and read ratio.
OHM = [("backp", 30, 0.53), ("lud", 20, 0.52), ("GRAMS", 266, 0.70), ("FDTD", 86, 0.70),
       ("betw", 193, 0.99), ("bfsdata", 84, 0.95), ("bfstopo", 25, 0.97), ("gctopo", 93, 0.99),
       ("pagerank", 599, 0.99), ("sssp", 103, 0.98)]
# Compute ratio and load ratio, in percent.
CXL = [("rsum", 31.4, 53.3), ("stencil", 37.5, 72.5), ("sort", 38.1, 98.7), ("gemm", 11.6, 99.9),
       ("vadd", 15.6, 69.1), ("saxpy", 16.2, 69.2), ("conv3", 21.8, 78.6), ("path", 27.0, 92.7),
       ("cfd", 20.9, 42.6), ("gauss", 23.5, 48.5), ("bfs", 29.3, 43.2), ("gnn", 27.4, 73.8),
       ("mri", 29.2, 53.3)]


def profile(job):
    name, size, params = job
    return workloads.profile(name, size, **params)


def off(ours, paper):
    """The difference in points, bold from 10 on."""
    points = 100 * (ours - paper)
    return f"**{points:+.0f}**" if abs(points) >= 10 else f"{points:+.0f}"


def main():
    p = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    p.add_argument("--size", type=int, default=14)
    p.add_argument("--full", action="store_true")
    p.add_argument("--generator", default="kronecker", choices=["kronecker", "grid"])
    p.add_argument("--input", default="", help="a graph file instead")
    p.add_argument("--jobs", type=int, default=os.cpu_count())
    args = p.parse_args()
    entry = {name: w for w in _memsim.workloads() for name in w["names"]}
    wanted = {n for n, *_ in ZNG + OHM + CXL} & set(entry)
    first = sorted({entry[n]["names"][0] for n in wanted})
    jobs = []
    for name in first:
        graph = "vertices" in entry[name]["size_is"]
        size = args.size if graph else entry[name]["size" if args.full else "check_size"]
        jobs.append((name, size, {"generator": args.generator, "input": args.input} if graph else {}))
    with ProcessPoolExecutor(args.jobs) as pool:
        done = dict(zip(first, pool.map(profile, jobs)))

    def ours(name):
        return done[entry[name]["names"][0]] if name in entry else None

    print("**ZnG, Table II.** Read ratio; launches of kernels\n")
    print("| workload | paper | ours | points | ours, atomics as writes | kernels: paper | launches: ours |")
    print("|---|---|---|---|---|---|---|")
    for name, shown, ratio, kernels in ZNG:
        if r := ours(name):
            print(f"| {shown} | {ratio:.2f} | {r['read_ratio']:.2f} | {off(r['read_ratio'], ratio)} | "
                  f"{r['load_requests'] / r['requests']:.2f} | {kernels} | {r['launches']} |")
        else:
            print(f"| {shown} | {ratio:.2f} | not there yet | | | {kernels} | |")
    print("\n**Ohm-GPU, Table II.** Read ratio; accesses per kilo-instruction (of warps; of threads)\n")
    print("| workload | paper | ours | points | ours, atomics as writes | APKI: paper | ours, warps | ours, "
          "threads |\n|---|---|---|---|---|---|---|---|")
    for name, apki, ratio in OHM:
        if r := ours(name):
            print(f"| {name} | {ratio:.2f} | {r['read_ratio']:.2f} | {off(r['read_ratio'], ratio)} | "
                  f"{r['load_requests'] / r['requests']:.2f} | {apki} | {r['apki']:.0f} | {1000 * r['requests'] / r['thread_instructions']:.0f} |")
        else:
            print(f"| {name} | {ratio:.2f} | not there yet | | | {apki} | | |")
    print("\n**CXL-GPU, Table 10b.** Share of loads in loads and stores; of computing instructions\n")
    print("| workload | loads: paper | ours | points | ours with shared memory | compute: paper | ours: no "
          "access to memory |\n|---|---|---|---|---|---|---|")
    for name, compute, loads in CXL:
        if r := ours(name):
            memory = r["loads"] + r["stores"] + r["atomics"]
            loads_of = r["loads"] + r["atomics"]
            shared = r["shared_loads"] + r["shared_stores"]
            share, rest = loads_of / memory, 1 - (memory + shared) / r["warp_instructions"]
            both = (loads_of + r["shared_loads"]) / (memory + shared)
            print(f"| {name} | {loads:.1f} % | {100 * share:.1f} % | {off(share, loads / 100)} | "
                  f"{100 * both:.1f} % | {compute:.1f} % | {100 * rest:.1f} % |")
        else:
            print(f"| {name} | {loads:.1f} % | not there yet | | | {compute:.1f} % | |")


main()
