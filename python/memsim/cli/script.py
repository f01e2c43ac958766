"""`memsim [options] script.py arguments` and `memsim [options] --restore FILE`: runs a script."""

import argparse
import contextlib
import dataclasses
import os
import re
from collections.abc import Iterator

import memsim

from .. import _memsim
from ..errors import Error, did_you_mean
from ..files import check_output
from ..model import reference
from ..run import children
from ..run.options import add_changes, add_oracles, add_stamps, add_threads, ticks, whole
from ..run.session import session
from ..run.start import run_script
from .restoring import restore
from .subcommands import SUBCOMMANDS


def register(p: argparse.ArgumentParser) -> None:
    """Adds memsim's own options, and the script with its arguments."""
    p.formatter_class = argparse.RawDescriptionHelpFormatter
    p.usage = (
        "memsim [options] script.py [arguments]\n"
        "       memsim [options] --restore FILE\n       memsim SUBCOMMAND ..."
    )
    p.description = "Options before the script are memsim's, those after it the script's."
    p.epilog = "subcommands (memsim SUBCOMMAND --help lists their options):\n" + "\n".join(
        f"  {name:10} {subcommand.help}" for name, subcommand in SUBCOMMANDS.items()
    )
    p.add_argument("-d", "--outdir", metavar="DIR", help="the output directory (memsim-out)")
    p.add_argument("--stats-db", metavar="FILE", help="database of results (OUTDIR/stats.db)")
    p.add_argument(
        "-i", dest="interactive", action="store_true", help="a Python prompt after the script, or without a script"
    )
    p.add_argument("-q", "--quiet", action="store_true", help="print no progress and no warnings")
    p.add_argument("-v", "--verbose", action="store_true", help="print progress also if stderr is no terminal")
    p.add_argument(
        "--watch",
        metavar="PORT",
        type=whole(0, 65535),
        help="show the run as a page at http://127.0.0.1:PORT while it is running (0: any free port)",
    )
    add_threads(p)
    p.add_argument("--list-sim-objects", action="store_true", help="list the component types")
    p.add_argument("--version", action="version", version=f"memsim {memsim.__version__}", help="print the version")
    _add_configuration(p.add_argument_group("configuration"))
    _add_checkpoints(p.add_argument_group("checkpoints"))
    _add_debugging(p.add_argument_group("debugging"))
    add_oracles(p)
    p.add_argument("command", nargs=argparse.REMAINDER, metavar="script.py arguments")


def _add_configuration(g: argparse._ArgumentGroup) -> None:
    add_changes(g, "; with --restore a tunable one")
    g.add_argument(
        "--skip-finished",
        action="store_true",
        help="end at once if the database has these results: a finished run of the same "
        "program, script, arguments and parameters; continue an unfinished run from its last "
        "checkpoint; end with code 75 if another process runs it",
    )


def _add_checkpoints(g: argparse._ArgumentGroup) -> None:
    g.add_argument("--restore", metavar="FILE", action="append", default=[], help="continue from a checkpoint")
    g.add_argument(
        "--trust",
        action="store_true",
        help="with --restore: run the checkpoint's script without confirmation by a database of yours",
    )
    g.add_argument(
        "--checkpoint-at", metavar="TIME", action="append", type=ticks, help="save at this simulated time (repeatable)"
    )
    g.add_argument(
        "--checkpoint-sim-period", metavar="TIME", type=_positive_time, help="save at intervals of simulated time"
    )
    g.add_argument(
        "--checkpoint-wall-period",
        metavar="TIME",
        type=_positive_time,
        help="save at intervals of real time, as OUTDIR/wall-<run>.ckpt",
    )


def _add_debugging(g: argparse._ArgumentGroup) -> None:
    g.add_argument(
        "--debug-flags", metavar="A,-B", type=_flags, help="print the messages of these flags; -B removes B from All"
    )
    g.add_argument("--debug-start", metavar="TIME", type=ticks, default=0, help="first simulated time of the messages")
    g.add_argument("--debug-end", metavar="TIME", type=ticks, default=_memsim.never, help="end of the messages")
    g.add_argument(
        "--debug-file", metavar="FILE", default="", help="write the messages into this file instead of stderr"
    )
    g.add_argument("--debug-help", action="store_true", help="list the debug flags")
    add_stamps(g)
    g.add_argument(
        "--timeline",
        metavar="FILE",
        default="",
        help="write kernel launches, stamped requests and the components' activity as trace "
        "events, which ui.perfetto.dev opens; --stamps is 100 by default",
    )
    g.add_argument(
        "--timeline-start", metavar="TIME", type=ticks, default=0, help="start of the timeline in simulated time"
    )
    g.add_argument(
        "--timeline-end",
        metavar="TIME",
        type=ticks,
        default=_memsim.never,
        help="end of the timeline in simulated time",
    )
    g.add_argument(
        "--timeline-limit",
        metavar="SIZE",
        type=_file_size,
        default=0,
        help="the largest size of the file, such as 100MB; a message at the end of the run counts missing events",
    )


def _file_size(text: str) -> int:
    try:
        size = int(_memsim.bytes(text))
    except Error as e:
        raise argparse.ArgumentTypeError(str(e)) from None
    if size < 1024:
        raise argparse.ArgumentTypeError(f"'{text}' is less than a timeline's first lines need: give 1KiB or more")
    return size


def _positive_time(text: str) -> int:
    at: int = ticks(text)
    if at <= 0:
        raise argparse.ArgumentTypeError(f"'{text}' is no period: it must be longer than 0")
    return at


