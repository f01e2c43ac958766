"""Several H100s, each with a memory expander on CXL. Every GPU runs a workload of its own, and reaches every expander.

    build/memsim --threads 2 configs/eight_gpus.py [--kernel bfs1 --size 14] [--gpus 8] [--far own|next|all]

own   the last `--share` of each array lies in the expander of its GPU
next  in the expander of the next GPU
all   in all expanders, a page each in turn

A crossbar of each GPU and one of each expander take the place of a CXL switch, which memsim does not have
(docs/models/gpu.md).
"""

from typing import Any

import memsim
from memsim import System, cxl, mem, workload
from memsim.options import script_parser, whole
from memsim.systems import nvidia, placed, scale
from memsim.systems.interleave import Interleave
from memsim.units import Bytes

PAGE = 4096
ON_CHIP = "50ns"  # from the memory side of an L2 to the edge of the chip, an assumption
SWITCH = "50ns"  # to the root port of an expander, an assumption
REPORT, DISPATCH = "50ns", "155ns"  # the preset's 205 ns from a block's end to the next one's start: there, and back
WIRES: dict[str, Any] = dict(
    clock="2GHz", width="128B", queue=256, buffer=256, outstanding=4096
)  # wider than the link behind them
LINK: dict[str, Any] = dict(lanes=16, generation=5)

parser = script_parser(__doc__)
parser.add_argument("--gpus", type=whole(1), default=8)
parser.add_argument("--chip", default="h100-sxm", choices=list(nvidia.CHIPS))
parser.add_argument("--kernel", default="bfs1", help="a workload's name; `memsim workloads` lists them")
parser.add_argument("--size", type=whole(0), default=14, help="size of the workload's input (0: its default)")
parser.add_argument("--far", default="own", choices=("own", "next", "all"), help="where the far share of arrays lies")
parser.add_argument("--share", type=whole(1, 100), default=25, help="percent of each array that lies in expanders")
parser.add_argument("--sms", type=whole(1), help="SMs of a GPU; without it as many as the chip has")
parser.add_argument("--channels", type=whole(1), help="L2 slices and channels of a GPU; without it the chip's")
parser.add_argument(
    "--by-hand", type=whole(1), help="divide the GPUs among this many partitions, for --threads (default: automatic)"
)
parser.add_argument("--seed", type=int, default=1)
args = parser.parse_args()

chip = nvidia.chip(args.chip)
channels = args.channels or chip.slices
shape = {"sms": args.sms} if args.sms else {}
if args.channels:
    shape |= dict(channels=channels, slices=channels, l2=Bytes(chip.ways * 128 * channels * 32))  # 32 sets of a slice

root = memsim.Root(seed=args.seed)
root.program = [
    workload.Program(name=args.kernel, size=args.size, seed=args.seed + g, launch_latency="5us")
    for g in range(args.gpus)
]
space = 1 << (max(scale.footprint(program) for program in root.program) + PAGE).bit_length()  # addresses of a GPU
# Chunks of addresses belong to the expanders in turn. A chunk is all of a GPU's addresses, or a page.
over = Interleave(args.gpus, Bytes(PAGE if args.far == "all" else space))
root.uplink = [mem.Crossbar(inputs=channels, latency=ON_CHIP, **over.crossbar, **WIRES) for _ in range(args.gpus)]
root.gpu = []
for g, program in enumerate(root.program):
    far = [placed.Range(base + g * space, size) for base, size in placed.arrays(program, "", share=args.share / 100)]
    uplink = root.uplink[g]
    root.gpu.append(
        chip.gpu(
            memory=placed.beside(lambda i, interleave: uplink.cpu_side[i], far, chip.memory()),
            sm=dict(report_latency=REPORT),
            dispatcher=dict(dispatch_latency=DISPATCH, bases=Bytes(g * space)),
            **shape,
        )
    )
    program.dispatcher = root.gpu[g].dispatcher.host
root.expander = [System() for _ in range(args.gpus)]
for e, expander in enumerate(root.expander):
    expander.entrance = mem.Crossbar(inputs=args.gpus, latency=SWITCH, **over.over(1).crossbar, **WIRES)
    expander.root_port, expander.device_port = cxl.RootPort(queue=256, **LINK), cxl.DevicePort(**LINK)
    expander.memory = mem.SimpleMemory(latency="60ns", bandwidth="76800MB/s", queue=256)  # two DIMMs of DDR5-4800
    expander.entrance.mem_side[0] = expander.root_port.cpu_side
    expander.root_port.flits_out = expander.device_port.flits_in
    expander.device_port.flits_out = expander.root_port.flits_in
    expander.device_port.mem_side = expander.memory.cpu_side
    for g in range(args.gpus):
        nearby = (e - 1 if args.far == "next" else e) % args.gpus  # the GPU whose addresses, or pages, it has
        root.uplink[g].mem_side[nearby] = expander.entrance.cpu_side[g]

simulation = memsim.instantiate(root, args)
if args.by_hand:
    groups = [[] for _ in range(min(args.by_hand, args.gpus))]
    for g in range(args.gpus):
        groups[g * len(groups) // args.gpus] += [root.program[g], root.gpu[g], root.uplink[g]]
    simulation.partitions = groups
end = memsim.simulate()
memsim.stats.dump("end")
moved = sum(expander.root_port.stats.round_trip.count for expander in root.expander)
print(
    f"{end.getCause()} at {memsim.curTick() / 1e9:.1f} us: "
    f"{sum(float(gpu.dispatcher.stats.ipc) for gpu in root.gpu):.1f} thread instructions a cycle on {args.gpus} GPUs, "
    f"{moved:.0f} requests to expanders"
)
