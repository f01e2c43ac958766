"""Random or sequential lines over ZnG's flash: controllers, flash network, packages.

    build/memsim configs/zng_flash.py [--read-share 100%] [--register-network nif] [--registers 8] ...

Each controller accesses its own part of the flash. Prints the traffic of controllers, the pages sensed for it, and the
programming time of planes. There is no garbage collector: when a log block is full and registers hold only pages for
it, the run stops with an error.
"""

import memsim
from memsim import mem
from memsim.options import script_parser, whole
from memsim.systems.zng.backbone import GEOMETRY, BackboneParameters, flash_backbone
from memsim.units import Bytes

BLOCK = GEOMETRY["pages"] * 4096

parser = script_parser(__doc__)
parser.add_argument("--controllers", type=whole(1), default=16)
parser.add_argument("--packages", type=whole(1), default=16)
parser.add_argument("--register-network", default="nif", help="network of the registers: none, swnet, fcnet or nif")
parser.add_argument("--registers", type=int, default=8, help="registers per plane")
parser.add_argument("--pattern", default="random", choices=["sequential", "random"])
parser.add_argument("--read-share", default="100%", help="share of reads among the requests")
parser.add_argument("--blocks", type=int, default=64, help="data blocks that each controller accesses")
parser.add_argument(
    "--outstanding", type=int, default=512, help="maximum number of outstanding requests per controller"
)
parser.add_argument("--requests", type=int, default=20_000, help="requests per controller")
parser.add_argument("--seed", type=int, default=1)
args = parser.parse_args()

root = memsim.Root(seed=args.seed)
root.flash = flash_backbone(
    BackboneParameters(
        controllers=args.controllers, packages=args.packages, registers=args.registers, network=args.register_network
    )
)
root.l2 = [
    mem.TrafficGen(
        pattern=args.pattern,
        read_share=args.read_share,
        size=128,
        outstanding=args.outstanding,
        requests=args.requests,
        base=Bytes(c * args.blocks * BLOCK),
        range=Bytes(args.blocks * BLOCK),
    )
    for c in range(args.controllers)
]
for l2, controller in zip(root.l2, root.flash.controller):
    l2.mem_side = controller.mem[0]

memsim.instantiate(root, args)
memsim.simulate()
memsim.stats.dump("end")


def total(parts, name):
    return sum(getattr(p.stats, name) for p in parts)


l2, controllers, packages = root.l2, root.flash.controller, root.flash.package
print(f"lines: {sum(t.stats.bandwidth for t in l2) / 1e9:.2f} GB/s")
latencies = [t.stats.read_latency for t in l2 if t.stats.read_latency.count]
if latencies:
    print(f"latency of reads: {sum(v.mean for v in latencies) / len(latencies) / 1e3:.2f} us on average")
sensed = total(packages, "sensed_bytes")
if sensed:
    print(f"sensed: {sensed / 1e6:.1f} MB, of which {total(packages, 'useful_bytes') / sensed:.1%} were asked for")
if total(packages, "writes"):
    print(
        f"writes: {total(packages, 'write_hits') / total(packages, 'writes'):.1%} found their page in a "
        f"register; {total(packages, 'log_programs')} pages programmed, {total(packages, 'merges')} of "
        f"them sensed before; {total(packages, 'migrations')} from another plane"
    )
planes = GEOMETRY["dies"] * GEOMETRY["planes"]
busy = sum(p.stats.programming.mean for p in packages) / planes / len(packages)
print(f"planes program for {busy:.1%} of the time")
