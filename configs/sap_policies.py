"""SAP's seven policies for a memory of another machine: an endpoint's cache, a page buffer, or resident pages.

    build/memsim configs/sap_policies.py --host endpoint|buffer|mmu [--policy sap] [--workload bfs] ...

endpoint  cxl on Z-NAND: units of 256 B of the endpoint's DRAM
buffer    ZnG's HybridGPU with a fully associative buffer of pages of 4 KiB, one program, no MMU
mmu       CXL-GPU's uvm with 25 us per fault: pages of 64 KiB in GPU memory
"""

import memsim
from memsim import System, mem
from memsim.options import script_parser
from memsim.systems import cxl_gpu, sap, zng
from memsim.systems.sap.watch import hint_path, watch
from memsim.systems.scale import footprint
from memsim.units import Bytes

HOSTS = {"endpoint": cxl_gpu, "buffer": zng, "mmu": cxl_gpu}

parser = script_parser(__doc__)
parser.add_argument("--host", default="endpoint", choices=HOSTS)
parser.add_argument("--policy", default="sap", help=f"one of {', '.join(sap.policies())}")
parser.add_argument("--workload", help="workload of the host's system (default: bfs, bfs1)")
parser.add_argument("--scale", default="default", help="scale of that system")
parser.add_argument(
    "--max-instructions",
    type=int,
    help="thread instructions after which no block starts (0: no limit; default: the scale's)",
)
parser.add_argument("--seed", type=int, default=1)
args = parser.parse_args()
sap.machines.check(args.policy)
replacement, prefetch = sap.machines.POLICIES[args.policy], sap.machines.PREFETCH.get(args.policy, "none")
watched = args.policy == "sap"

if args.host == "buffer":
    workload = args.workload or "bfs1"
    (program,) = zng.workloads.programs(workload, args.scale, args.seed)
    region = zng.workloads.REGION[args.scale]
else:
    workload = args.workload or "bfs"
    program, region = cxl_gpu.workloads.program(workload, args.scale, args.seed)
limit = dict(max_instructions=region if args.max_instructions is None else args.max_instructions)

if args.host == "endpoint":
    root = cxl_gpu.machine(
        cxl_gpu.MachineParameters(
            "cxl",
            program,
            "z-nand",
            seed=args.seed,
            medium=dict(replacement=replacement, prefetch=prefetch),
            dispatcher=limit,
        )
    )
    entrance = hint_path(root, watched)
    manager = dict(unit="256B", clock=cxl_gpu.values.CLOCK)
    held = root.port[0].medium.cache
elif args.host == "buffer":
    size = zng.scale.scale(footprint(program))
    root = memsim.Root(seed=args.seed)
    root.program, root.memory = program, System()
    root.gpu = zng.machines.gpu_of(size, 1, zng.machines.SRAM, **limit)
    program.dispatcher = root.gpu.dispatcher.host
    held = mem.PageCache(
        capacity=Bytes(size.buffer),
        unit="4KiB",
        replacement=replacement,
        prefetch=prefetch,
        queue=32,
        requests=256,
        drive_queue=256,
    )
    zng.hybrid.hybridgpu(root, size, footprint(program), held)
    manager = dict(unit="4KiB", clock=zng.machines.CLOCK)
    entrance = held.hints if watched else None
else:
    root = cxl_gpu.machine(
        cxl_gpu.MachineParameters("uvm", program, seed=args.seed, fault="25us", threads="simt", dispatcher=limit)
    )
    root.gpu.mmu.eviction, root.host.prefetch = replacement, prefetch
    manager = dict(unit=str(Bytes(cxl_gpu.scale.UVM_PAGE)), clock=cxl_gpu.values.CLOCK)
    held, entrance = root.gpu.mmu, root.host.hints if watched else None

if watched:
    reports = args.host == "buffer"  # the memory reports its misses
    made = watch(root, **manager, trigger="miss" if reports else "period")
    made.hints = entrance
    if reports:
        made.misses = held.misses

memsim.instantiate(root, args)
end = memsim.simulate()
memsim.stats.dump("end")
print(
    f"{args.host}, {args.policy}, {workload}: {end.getCause()} at {memsim.curTick() / 1e12:.3f} ms; "
    f"{root.gpu.dispatcher.stats.ipc:.4f} thread instructions a cycle"
)
