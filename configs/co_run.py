"""Two graph algorithms that run concurrently on one GPU: SMs split or shared, one memory.

    build/memsim configs/co_run.py [--partition shared] [--when-one-ends repeat] [--only 0] ...

With --only an application uses the whole machine alone, as the baseline of a weighted speedup (docs/models/gpu.md).
"""

import memsim
from memsim import systems, workload
from memsim.options import script_parser

parser = script_parser(__doc__)
parser.add_argument(
    "--only", type=int, metavar="I", help="run kernel I (from 0) alone, on all SMs (default: all kernels)"
)
parser.add_argument(
    "--kernels", nargs="+", default=["bfs1", "pagerank"], help="graph workloads; `memsim workloads` lists them"
)
parser.add_argument("--partition", default="spatial", choices=["spatial", "shared"])
parser.add_argument("--sm-split", default="", help="SMs of each kernel, such as 3,1 (spatial; default: equal shares)")
parser.add_argument("--when-one-ends", default="run_on", choices=["run_on", "repeat", "stop"])
parser.add_argument("--vertices", type=int, default=10, help="binary logarithm of the vertices of each graph")
parser.add_argument("--sms", type=int, default=4)
args = parser.parse_args()

if args.only is not None and not 0 <= args.only < len(args.kernels):
    parser.error(f"--only {args.only}: kernels are 0 to {len(args.kernels) - 1}")
kernels = args.kernels if args.only is None else [args.kernels[args.only]]
root = memsim.Root(seed=1)
root.program = [workload.Program(name=k, size=args.vertices, iterations=3) for k in kernels]
root.gpu = systems.gpu(
    sms=args.sms,
    l1="12KiB",
    l2=dict(capacity="64KiB", targets=8),
    network=dict(width="32B"),
    memory="ddr4_3200",
    channels=1,
    dispatcher=dict(
        applications=len(kernels),
        partition=args.partition,
        when_one_ends=args.when_one_ends,
        sm_split=args.sm_split if args.only is None else "",
    ),
)
for program in root.program:
    program.dispatcher = root.gpu.dispatcher.host

memsim.instantiate(root, args)
memsim.simulate()
memsim.stats.dump("end")

stats = root.gpu.dispatcher.stats
for i, kernel in enumerate(kernels):
    print(
        f"{kernel}: {stats.application_ipc[i]:.3f} thread instructions a cycle, ended at "
        f"{stats.application_end[i] / 1e3:.1f} us, begun again {stats.application_repeats[i]} times"
    )
print(f"sum of IPCs {stats.ipc_sum:.3f}")
