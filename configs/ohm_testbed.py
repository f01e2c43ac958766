"""The computer of Ohm-GPU's Fig. 3a: a GPU, a host and a Z-SSD that holds the data of a workload.

    build/memsim configs/ohm_testbed.py [--data drive|host|resident] [--workload betw] [--scale small]

Runs with the data on the drive, in host memory and in the GPU separate the times of storage access, transfer and
computation.
"""

import memsim
from memsim.options import script_parser
from memsim.systems import ohm

parser = script_parser(__doc__)
parser.add_argument("--data", default="drive", choices=["drive", "host", "resident"])
parser.add_argument("--workload", default="bfstopo", choices=list(ohm.workloads.TABLE_II))
parser.add_argument("--scale", default="default", choices=ohm.workloads.SCALES)
parser.add_argument(
    "--max-instructions",
    type=int,
    help="thread instructions after which no block starts (0: no limit; default: the scale's)",
)
parser.add_argument("--seed", type=int, default=1)
args = parser.parse_args()

program, region = ohm.workloads.program(args.workload, args.scale, args.seed)
if args.max_instructions is not None:
    region["max_instructions"] = args.max_instructions
root = ohm.testbed(ohm.TestbedParameters(args.data, program, seed=args.seed, dispatcher=region))

memsim.instantiate(root, args)
end = memsim.simulate()
memsim.stats.dump("end")

print(
    f"{args.workload}, data {args.data}: {end.getCause()} at {memsim.curTick() / 1e12:.3f} ms; "
    f"{root.gpu.dispatcher.stats.ipc:.3g} thread instructions a cycle"
)
