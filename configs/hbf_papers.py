"""The machines of papers of 2026 on High Bandwidth Flash, with a paper's program.

    build/memsim configs/hbf_papers.py --platform tilelens --workload qwen --layout row --scale judge

What is modelled: docs/models/hbf.md. `memsim reproduce hbf` runs the papers' figures.
"""

import memsim
from memsim.options import script_parser
from memsim.papers import hbf

parser = script_parser(__doc__)
parser.add_argument("--platform", default="hbf-sim", choices=hbf.platforms())
parser.add_argument("--workload", help="without it the first that the platform runs")
parser.add_argument("--scale", default="tiny", choices=hbf.workloads.SCALES)
parser.add_argument("--channels", type=int, default=16, choices=(1, 2, 4, 8, 16), help="of hbf-sim")
parser.add_argument("--slots", type=int, default=32, choices=(2, 32), help="operations at once of a channel of hbf-sim")
parser.add_argument(
    "--layout", default="none", choices=("none", *hbf.machines.LAYOUTS), help="of weights of tilelens (tile)"
)
parser.add_argument(
    "--ahead", default="none", choices=hbf.machines.AHEAD, help="read tiles ahead, as TileLens' prefetcher"
)
parser.add_argument("--latency", type=int, default=5, choices=hbf.values.TILE_LATENCIES, help="tR of tilelens in us")
parser.add_argument("--chunk", default="", help="of decode-flint: consecutive bytes in a channel (default: a page)")
parser.add_argument("--max-instructions", type=int, default=0, help="thread instructions after which no block starts")
parser.add_argument("--seed", type=int, default=1)
args = parser.parse_args()

workload = args.workload or hbf.machines.groups(args.platform)[0]
root = hbf.machine(
    hbf.MachineParameters(
        args.platform,
        workload,
        args.scale,
        channels=args.channels,
        slots=args.slots,
        layout=args.layout,
        ahead=args.ahead,
        latency=args.latency,
        chunk=args.chunk,
        seed=args.seed,
        dispatcher=dict(max_instructions=args.max_instructions),
    )
)
try:
    memsim.instantiate(root, args)  # ends the script if the run has finished earlier
    end = memsim.simulate()
    memsim.stats.dump("end")
finally:
    hbf.machines.discard(root)
print(f"{end.getCause()}: {args.platform}, {workload}, {memsim.curTick() / 1e9:.1f} us")
