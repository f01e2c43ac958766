"""A solid-state drive under random block requests or a block trace.

    build/memsim configs/drive.py [--drive z_ssd] [--read-share 70%] [--requests 20000] ...
    build/memsim configs/drive.py --drive mqsim --trace FILE --trace-unit 1ns

Traces have MQSim's format: '<arrival> <device> <sector> <sectors> <0 for a write, 1 for a read>'. The unit of arrival
times is not part of the file. Sectors beyond the end of the drive wrap around to 0.
"""

import memsim
from memsim import flash
from memsim.options import script_parser
from memsim.systems.drive import PRESETS, solid_state_drive

parser = script_parser(__doc__)
parser.add_argument("--drive", default="mqsim", help=f"one of {', '.join(PRESETS)}")
parser.add_argument("--trace", help="path of a block trace (default: requests by --pattern)")
parser.add_argument("--trace-unit", default="0fs", help="unit of its arrival times, such as 1ns")
parser.add_argument("--pattern", default="random", choices=["sequential", "random"])
parser.add_argument("--read-share", default="100%", help="share of reads among the requests")
parser.add_argument("--sectors", type=int, default=8, help="sectors (512 B) per request")
parser.add_argument("--outstanding", type=int, default=16, help="maximum number of outstanding requests")
parser.add_argument("--requests", type=int, default=20_000, help="how many")
parser.add_argument("--range", type=int, default=1 << 21, help="number of sectors accessed, from 0")
parser.add_argument("--preconditioned", help="share of the drive that was written before (default: that of --drive)")
parser.add_argument("--seed", type=int, default=1)
args = parser.parse_args()

unused = "pattern read_share sectors outstanding requests range".split() if args.trace else ["trace_unit"]
for name in unused:
    if getattr(args, name) != parser.get_default(name):
        option = "--" + name.replace("_", "-")
        parser.error(f"{option} applies only {'without' if args.trace else 'with'} --trace: leave it out")

changes = {} if args.preconditioned is None else dict(preconditioned=args.preconditioned)
root = memsim.Root(seed=args.seed)
if args.trace:
    root.host = flash.BlockTraffic(
        pattern="trace", trace=args.trace, trace_unit=args.trace_unit, outstanding=4096, range=998_579_888, fold=True
    )
else:
    root.host = flash.BlockTraffic(
        pattern=args.pattern,
        read_share=args.read_share,
        sectors=args.sectors,
        outstanding=args.outstanding,
        requests=args.requests,
        range=args.range,
    )
root.ssd = solid_state_drive(args.drive, **changes)
root.host.drive = root.ssd.drive.host[0]

memsim.instantiate(root, args)
memsim.simulate()
memsim.stats.dump("end")

host, drive = root.host.stats, root.ssd.drive.stats
print(f"{args.drive}: {host.bandwidth / 1e6:.1f} MB/s, {host.read_rate + host.write_rate:.0f} requests a second")
for what, latency in ("read", host.read_latency), ("write", host.write_latency):
    if latency.count:
        print(
            f"{what} latency {latency.mean / 1e3:.1f} us on average, {latency.p99 / 1e3:.1f} us at the "
            "99th percentile"
        )
if drive.host_page_writes:
    print(f"write amplification {drive.write_amplification:.2f}, {drive.erases} blocks erased")
