"""The command line of Ohm-GPU's scripts: which platform, which program at which scale, which options of
the machine."""

import argparse

import memsim

from ... import SimObject, workload
from ...arguments import whole
from ...model import workloads as catalogue
from ...run.event import Event
from ...run.options import script_parser
from . import dram, machines, workloads
from .scale import DEMO_FLOORS, DEMO_INSTRUCTIONS, KRONECKER, kronecker_scale


def simulate() -> Event:
    """Runs to the end; returns the last Event. Statistics cover the time after the warm-up, if there is one."""
    end = memsim.simulate()
    if end.getCause().endswith("thread instructions issued"):
        memsim.stats.reset()
        end = memsim.simulate()
    return end


def arguments(doc: str, mode: str) -> tuple[argparse.Namespace, machines.MachineParameters]:
    """The arguments of a script with the docstring `doc`, and the machine that they describe."""
    parser = _parser(doc, mode)
    args = parser.parse_args()
    program, region, floors = _program(parser, args)
    return args, machines.MachineParameters(
        mode,
        args.platform,
        program,
        machines.machine_scale(mode, args.platform, program, **floors),
        seed=args.seed,
        waveguides=args.waveguides,
        migration_channel=args.migration_channel,
        rings=args.rings,
        host_page=args.host_page,
        dispatcher=dict(region, launches=args.launches),
    )


def _parser(doc: str, mode: str) -> argparse.ArgumentParser:
    """The options; 'ohm-base' is the default platform."""
    parser = script_parser(doc)
    parser.add_argument("--platform", default="ohm-base", choices=machines.platforms(mode))
    parser.add_argument("--waveguides", type=int, default=1, help="of an optical channel")
    parser.add_argument(
        "--migration-channel",
        default="shared",
        choices=["shared", "dedicated"],
        help="dedicated: migration has a channel of its own (Fig. 8)",
    )
    parser.add_argument(
        "--rings",
        default="array",
        choices=["array", "single"],
        help="single: rings are tuned for each route, for 500 ps (IV-C)",
    )
    parser.add_argument("--host-page", type=whole(1), default=dram.PAGE, help="bytes of a page of origin's host")
    what = parser.add_mutually_exclusive_group()
    what.add_argument(
        "--workload",
        choices=list(workloads.TABLE_II),
        help="one of the paper's ten, with the size and region of the scale; without: --kernel",
    )
    what.add_argument(
        "--kernel",
        default="bfs1",
        choices=catalogue.names(of="vertices"),
        metavar="NAME",
        help="a graph workload; `memsim workloads` lists them",
    )
    parser.add_argument("--graph", default="", help="a graph file; without: a generated graph")
    parser.add_argument(
        "--scale",
        help=f"{', '.join(KRONECKER)}, or (--kernel) a ratio of the paper's 8 GiB such as 1/512 "
        "(default: demo; with --workload or --graph default)",
    )
    parser.add_argument("--iterations", type=int, default=3, help="of pagerank")
    parser.add_argument(
        "--max-instructions",
        type=int,
        help="thread instructions after which no block starts (0: no limit; default: the workload's)",
    )
    parser.add_argument(
        "--first-touch",
        action="store_true",
        help="measure all of the region, with the first touches of its data (default, with --workload and a limit of "
        "instructions: its second half)",
    )
    parser.add_argument("--first-launch", type=int, help="region of interest: skip to it; without: the workload's")
    parser.add_argument("--launches", type=int, default=0, help="region of interest: its length (0: all)")
    parser.add_argument("--seed", type=int, default=1)
    return parser


def _program(
    parser: argparse.ArgumentParser, args: argparse.Namespace
) -> tuple[SimObject, dict[str, int], dict[str, int]]:
    """The workload.Program, its region as parameters of gpu.Dispatcher, and floors for machine_scale()."""
    args.scale = args.scale or ("default" if args.workload or args.graph else "demo")
    region: dict[str, int] = dict(max_instructions=0, first_launch=0)
    floors: dict[str, int] = {}
    if args.workload:
        if args.scale not in workloads.SCALES or args.graph:
            parser.error(f"--workload {args.workload} takes a --scale of {', '.join(workloads.SCALES)} and no --graph")
        program, region = workloads.program(args.workload, args.scale, args.seed)
        floors = {"l2_floor": workloads.L2_FLOOR}
    else:
        try:
            vertices = kronecker_scale(args.scale)
        except ValueError as e:
            parser.error(str(e))
        if args.scale == "demo":
            floors, region["max_instructions"] = DEMO_FLOORS, DEMO_INSTRUCTIONS
        program = workload.Program(
            name=args.kernel, input=args.graph, size=vertices, seed=args.seed, iterations=args.iterations
        )
    for name in region:
        if (given := getattr(args, name)) is not None:
            region[name] = given
    if args.workload and not args.first_touch:
        region["pause_at_instructions"] = workloads.warm_up(region["max_instructions"])
    return program, region, floors
