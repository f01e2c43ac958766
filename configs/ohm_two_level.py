"""Ohm-GPU in two-level mode (DRAM caches XPoint), running a graph algorithm to its end.

    build/memsim configs/ohm_two_level.py [--platform hetero|ohm-base|auto-rw] [--kernel bfs1] ...

Without --graph a Kronecker graph is generated, its size given by --scale; with --graph the memory's
tiers and the L2 follow from the graph's size.
"""

import memsim
from memsim.systems import ohm
from memsim.systems.graph_job import arguments

args, program = arguments(__doc__, ohm.TWO_LEVEL)
size = ohm.two_level_scale(program)
for invariant in size.invariants:
    print(f"scale: {invariant}")
root = ohm.two_level(args.platform, program, size, seed=args.seed, launches=args.launches,
                     first_launch=args.first_launch, max_instructions=args.max_instructions)

memsim.instantiate(root)
end = memsim.simulate()
memsim.stats.dump("end")

stats = root.gpu.dispatcher.stats
print(f"{args.platform}, {args.kernel}: {end.getCause()} at {memsim.curTick() / 1e12:.3f} ms; "
      f"{stats.ipc:.2f} thread instructions a cycle")
