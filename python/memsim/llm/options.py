"""Options that scripts with a language model have in common, and the GPU that they select, with its memory."""

import argparse
from collections.abc import Collection

from .. import SimObject
from ..errors import Error
from ..run.options import whole
from ..systems import far, nvidia, placed
from ..systems.placed import Range
from ..systems.processor import Gpu
from . import placement
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


def add_placement(parser: argparse._ActionsContainer) -> None:
    """Adds --far and --place."""
    parser.add_argument("--far", choices=list(far.KNOWN), help="far memory beside the chip's own")
    parser.add_argument(
        "--place",
        action="append",
        default=[],
        metavar="POLICY",
        help=f"data in far memory: {', '.join(placement.POLICIES)}, such as 'layers(last=2)'; may be repeated "
        "(default: weights)",
    )


def gpu(args: argparse.Namespace, model: SimObject | None = None) -> Gpu:
    """The GPU of the options: the chip, with another number of SMs if --sms is set. With --far, the data of `model`
    that --place names lie in that memory."""
    chip = nvidia.chip(args.chip)
    given = {"sms": args.sms} if args.sms else {}
    if model is None or not args.far:
        if getattr(args, "place", []):
            raise Error("--place: there is no far memory: name one with --far")
        return chip.gpu(**given)
    memory = far.memory(args.far)
    ranges = placement.far(model, *(args.place or ["weights"]))
    if not memory.writable:
        _check_unwritten(model, ranges, args.far)
    beside = placed.beside(memory.channel, ranges, chip.memory(), counted=model)
    return chip.gpu(memory=beside, **given)


def _check_unwritten(model: SimObject, ranges: Collection[Range], name: str) -> None:
    for array, base, size, read_only in model._prepared.allocations:
        if not read_only and any(one.base < base + size and base < one.base + one.bytes for one in ranges):
            raise Error(f"--place: '{array}' is written by kernels, but {name} accepts only reads: leave it local")
