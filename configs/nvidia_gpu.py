"""A V100, A100 or H100 that runs a workload, with its own memory or another one.

    build/memsim configs/nvidia_gpu.py [--chip h100-sxm] [--kernel bfs1 --size 14] [--memory ddr5_4800]

`memsim silicon` shows what the presets model and compares them with measured chips.
"""

import memsim
from memsim import workload
from memsim.options import script_parser, whole
from memsim.systems import nvidia

parser = script_parser(__doc__)
parser.add_argument("--chip", default="h100-sxm", choices=list(nvidia.CHIPS))
parser.add_argument("--kernel", default="vadd", help="a workload's name; `memsim workloads` lists them")
parser.add_argument("--size", type=whole(0), default=0, help="size of the workload's input (0: its default)")
parser.add_argument("--memory", help="a timing table of mem.DramController (default: the chip's own memory)")
parser.add_argument("--sms", type=whole(1), help="number of SMs (default: that of the chip)")
parser.add_argument("--carve-out", help="shared memory of an SM, taken from its L1 (default: both at their largest)")
parser.add_argument("--seed", type=int, default=1)
args = parser.parse_args()

changes = dict(carve_out=args.carve_out)
if args.memory:
    changes["memory"] = args.memory
if args.sms:
    changes["sms"] = args.sms
root = memsim.Root(seed=args.seed)
root.program = workload.Program(name=args.kernel, size=args.size, seed=args.seed)
root.gpu = nvidia.chip(args.chip).gpu(**changes)
root.program.dispatcher = root.gpu.dispatcher.host
memsim.instantiate(root, args)
end = memsim.simulate()
memsim.stats.dump("end")
moved = sum(int(controller.stats.bytes) for controller in root.gpu.memory)
print(
    f"{end.getCause()} at {memsim.curTick() / 1e9:.1f} us: {float(root.gpu.dispatcher.stats.ipc):.1f} thread "
    f"instructions a cycle, {moved / memsim.curTick() * 1e6:.1f} GB/s of memory"
)
