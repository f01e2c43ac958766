"""What scripts share that run a graph workload on a scaled machine: their arguments and the program."""

import argparse

from .. import workload, workloads
from .scale import KRONECKER, kronecker_scale


def arguments(doc, platforms):
    """The script's arguments, and the program that they name. `doc` is the script's, `platforms` what
    --platform may be; 'ohm-base' is the default."""
    parser = argparse.ArgumentParser(description=doc.splitlines()[0])
    parser.add_argument("--platform", default="ohm-base", choices=list(platforms))
    parser.add_argument("--kernel", default="bfs1", choices=workloads.names(of="vertices"),
                        metavar="NAME", help="a graph workload; `memsim workloads` lists them")
    parser.add_argument("--graph", default="", help="a graph file instead of a generated graph")
    parser.add_argument("--scale", default="default",
                        help=f"{', '.join(KRONECKER)}, or a ratio of the paper's 8 GiB such as 1/512")
    parser.add_argument("--iterations", type=int, default=3, help="of pagerank")
    parser.add_argument("--max-instructions", type=int, default=0,
                        help="thread instructions after which no block starts (0: no limit)")
    parser.add_argument("--first-launch", type=int, default=0, help="region of interest: skip to it")
    parser.add_argument("--launches", type=int, default=0,
                        help="region of interest: its length (0: all)")
    parser.add_argument("--seed", type=int, default=1)
    args = parser.parse_args()
    try:
        vertices = kronecker_scale(args.scale)
    except ValueError as e:
        parser.error(str(e))
    return args, workload.Program(name=args.kernel, input=args.graph, size=vertices, seed=args.seed,
                                  iterations=args.iterations)
