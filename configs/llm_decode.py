"""A decode step of a language model on a V100, A100 or H100, with some of its layers.

    build/memsim configs/llm_decode.py [--chip h100-pcie] [--model llama-3-8b] [--layers 1] [--context 1024] [--head]
                                       [--far hbf|cxl|c2c [--place POLICY] [--ahead BYTES]]

docs/models/llm.md describes the kernels and what is not modelled. The time of each kernel is in the database:

    build/memsim sql memsim-out "SELECT kernel, count(*), sum(time_ns), sum(dram_bytes) FROM launches GROUP BY kernel"
"""

from contextlib import closing

import memsim
from memsim import llm
from memsim.options import script_parser, ticks, whole
from memsim.results.database import connect

parser = script_parser(__doc__)
llm.add_options(parser, "llama-3-8b", llm.dense_models())
parser.add_argument("--context", type=whole(0), default=1024, help="tokens in the cache")
parser.add_argument("--tokens", type=whole(1), default=1, help="tokens decoded, one after the other")
parser.add_argument("--head", action="store_true", help="simulate embedding and output head, too")
llm.add_placement(parser)
args = parser.parse_args()

root = memsim.Root(seed=args.seed)
root.model = llm.decoder(
    args.model,
    layers=args.layers,
    context=args.context,
    head=args.head,
    tokens=args.tokens,
    launch_latency=args.launch_latency,
    weight_bits=args.weight_bits,
    kv_bits=args.kv_bits,
    seed=args.seed,
)
root.gpu = llm.gpu(args, root.model)
root.model.dispatcher = root.gpu.dispatcher.host
memsim.instantiate(root, args)
end = memsim.simulate()
memsim.stats.dump("end")

shape = llm.shape(args.model)
OF_HEAD = "('embed', 'last_norm', 'head', 'choose')"
simulation = memsim.default()
with closing(connect(simulation.options.outdir)) as database:
    time_ns = dict(
        database.execute(
            f"SELECT kernel IN {OF_HEAD}, sum(time_ns) FROM launches WHERE run = ? GROUP BY 1",
            [simulation.id],
        )
    )
layer = time_ns[0] / args.layers / args.tokens * 1e-9
rate = shape.layer_bytes_of(args.weight_bits) / layer
# Without --head, the head is taken to be read at the rate of a layer's weights.
head = time_ns[1] / args.tokens * 1e-9 if args.head else shape.head_bytes_of(args.weight_bits) / rate
speed = llm.tokens_per_second(layer, head, shape, launch_latency=ticks(args.launch_latency) * 1e-15)
print(
    f"{end.getCause()} at {memsim.curTick() / 1e9:.1f} us: {layer * 1e6:.1f} us a layer, {rate / 1e9:.0f} GB/s of its "
    f"weights; {speed:.1f} tokens a second, extrapolated to {shape.layers} layers"
    f"{'' if args.head else ' and a head as fast as they'}"
)
if args.far:
    llm.report_traffic(root.gpu)
