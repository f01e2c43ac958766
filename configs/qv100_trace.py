"""An Accel-Sim trace on a machine like its Quadro V100. Prints counts of the trace.

    build/memsim configs/qv100_trace.py TRACE/kernelslist.g [--repeat 10]
"""

import time

import memsim
from memsim import workload
from memsim.options import script_parser
from memsim.systems import qv100

parser = script_parser(__doc__)
parser.add_argument("trace", help="kernelslist.g or one .traceg file")
parser.add_argument("--repeat", type=int, default=1, help="number of times that the trace is played")
parser.add_argument("--sms", type=int, default=80)
parser.add_argument("--arithmetic", default="stretches", choices=["stretches", "units"], help="docs/traces.md")
parser.add_argument("--seed", type=int, default=1)
args = parser.parse_args()

program = workload.TraceProgram(trace=args.trace, repeat=args.repeat, arithmetic=args.arithmetic)
root = qv100.qv100(program, sms=args.sms, seed=args.seed)
memsim.instantiate(root, args)
began = time.process_time()
end = memsim.simulate()
spent = time.process_time() - began
memsim.stats.dump("end")

found = qv100.counts(root)
for name, value in found.items():
    print(f"{name:20} {value:12,}")
print(f"{'cycles':20} {int(root.gpu.dispatcher.stats.cycles):12,}")
print(
    f"{end.getCause()} at {memsim.curTick() / 1e9:.3f} us; {spent:.2f} s of CPU time in the loop, "
    f"{found['warp instructions'] / spent:,.0f} warp instructions a CPU second"
)
