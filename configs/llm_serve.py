"""Requests to a language model, served in batches by a V100, A100 or H100 with some of the model's layers.

    build/memsim configs/llm_serve.py [--chip h100-pcie] [--model tiny-moe] [--layers 1] [--requests 4]
                                      [--far hbf|cxl|c2c [--place POLICY] [--ahead BYTES [--predict router]]]

docs/models/llm.md describes the kernels, the schedule and what is not modelled. Times and rates are those of the
simulated layers with embedding and head. The traffic of each kernel is in the database:

    build/memsim sql memsim-out "SELECT kernel, count(*), sum(time_ns), sum(dram_bytes) FROM launches GROUP BY kernel"
"""

import memsim
from memsim import llm
from memsim.options import script_parser, whole

parser = script_parser(__doc__)
llm.add_options(parser, "tiny-moe", llm.SHAPES)
parser.add_argument("--requests", type=whole(1), default=4)
parser.add_argument("--prompt", type=whole(1), default=128, help="most tokens of a prompt")
parser.add_argument("--prompt-spread", type=whole(0), default=0, help="prompts have up to so many tokens fewer")
parser.add_argument("--shared-prefix", type=whole(0), default=0, help="first tokens that all requests have in common")
parser.add_argument("--context", type=whole(0), default=0, help="tokens of each request in the cache at its arrival")
parser.add_argument("--tokens", type=whole(1), default=4, help="tokens that each request generates")
parser.add_argument("--arrival-gap", type=whole(0), default=0, help="mean steps between arrivals")
parser.add_argument("--batch", type=whole(1), default=8, help="most requests in progress")
parser.add_argument("--step-tokens", type=whole(1), default=2048, help="most tokens of a step")
parser.add_argument("--cache-blocks", type=whole(0), default=0, help="blocks of 16 tokens; 0: enough for a full batch")
parser.add_argument("--evict", default="none", choices=("none", "recompute", "swap"), help="if no block is free")
parser.add_argument("--temperature", default="0%", help="0%%: the most likely token; 100%%: by the probabilities")
llm.add_placement(parser)
args = parser.parse_args()

root = memsim.Root(seed=args.seed)
root.model = llm.engine(
    args.model,
    layers=args.layers,
    requests=args.requests,
    prompt=args.prompt,
    prompt_spread=args.prompt_spread,
    shared_prefix=args.shared_prefix,
    context=args.context,
    tokens=args.tokens,
    arrival_gap=args.arrival_gap,
    batch=args.batch,
    step_tokens=args.step_tokens,
    cache_blocks=args.cache_blocks,
    evict=args.evict,
    temperature=args.temperature,
    weight_bits=args.weight_bits,
    kv_bits=args.kv_bits,
    launch_latency=args.launch_latency,
    seed=args.seed,
    **llm.predictions(args),
)
root.gpu = llm.gpu(args, root.model)
root.model.dispatcher = root.gpu.dispatcher.host
memsim.instantiate(root, args)
end = memsim.simulate()
memsim.stats.dump("end")

stats = root.model.stats
between = stats.time_between_tokens
predicted = float(stats.predicted_used) + float(stats.predicted_unused)
print(
    f"{end.getCause()} at {memsim.curTick() / 1e9:.1f} us: {stats.requests} requests in {stats.steps} steps of "
    f"{stats.step_tokens.mean:.1f} tokens, {stats.token_rate:.0f} tokens generated a second; first token after "
    f"{stats.time_to_first_token.mean / 1000:.1f} us"
    + (f", {between.mean / 1000:.1f} us between tokens" if between.count else "")
    + (f", {stats.evictions} evictions" if args.evict != "none" else "")
    + (
        f", {float(stats.predicted_used):.0f} of {predicted:.0f} predicted experts used"
        if args.predict == "router"
        else ""
    )
    + f", of {args.layers} of {llm.shape(args.model).layers} layers and the head"
)
if args.far:
    llm.report_traffic(root.gpu)
