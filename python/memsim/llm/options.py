"""Options that scripts with a language model have in common, and the GPU that they select, with its memory."""

import argparse
from collections.abc import Collection
from typing import Any

from .. import SimObject
from ..arguments import whole
from ..errors import Error
from ..model.provenance import derived, wired
from ..systems import ahead, far, nvidia, placed, scale
from ..systems.placed import Memory, Range
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
    """Adds --far, --place, --ahead, --buffer and --predict."""
    parser.add_argument("--far", choices=list(far.KNOWN), help="far memory beside the chip's own")
    parser.add_argument(
        "--place",
        action="append",
        default=[],
        metavar="POLICY",
        help=f"data in far memory: {', '.join(placement.POLICIES)}, such as 'layers(last=2)'; may be repeated "
        "(default: weights)",
    )
    parser.add_argument(
        "--ahead", metavar="BYTES", help="size of a buffer into which the next layer's far weights are read"
    )
    parser.add_argument("--buffer", choices=("local", "sram"), default="local", help="memory of that buffer")
    parser.add_argument(
        "--predict",
        choices=("all", "last", "router"),
        default="all",
        help="what is read ahead: all, what was read last time, or the experts that the next layer's router predicts",
    )


def predictions(args: argparse.Namespace) -> dict[str, Any]:
    """The parameters of a workload.ServingEngine that predicts experts for --predict router."""
    if args.predict != "router":
        return {}
    _check_read_ahead(args)
    return dict(signal_channels=wired(nvidia.chip(args.chip).slices))


def gpu(args: argparse.Namespace, model: SimObject | None = None) -> Gpu:
    """The GPU of the options: the chip, with another number of SMs if --sms is set. With --far, the data of `model`
    that --place names lie in that memory."""
    _check_read_ahead(args)
    chip = nvidia.chip(args.chip)
    given: dict[str, Any] = {"sms": args.sms} if args.sms else {}
    if getattr(args, "predict", "") == "router":
        given["hash_rounds"] = derived(1, from_="a signal of the router has to reach all channels")
    if model is None or not args.far:
        for option in ("place", "ahead"):
            if getattr(args, option, None):
                raise Error(f"--{option}: there is no far memory: name one with --far")
        return chip.gpu(**given)
    memory = far.memory(args.far)
    ranges = placement.far(model, *(args.place or ["weights"]))
    if not memory.writable:
        _check_unwritten(model, ranges, args.far)
    return chip.gpu(memory=_with_far(args, model, memory.channel, ranges), **given)


def _check_read_ahead(args: argparse.Namespace) -> None:
    """Refuses options of --ahead without it."""
    for option, default in () if getattr(args, "ahead", None) else (("buffer", "local"), ("predict", "all")):
        if (value := getattr(args, option, default)) != default:
            raise Error(f"--{option} {value}: nothing is read ahead: give the size of a buffer with --ahead")


def _with_far(args: argparse.Namespace, model: SimObject, channel: Memory, ranges: list[Range]) -> Memory:
    fars = [(channel, ranges)]
    data = scale.footprint(model)
    if args.ahead and args.buffer == "sram":
        fars.append((ahead.sram, [ahead.place(args.ahead, data)]))
    made = placed.spread(fars, nvidia.chip(args.chip).memory(), counted=model)
    if not args.ahead:
        return made
    groups = placement.order(model, ranges)
    if args.predict != "router":
        following = derived(min(len(placement.KERNELS), len(groups) - 1), from_="the kernels of a layer")
        return ahead.before(made, groups, args.ahead, data, ahead=following, predict=args.predict)
    # The kernels before `gate` signal the experts of the next layer: of gate and up, and of down behind them.
    following = derived(min(len(placement.KERNELS) + 2, len(groups) - 1), from_="the kernels of a layer, and two")
    return ahead.before(made, groups, args.ahead, data, placement.signals(model, groups), ahead=following)


def _check_unwritten(model: SimObject, ranges: Collection[Range], name: str) -> None:
    for array, base, size, read_only in model._prepared.allocations:
        if not read_only and any(one.base < base + size and base < one.base + one.bytes for one in ranges):
            raise Error(f"--place: '{array}' is written by kernels, but {name} accepts only reads: leave it local")


def report_traffic(gpu: Gpu) -> None:
    """Prints the traffic of each memory by kind of data, and the result of reading ahead."""
    for memory, arrays in placed.traffic(gpu).items():
        sizes = [f"{size / 1e6:.3g} MB of {of}" for of, size in placement.kinds(arrays).items()]
        print(f"{memory}: {', '.join(sizes) or 'no traffic'}")
    if read := ahead.reads(gpu):
        print("read ahead: " + ", ".join(f"{number:.0f} {name}" for name, number in read.items()))
