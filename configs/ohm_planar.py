"""Ohm-GPU in planar mode, running a graph algorithm to its end: the main job.

    build/memsim configs/ohm_planar.py [--platform hetero|ohm-base] [--kernel bfs1] ...

Without --graph a Kronecker graph is generated, its size given by --scale; with --graph the memory's
tiers and the L2 follow from the graph's size.
"""

import argparse

import memsim
from memsim import workload, workloads
from memsim.systems import ohm
from memsim.systems.scale import KRONECKER, kronecker_scale

parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
parser.add_argument("--platform", default="ohm-base", choices=list(ohm.CHANNELS))
parser.add_argument("--kernel", default="bfs1", choices=workloads.names(of="vertices"),
                    metavar="NAME", help="a graph workload; `memsim workloads` lists them")
parser.add_argument("--graph", default="", help="a graph file instead of a generated graph")
parser.add_argument("--scale", default="default",
                    help=f"{', '.join(KRONECKER)}, or a ratio of the paper's 8 GiB such as 1/512")
parser.add_argument("--iterations", type=int, default=3, help="of pagerank")
parser.add_argument("--max-instructions", type=int, default=0,
                    help="thread instructions after which no block starts (0: no limit)")
parser.add_argument("--first-launch", type=int, default=0, help="region of interest: skip to it")
parser.add_argument("--launches", type=int, default=0, help="region of interest: its length (0: all)")
parser.add_argument("--seed", type=int, default=1)
args = parser.parse_args()
try:
    vertices = kronecker_scale(args.scale)
except ValueError as e:
    parser.error(str(e))

program = workload.Program(name=args.kernel, input=args.graph, size=vertices, seed=args.seed,
                           iterations=args.iterations)
size = ohm.planar_scale(program)
for invariant in size.invariants:
    print(f"scale: {invariant}")
root = ohm.planar(args.platform, program, size, seed=args.seed, launches=args.launches,
                  first_launch=args.first_launch, max_instructions=args.max_instructions)

memsim.instantiate(root)
end = memsim.simulate()
memsim.stats.dump("end")

stats = root.gpu.dispatcher.stats
print(f"{args.platform}, {args.kernel}: {end.getCause()} at {memsim.curTick() / 1e12:.3f} ms; "
      f"{stats.ipc:.2f} thread instructions a cycle")
