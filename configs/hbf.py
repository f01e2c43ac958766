"""A decode step of a language model on an H100 whose weights lie in High Bandwidth Flash (HBF), some layers of it.

    build/memsim configs/hbf.py [--way beside] [--paper dash] [--model llama-3-8b] [--layers 1] [--sms 132]

beside  weights in HBF, all else in HBM: a range of addresses each
behind  all data in HBF, managed by an FTL; HBM is a page cache of `--local`
alone   as `behind`, with an SRAM of `--local` in place of the HBM
hbm     all data in HBM, to compare with

The stack and what is not modelled: docs/models/hbf.md.
"""

import memsim
from memsim import llm, mem
from memsim.options import script_parser, whole
from memsim.systems import hbf, nvidia, placed, scale
from memsim.units import Bytes

WAYS = ("beside", "behind", "alone", "hbm")

parser = script_parser(__doc__)
parser.add_argument("--way", default="beside", choices=WAYS)
parser.add_argument("--paper", default="dash", choices=list(hbf.PAPERS), help="whose figures of HBF are used")
parser.add_argument("--chip", default="h100-sxm", choices=list(nvidia.CHIPS))
parser.add_argument("--model", default="llama-3-8b", choices=llm.dense_models())
parser.add_argument("--layers", type=whole(1), default=1)
parser.add_argument("--weight-bits", type=int, default=16, choices=(16, 8, 4), help="of a weight")
parser.add_argument("--context", type=whole(0), default=1024, help="tokens in the cache")
parser.add_argument("--local", default="40MiB", help="capacity of the page cache of `behind` and `alone`")
parser.add_argument("--tr", help="time of a sense, such as 10us; without it the paper's")
parser.add_argument("--sms", type=whole(1), help="number of SMs; without it as many as the chip has")
parser.add_argument(
    "--channels", type=whole(1), help="slices of the L2, channels of HBM and of HBF; without it the chip's"
)
parser.add_argument("--seed", type=int, default=1)
args = parser.parse_args()

root = memsim.Root(seed=args.seed)
root.model = llm.decoder(args.model, layers=args.layers, context=args.context, weight_bits=args.weight_bits)
chip = nvidia.chip(args.chip)
shape = {"sms": args.sms} if args.sms else {}
if args.channels:
    l2 = chip.ways * 128 * args.channels * 32  # bytes: 32 sets of a slice
    shape |= dict(channels=args.channels, slices=args.channels, l2=Bytes(l2))
flash = {"t_read": args.tr} if args.tr else {}
if args.way == "hbm":
    root.gpu = chip.gpu(**shape)
elif args.way == "beside":
    weights = placed.arrays(root.model, "weights.")
    root.gpu = chip.gpu(memory=placed.beside(hbf.channel(args.paper, **flash), weights, chip.memory()), **shape)
else:
    root.gpu = chip.gpu(memory=None, **shape)
    # The SRAM of each channel is as fast as a channel of HBF: an assumption.
    local = (
        chip.memory()
        if args.way == "behind"
        else lambda i, interleave: mem.SimpleMemory(latency="20ns", bandwidth="100GB/s")
    )
    drive = hbf.drive(scale.footprint(root.model), args.paper, **flash)
    placed.behind(root.gpu, drive, args.local, local)
root.model.dispatcher = root.gpu.dispatcher.host
memsim.instantiate(root, args)
end = memsim.simulate()
memsim.stats.dump("end")

seconds = memsim.curTick() / 1e15
read = args.layers * llm.shape(args.model).layer_bytes_of(args.weight_bits)
print(
    f"{end.getCause()}: {args.way}, {seconds / args.layers * 1e6:.1f} us a layer, "
    f"{read / seconds / 1e9:.0f} GB/s of weights"
)
