"""`memsim trace info|head|slice|convert|formats|commands`: shows the contents of a trace, or converts it.

C++ code (src/workload/traces/trace_tools.hh) processes the trace record by record.
"""

import argparse
import re
import signal
from fractions import Fraction

from .. import _memsim
from ..arguments import whole
from ..errors import Error
from ..files import check_output, os_error, replacing

ALL = 2**64 - 1


def register(parser: argparse.ArgumentParser) -> None:
    parser.description = "Show and convert traces"
    actions = parser.add_subparsers(dest="action", required=True, metavar="{info,head,slice,convert,formats,commands}")

    def action(name: str, what: str) -> argparse.ArgumentParser:
        a = actions.add_parser(name, help=what, description=what, allow_abbrev=False)
        if name == "commands":
            return a
        _add_facts(a.add_argument_group("facts that the file does not state"))
        return a

    a = action("info", "Summarise a trace; reads all of it")
    a.add_argument("FILE", nargs="+")
    a = action("head", "The first records (of Accel-Sim's: launches)")
    a.add_argument("FILE", nargs="+")
    a.add_argument("-n", type=whole(0), default=10, metavar="N", help="the number of records (10)")
    a = action("slice", "Write a part of a trace")
    a.add_argument("FILE")
    _add_output(a)
    a.add_argument("--first", type=whole(0), default=0, metavar="N", help="first record, from 0")
    a.add_argument("--count", type=whole(0), default=ALL, metavar="N", help="the number of records")
    a.add_argument("--from", dest="since", default="", metavar="TIME", help="first time")
    a.add_argument("--until", default="", metavar="TIME", help="end time")
    a = action("convert", "Write a trace in another format")
    a.add_argument("FILE")
    _add_output(a)
    a = action(
        "commands",
        "Write the command trace of a DRAM channel for DRAMPower from the lines of the debug flag DramCommands",
    )
    a.add_argument("FILE", help="a file of --debug-file")
    a.add_argument("OUT", help="the command trace to write: lines of cycle,command,bank")
    a.add_argument("--cycle", required=True, metavar="TIME", help="the cycle of the DRAM's clock")
    a.add_argument("--of", default="", metavar="PATH", help="the controller (if there are several)")
    a.add_argument("--rank", type=whole(0), default=0, metavar="N", help="the rank (0)")
    what = "The formats, as a table: name, origin, layout of a line, notes, whether memsim writes it, its player"
    actions.add_parser("formats", help="The formats, as a table", description=what, allow_abbrev=False)


def _add_facts(g: argparse._ArgumentGroup) -> None:
    """Options for what a trace may not contain."""
    g.add_argument("--format", default="automatic", choices=_memsim.trace_formats)
    g.add_argument(
        "--unit",
        default="",
        metavar="TIME",
        help="the unit of a text trace's times: a cycle, or MQSim's unit",
    )
    g.add_argument(
        "--bytes",
        type=whole(0),
        default=64,
        metavar="N",
        help="bytes of an access, if the trace does not state them (64)",
    )
    g.add_argument(
        "--geometry",
        default="",
        metavar="N,N,N,N,N,N",
        help="channels, ranks, bank groups, banks, rows, columns of Ramulator's R|W",
    )
    g.add_argument(
        "--map",
        default="RoRaBaCoCh",
        metavar="MAP",
        help="the memory's address map, for Ramulator's R|W (RoRaBaCoCh)",
    )
    g.add_argument("--from-first", action="store_true", help="count times from the first record")
    g.add_argument(
        "--gem5",
        default="common",
        choices=_memsim.gem5_commands,
        help="the gem5 version of the numbers of packet commands (common)",
    )


def _add_output(a: argparse.ArgumentParser) -> None:
    a.add_argument("OUT", help="the trace to write")
    a.add_argument("--to", default="memsim", choices=_memsim.trace_output_formats, help="the format of OUT (memsim)")
    a.add_argument("--cycle", default="", metavar="TIME", help="the cycle of DRAMsim3's clock")


def formats() -> str:
    """The table of formats, in Markdown."""
    rows = [["name", "of", "a line", "", "written", "played by"], ["---"] * 6]
    for name, title, shape, notes, written, played_by in _memsim.trace_format_rows():
        line = "`" + shape.replace("|", "\\|") + "`" if shape else ""
        rows.append([f"`{name}`", title, line, notes, written, played_by])
    return "".join(
        "|" + "|".join(f" {cell} " if cell not in ("", "---") else cell or " " for cell in row) + "|\n" for row in rows
    )


COMMAND = re.compile(r"[\d.]+ns: (\S+): DramCommands: (\w+) rank (\d+) bank (\d+)(?: row \d+)? at ([\d.]+)ns\n?")


def commands(file: str, out: str, cycle: str, path: str, rank: int) -> int:
    """Writes the command trace of one rank in order of time. Returns the number of commands."""
    try:
        with open(file, encoding="utf-8", errors="replace") as lines:
            found = [m.groups() for line in lines if (m := COMMAND.fullmatch(line))]
    except OSError as e:
        raise Error(f"{file}: {e.strerror}: name the file of --debug-file") from None
    paths = sorted({of for of, *_ in found})
    if not paths:
        raise Error(f"{file}: has no line of the debug flag DramCommands: run with --debug-flags DramCommands")
    if path not in paths and (path or len(paths) > 1):
        raise Error(f"{file}: has commands of {', '.join(paths)}: name one of them by --of")
    period = _memsim.ticks(cycle)
    if period <= 0:
        raise Error(f"--cycle: {cycle} is no period: give that of the DRAM's clock, such as 0.833ns")
    rows = sorted(
        (round(Fraction(at) * 10**6 / period), i, name, bank)
        for i, (of, name, of_rank, bank, at) in enumerate(found)
        if of == (path or paths[0]) and int(of_rank) == rank and name != "ACT2"
    )

    def write() -> None:
        with replacing(out) as to:
            to.writelines(f"{at},{name},{bank}\n" for at, _, name, bank in rows)

    os_error(write, out)
    return len(rows)


def main(args: argparse.Namespace) -> None:
    if args.action == "commands":
        check_output(args.OUT)
        n = commands(args.FILE, args.OUT, args.cycle, args.of, args.rank)
        print(f"{args.OUT}: {n} commands")
        return
    if args.action == "formats":
        print(formats(), end="")
        return
    signal.signal(signal.SIGINT, signal.SIG_DFL)  # C++ code runs, in which Python handles no signal
    options = _memsim.TraceOptions(
        args.format, args.unit, args.bytes, args.geometry, args.map, args.from_first, args.gem5
    )
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
    part = (args.first, args.count, args.since, args.until) if args.action == "slice" else (0, ALL, "", "")
    n = _memsim.trace_convert(args.FILE, options, *part, args.OUT, args.to, args.cycle)
    print(f"{args.OUT}: {n} records")
