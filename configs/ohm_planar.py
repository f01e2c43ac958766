"""Ohm-GPU in planar mode, running one of the paper's workloads or a graph algorithm: the main job.

    build/memsim configs/ohm_planar.py [--platform origin|hetero|ohm-base|...|oracle] [--workload betw] ...

--workload is one of the ten of table II, at a --scale; --kernel is any graph workload, on --graph or on a generated
graph. The sizes of the memory's tiers and of the L2 follow from the footprint.
"""

import memsim
from memsim.systems import ohm, scale

args, parameters = ohm.job.arguments(__doc__, "planar")
scale.print_proportions(parameters.invariants)
root = ohm.machine(parameters)

memsim.instantiate(root, args)
end = ohm.job.simulate()
memsim.stats.dump("end")

stats = root.gpu.dispatcher.stats
print(
    f"{args.platform}, {args.workload or args.kernel}: {end.getCause()} at "
    f"{memsim.curTick() / 1e12:.3f} ms; {stats.ipc:.3g} thread instructions a cycle"
)