def _flags(text: str) -> list[str]:
    """The names of the flags that are enabled after 'A,-B' was read from left to right."""
    known, on = [name for name, _ in _memsim.debug_flags()], dict[str, bool]()
    for word in text.split(","):
        name = word.removeprefix("-")
        if name != "All" and name not in known:
            raise argparse.ArgumentTypeError(
                f"there is no debug flag '{name}'{_memsim.nearest(name, known)}; " "--debug-help lists them"
            )
        on.update(dict.fromkeys(known if name == "All" else [name], not word.startswith("-")))
    return [name for name, is_on in on.items() if is_on]


def main(argv: list[str]) -> int:
    """Runs the command given on the command line. Returns the exit code."""
    p = argparse.ArgumentParser(prog="memsim", allow_abbrev=False)
    register(p)
    args, unknown = p.parse_known_args(argv)
    if unknown:
        known = [name for action in p._actions for name in action.option_strings]
        p.error(
            f"memsim has no option {unknown[0]}{did_you_mean(unknown[0], known)}: --help lists its options; "
            "options of a script follow the script's name"
        )
    if args.list_sim_objects:
        print(reference.listing(), end="")
        return 0
    if args.debug_help:
        flags = _memsim.debug_flags()
        width = max(len(name) for name, _ in flags)
        print("".join(f"{name:{width}}  {doc}\n" for name, doc in flags), end="")
        return 0
    _check_options(p, args)
    script, arguments = (
        restore.script_of(args) if args.restore else (args.command[0], args.command[1:]) if args.command else (None, [])
    )
    if script and not os.path.exists(script) and (near := did_you_mean(script, SUBCOMMANDS)):
        raise Error(f"{script}: there is no such script, and no such subcommand{near}; memsim --help lists them")
    _apply_options(args)
    if script is None:
        import code  # at its first use

        code.interact(local={"memsim": memsim, "__name__": "__main__"}, exitmsg="")
        session.close_all()
        return 0
    with _suggestions({name for action in p._actions for name in action.option_strings}):
        return int(run_script(script, arguments, args.interactive))


def _check_options(p: argparse.ArgumentParser, args: argparse.Namespace) -> None:
    """Raises Error for options that contradict each other, and for a command line without a command."""
    named = args.restore + [name for name in args.command if name.endswith(".ckpt")]
    if args.restore and len(named) > 1:
        p.error(f"--restore takes one checkpoint and {len(named)} are named: {', '.join(named)}")
    if args.restore and args.command:
        p.error(f"--restore takes no script ({args.command[0]}): the checkpoint contains its own")
    for name in ("file", "start", "end"):
        if getattr(args, f"debug_{name}") != p.get_default(f"debug_{name}") and not args.debug_flags:
            p.error(f"--debug-{name} requires --debug-flags")
    for name in ("start", "end", "limit"):
        if getattr(args, f"timeline_{name}") != p.get_default(f"timeline_{name}") and not args.timeline:
            p.error(f"--timeline-{name} requires --timeline")
    if args.timeline_start >= args.timeline_end:
        p.error(
            f"--timeline-start {_memsim.show_ticks(args.timeline_start)} is not before --timeline-end "
            f"{_memsim.show_ticks(args.timeline_end)}: the timeline would be empty"
        )
    if args.trust and not args.restore:
        p.error("--trust requires --restore FILE")
    args.restore = args.restore[0] if args.restore else None
    if not args.restore and not args.command and not args.interactive:
        p.error("name a script, a subcommand or --restore FILE")


@contextlib.contextmanager
def _suggestions(ours: set[str]) -> Iterator[None]:
    """While a script runs, its parser suggests the nearest of its options for an unknown one, or reports that the
    option is memsim's."""
    plain = argparse.ArgumentParser.error

    def error(parser: argparse.ArgumentParser, message: str) -> None:
        unknown = re.match(r"unrecognized arguments: (-[^\s=]+)", message)
        if unknown and unknown[1] in ours:
            message += f": {unknown[1]} is an option of memsim and must precede the script's name"
        elif unknown:
            message += did_you_mean(unknown[1], parser._option_string_actions)
        plain(parser, message)

    setattr(argparse.ArgumentParser, "error", error)
    try:
        yield
    finally:
        setattr(argparse.ArgumentParser, "error", plain)


def _apply_options(args: argparse.Namespace) -> None:
    """Applies the command line to the defaults, or to the options that a checkpoint kept."""
    options = session.options
    if args.outdir:
        options.outdir = args.outdir
    if args.stats_db:
        options.stats_db = args.stats_db
    check_output(options.database(), "a database")
    if args.quiet or args.verbose:
        options.verbosity = args.verbose - args.quiet
    if args.checkpoint_at:
        options.checkpoint_at = args.checkpoint_at
    if args.checkpoint_sim_period:
        options.checkpoint_sim_period = args.checkpoint_sim_period
    if args.checkpoint_wall_period:
        options.checkpoint_wall_period = args.checkpoint_wall_period / 10**15
    options.changes = options.changes + args.changes
    options.event_queue, options.stamps = args.event_queue, args.stamps
    options.timeline = args.timeline
    options.timeline_limits = {
        "start": args.timeline_start,
        "end": args.timeline_end,
        "bytes": args.timeline_limit or 2**64 - 1,
    }
    if args.timeline and not args.stamps:
        options.stamps = 100
    options.perturb = args.perturb_wakes
    options.threads, options.random_partitions = args.threads, args.random_partitions
    options.skip_finished = args.skip_finished
    if args.debug_flags:
        options.debug = {
            "flags": args.debug_flags,
            "start": args.debug_start,
            "end": args.debug_end,
            "file": args.debug_file,
        }
    if args.watch is not None:
        from ..results.report import watch  # the server of pages

        session.observers.append(watch.start(args.watch).publish)
    children.hand_down(dataclasses.asdict(dataclasses.replace(options, restoring=None)))
