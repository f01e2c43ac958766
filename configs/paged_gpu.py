"""A GPU with virtual memory: TLBs, page walks and, with --placement faults, pages from a host.

    build/memsim configs/paged_gpu.py [--placement faults --resident 50] [--source drive] ...

Four SMs, an L2 and one DRAM channel run a workload. --placement none is the same machine without translation.
"""

import memsim
from memsim import flash, systems, workload
from memsim.options import script_parser, whole
from memsim.systems import mmu, scale

parser = script_parser(__doc__)
parser.add_argument("--kernel", default="bfs1", help="a workload's name; `memsim workloads` lists them")
parser.add_argument(
    "--scale",
    type=int,
    default=12,
    help="size of the generated input; for graphs, the binary logarithm of the vertices",
)
parser.add_argument("--page", type=whole(1), default=4096, help="bytes")
parser.add_argument(
    "--placement", default="first_touch", choices=["none", "identity", "first_touch", "interleaved", "random", "faults"]
)
parser.add_argument(
    "--resident", type=whole(1, 100), default=50, help="with faults: per cent of the footprint that device memory holds"
)
parser.add_argument(
    "--source",
    default="host_memory",
    choices=["host_memory", "drive", "drive_direct"],
    help="with faults: initial place of pages",
)
parser.add_argument(
    "--check-contents",
    action="store_true",
    help="carry the values of stores, and compare all memory with the program's at the end",
)
parser.add_argument(
    "--prefetch",
    default="none",
    help="with faults: the page prefetcher, with which the host brings pages in addition to faulted ones",
)
parser.add_argument("--eviction", default="lru", help="with faults: the page policy that selects the page to evict")
parser.add_argument("--seed", type=int, default=1)
args = parser.parse_args()

root = memsim.Root(seed=args.seed, contents=args.check_contents)
root.program = workload.Program(name=args.kernel, size=args.scale, seed=args.seed)
footprint = scale.footprint(root.program)
faults = args.placement == "faults"
pages = dict(
    footprint=footprint,
    page=args.page,
    placement=args.placement,
    memory=footprint * args.resident // 100 if faults else None,
    eviction=args.eviction,
)
root.gpu = systems.gpu(
    sms=4, l1="48KiB", l2="256KiB", memory="ohm_table1", channels=1, mmu=None if args.placement == "none" else pages
)
root.program.dispatcher = root.gpu.dispatcher.host
if faults:
    if args.source != "host_memory":
        root.drive = flash.FixedDrive()
    mmu.page_faults(
        root,
        root.gpu,
        device=mmu.new_input(root.gpu.network),
        source=args.source,
        prefetch=args.prefetch,
        drive=root.drive.requests if args.source != "host_memory" else None,
    )

simulation = memsim.instantiate(root, args)
end = memsim.simulate()
memsim.stats.dump("end")

print(
    f"{args.kernel}, {args.placement}: {end.getCause()} at {memsim.curTick() / 1e12:.3f} ms; "
    f"{root.gpu.dispatcher.stats.ipc:.3g} thread instructions a cycle"
)
if args.placement != "none":
    accesses = sum(t.stats.accesses for t in root.gpu.tlb)
    misses = sum(t.stats.misses for t in root.gpu.tlb)
    table = root.gpu.mmu.stats
    print(
        f"L1 TLBs miss {misses} of {accesses}, the L2 TLB hits {table.hits} of {table.requests}; "
        f"{table.walks} walks, {table.walk_reads} reads of them, {table.walk_time.mean:.0f} ns each"
    )
if faults:
    host = root.host.stats
    print(
        f"{host.faults} page faults in {host.batches} batches, {table.evictions} evictions, "
        f"{host.pages_out} of dirty pages; {host.prefetches} pages without a fault; "
        f"{host.bandwidth_in / 1e9:.2f} GB/s in"
    )
if args.check_contents:
    print(f"contents: {simulation.check_contents()['bytes']} bytes equal those of the program")
