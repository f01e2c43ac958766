"""Many generators, each with 64 requests in flight to a memory of 100 ns: a machine that gains from several cores.

    build/memsim --threads 2 -d DIR tests/bench/generators.py [--generators 32] [--requests 500000]
"""

import memsim
from memsim import System, mem
from memsim.options import script_parser, whole

parser = script_parser(__doc__)
parser.add_argument("--generators", type=whole(1), default=32)
parser.add_argument("--requests", type=whole(1), default=500_000, help="of each generator")
parser.add_argument("--seed", type=int, default=1)
args = parser.parse_args()

root = memsim.Root(seed=args.seed)
root.side = [System() for _ in range(args.generators)]
for side in root.side:
    side.generator = mem.TrafficGen(requests=args.requests, outstanding=64)
    side.memory = mem.SimpleMemory(latency="100ns")
    side.generator.mem_side = side.memory.cpu_side
memsim.instantiate(root, args)
end = memsim.simulate()
print(f"{args.generators * args.requests} requests: {end.getCause()} at {memsim.curTick() / 1e9:.1f} us")
