"""Options that scripts with a language model have in common, and the GPU that they select."""

import argparse
from collections.abc import Collection

from ..run.options import whole
from ..systems import nvidia
from ..systems.processor import Gpu
from .decoding import GRAPH_LAUNCH


def add_options(parser: argparse._ActionsContainer, model: str, models: Collection[str]) -> None:
    """Adds --chip, --sms, --model (default `model`, one of `models`), --layers, --weight-bits, --kv-bits,
    --launch-latency and --seed."""
    parser.add_argument("--chip", default="h100-pcie", choices=list(nvidia.CHIPS))
    parser.add_argument("--sms", type=whole(1), help="number of SMs (default: that of the chip)")
    parser.add_argument("--model", default=model, choices=list(models))
    parser.add_argument("--layers", type=whole(1), default=1, help="number of simulated layers")
    parser.add_argument("--weight-bits", type=int, default=16, choices=(16, 8, 4), help="bits of a weight")
    parser.add_argument("--kv-bits", type=int, default=16, choices=(16, 8), help="bits of a cached key or value")
    parser.add_argument("--launch-latency", default=GRAPH_LAUNCH, help="time from the end of a kernel to the next")
    parser.add_argument("--seed", type=int, default=1)


def gpu(args: argparse.Namespace) -> Gpu:
    """The GPU of the options: the chip, with another number of SMs if --sms is set."""
    return nvidia.chip(args.chip).gpu(**({"sms": args.sms} if args.sms else {}))
