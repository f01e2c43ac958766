"""A single CXL link: a traffic generator, a root port, a device port, and a memory without latency.

    build/memsim --stamps 1 configs/cxl_link.py [--controller ours|smt|tpp] [--flit 256B] [--outstanding 1] ...

One outstanding request shows the round trip, with --stamps 1 by layer; many show the bandwidth.
"""

import memsim
from memsim import cxl, mem
from memsim.options import script_parser

parser = script_parser(__doc__)
parser.add_argument("--controller", default="ours", help="latencies of the link's layers: ours, smt, tpp")
parser.add_argument("--lanes", type=int, default=8)
parser.add_argument("--flit", default="68B", help="68B, 256B or 256B-lopt (latency-optimised)")
parser.add_argument("--generation", type=int, default=5, help="generation of PCIe: 3 to 6")
parser.add_argument("--read-share", default="100%", help="share of reads among the requests")
parser.add_argument("--size", type=int, default=64, help="bytes per request")
parser.add_argument("--outstanding", type=int, default=1, help="maximum number of outstanding requests")
parser.add_argument("--period", default="0fs", help="time between requests (0fs: as fast as possible)")
parser.add_argument("--requests", type=int, default=1000)
parser.add_argument("--bit-errors", type=int, default=0, help="bit errors per 10^15 bits")
parser.add_argument("--seed", type=int, default=1)
args = parser.parse_args()

root = memsim.Root(seed=args.seed)
root.generator = mem.TrafficGen(
    pattern="sequential",
    period=args.period,
    requests=args.requests,
    size=args.size,
    outstanding=args.outstanding,
    read_share=args.read_share,
)
link = dict(
    flit=args.flit, controller=args.controller, lanes=args.lanes, generation=args.generation, bit_errors=args.bit_errors
)
root.host, root.device = cxl.RootPort(**link), cxl.DevicePort(**link)
root.memory = mem.SimpleMemory(latency="1fs", bandwidth="10000GB/s", queue=256)
root.generator.mem_side = root.host.cpu_side
root.host.flits_out, root.device.flits_out = root.device.flits_in, root.host.flits_in
root.device.mem_side = root.memory.cpu_side

memsim.instantiate(root, args)
end = memsim.simulate()
memsim.stats.dump("end")

stats = root.generator.stats
times = [
    f"a {what} takes {latency.mean:.1f} ns, "
    for what, latency in (("read", stats.read_latency), ("write", stats.write_latency))
    if latency.count
]
print(
    f"{args.controller}: {end.getCause()} at {memsim.curTick() / 1e9:.3f} us; {''.join(times)}"
    f"{stats.bandwidth / 1e9:.2f} GB/s"
)
