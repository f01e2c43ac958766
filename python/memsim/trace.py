"""`memsim trace info|head|slice|convert`: what is in a trace, and another trace of it.

The work is done in C++ (src/workload/traces/trace_tools.hh), a record at a time.
"""

import argparse
import signal

from . import _memsim
from .files import check_output
from .options import whole

ALL = 2**64 - 1


def parser():
    p = argparse.ArgumentParser(prog="memsim trace", description="Look into traces and convert them",
                                allow_abbrev=False)
    actions = p.add_subparsers(dest="action", required=True, metavar="{info,head,slice,convert}")

    def action(name, what):
        a = actions.add_parser(name, help=what, description=what, allow_abbrev=False)
        g = a.add_argument_group("what the file does not tell about itself")
        g.add_argument("--format", default="automatic", choices=_memsim.trace_formats)
        g.add_argument("--unit", default="", metavar="TIME",
                       help="how long a unit of a text trace's times is: a cycle, or MQSim's unit")
        g.add_argument("--bytes", type=whole(0), default=64, metavar="N",
                       help="of an access, where the trace does not tell (64)")
        g.add_argument("--geometry", default="", metavar="N,N,N,N,N,N",
                       help="channels, ranks, bank groups, banks, rows, columns of Ramulator's R|W")
        return a

    def output(a):
        a.add_argument("OUT", help="the trace to write")
        a.add_argument("--to", default="memsim", choices=_memsim.trace_output_formats,
                       help="its format (memsim)")
        a.add_argument("--cycle", default="", metavar="TIME", help="of DRAMsim3's clock")

    a = action("info", "What a trace is and holds; reads all of it")
    a.add_argument("FILE", nargs="+")
    a = action("head", "The first records (of Accel-Sim's: launches)")
    a.add_argument("FILE", nargs="+")
    a.add_argument("-n", type=whole(0), default=10, metavar="N", help="how many (10)")
    a = action("slice", "A part of a trace as a trace of its own")
    a.add_argument("FILE")
    output(a)
    a.add_argument("--first", type=whole(0), default=0, metavar="N", help="first record, from 0")
    a.add_argument("--count", type=whole(0), default=ALL, metavar="N", help="how many records")
    a.add_argument("--from", dest="since", default="", metavar="TIME", help="from this time on")
    a.add_argument("--until", default="", metavar="TIME", help="before this time")
    a = action("convert", "All of a trace in another format")
    a.add_argument("FILE")
    output(a)
    return p


def trace(argv):
    """Look into traces and convert them."""
    args = parser().parse_args(argv)
    signal.signal(signal.SIGINT, signal.SIG_DFL)  # C++ works, so Python would not hear of it
    options = _memsim.TraceOptions(args.format, args.unit, args.bytes, args.geometry)
    if args.action in ("info", "head"):
        for i, file in enumerate(args.FILE):
            if len(args.FILE) > 1:
                print(f"{'' if i == 0 else chr(10)}{file}")
            if args.action == "info":
                facts = _memsim.trace_info(file, options)
                width = max(len(name) for name, _ in facts)
                for name, value in facts:
                    print(f"{name:{width}}  {value}".rstrip())
            else:
                for row in _memsim.trace_head(file, options, args.n):
                    print(*row, sep="\t")
        return
    check_output(args.OUT)
    part = ((args.first, args.count, args.since, args.until) if args.action == "slice" else
            (0, ALL, "", ""))
    n = _memsim.trace_convert(args.FILE, options, *part, args.OUT, args.to, args.cycle)
    print(f"{args.OUT}: {n} records")
