"""A traffic generator and a DRAM controller, with a monitor between them.

    build/memsim configs/dram_traffic.py [--preset ddr4_3200] [--pattern random] [--period 10ns] ...

For bandwidth and latency curves of a DRAM by itself: sweep --period.
"""

import argparse

import memsim
from memsim import mem

parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
parser.add_argument("--preset", default="ddr4_3200", help="timing table: see docs/reference.md")
parser.add_argument("--order", default="first_ready", help="which command goes next: likewise")
parser.add_argument("--pattern", default="random", choices=["sequential", "random"])
parser.add_argument("--period", default="0fs", help="from request to request (0fs: as fast as possible)")
parser.add_argument("--read-share", default="100%", help="reads among the requests")
parser.add_argument("--requests", type=int, default=100_000, help="how many (0: without end)")
parser.add_argument("--seed", type=int, default=1)
args = parser.parse_args()

root = memsim.Root(seed=args.seed)
root.generator = mem.TrafficGen(pattern=args.pattern, period=args.period, requests=args.requests,
                                read_share=args.read_share)
root.monitor = mem.Monitor()
root.dram = mem.DramController(timing=args.preset, order=args.order)
root.generator.mem_side = root.monitor.cpu_side
root.monitor.mem_side = root.dram.cpu_side

memsim.instantiate(root)
memsim.simulate()
memsim.stats.dump("end")

dram, monitor = root.dram.stats, root.monitor.stats
print(f"{args.preset}, {args.pattern}: {dram.bandwidth / 1e9:.2f} GB/s")
for what, latency in ("read", monitor.read_latency), ("write", monitor.write_latency):
    if latency.count:
        print(f"{what} latency {latency.mean:.1f} ns on average, {latency.p99:.1f} ns at the 99th "
              "percentile")
