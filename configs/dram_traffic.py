"""A traffic generator and the DRAM of one or more channels, with a monitor between them.

    build/memsim configs/dram_traffic.py [--preset ddr4_3200] [--pattern random] [--period 10ns] ...

For bandwidth and latency curves of a DRAM alone, sweep --period. Another DRAM is a preset with changes. Latency without
load is that of one outstanding request:

    build/memsim configs/dram_traffic.py --preset hbm2e --changes tCL=15ns tRFC=350ns --outstanding 1

`--pattern probed` is the load of tests/validation: a stream over 16 banks, one read per --period, and one outstanding
read of a random row, whose latency is printed. It requires the map RoRaCoBaBg.
"""

import memsim
from memsim import mem
from memsim.options import script_parser
from memsim.systems.interleave import Interleave

parser = script_parser(__doc__)
parser.add_argument("--preset", default="ddr4_3200", help="timing table (memsim describe mem.DramController)")
parser.add_argument(
    "--changes",
    nargs="+",
    default=[],
    metavar="NAME=VALUE",
    help="values that replace those of the table: tRCDRD=12ns ranks=1",
)
parser.add_argument("--order", default="first_ready", help="scheduling of commands, in the same format")
parser.add_argument(
    "--dram",
    nargs="+",
    default=[],
    metavar="NAME=VALUE",
    help="other parameters of mem.DramController: bank_queue=8 page=closed",
)
parser.add_argument("--map", help="order of the address digits, highest first (default: RoRaBaCoCh)")
parser.add_argument("--channels", type=int, default=1, help="channels that share the addresses, 256 bytes each")
parser.add_argument("--pattern", default="random", choices=["sequential", "random", "probed"])
parser.add_argument("--period", default="0fs", help="time between requests (0fs: as fast as possible)")
parser.add_argument("--read-share", default="100%", help="share of reads among the requests")
parser.add_argument("--size", type=int, default=64, help="bytes per request")
parser.add_argument("--outstanding", type=int, default=64, help="maximum number of outstanding requests")
parser.add_argument("--requests", type=int, default=100_000, help="how many (0: without end); of probed: probes")
parser.add_argument("--seed", type=int, default=1)
args = parser.parse_args()


def named(pairs):
    """Arguments of the form NAME=VALUE as a dict; integers are converted."""
    split = (pair.partition("=")[::2] for pair in pairs)
    return {name: int(value) if value.isdigit() else value for name, value in split}


root = memsim.Root(seed=args.seed)
if args.pattern == "probed":
    # `every` counts eighths of a cycle: with a cycle of one period, there is one read per period.
    root.generator = mem.ProbedStream(cycle=args.period, every=8, probes=args.requests, bytes=args.size)
    dram_map = args.map or "RoRaCoBaBg"
else:
    root.generator = mem.TrafficGen(
        pattern=args.pattern,
        period=args.period,
        requests=args.requests,
        size=args.size,
        outstanding=args.outstanding,
        read_share=args.read_share,
    )
    dram_map = args.map or "RoRaBaCoCh"
root.monitor = mem.Monitor()
shape = dict(timing=args.preset, changes=" ".join(args.changes), order=args.order, **named(args.dram))
root.generator.mem_side = root.monitor.cpu_side
if args.channels == 1:
    root.dram = mem.DramController(map=dram_map, **shape)
    root.monitor.mem_side = root.dram.cpu_side
    channels = [root.dram]
else:
    # A crossbar without latency: 4 KiB per 10 ps.
    share = Interleave(args.channels, "256B")
    root.crossbar = mem.Crossbar(**share.crossbar, clock="100GHz", width="4KiB", latency="1fs", queue=256, buffer=256)
    dram_map = args.map or "RoRaBaCoChCl"
    root.dram = [mem.DramController(**share.channel(i), map=dram_map, **shape) for i in range(args.channels)]
    root.monitor.mem_side = root.crossbar.cpu_side[0]
    for i, channel in enumerate(root.dram):
        root.crossbar.mem_side[i] = channel.cpu_side
    channels = root.dram

memsim.instantiate(root, args)
memsim.simulate()
memsim.stats.dump("end")

bandwidth = sum(channel.stats.bandwidth for channel in channels)
print(f"{args.preset}, {args.pattern}: {bandwidth / 1e9:.2f} GB/s")
if args.pattern == "probed":
    print(f"probe latency {root.generator.stats.probe.mean:.1f} ns on average")
monitor = root.monitor.stats
for what, latency in ("read", monitor.read_latency), ("write", monitor.write_latency):
    if latency.count:
        print(f"{what} latency {latency.mean:.1f} ns on average, {latency.p99:.1f} ns at the 99th percentile")
