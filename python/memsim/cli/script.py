"""`memsim [options] script.py arguments` and `memsim [options] --restore FILE`: runs a script."""

import argparse
import contextlib
import dataclasses
import itertools
import os
import re
from collections.abc import Iterator

import memsim

from .. import _memsim
from ..arguments import whole
from ..errors import Error, did_you_mean, nearest_option
from ..files import check_output
from ..model import reference
from ..run import children, known_runs
from ..run.options import add_options, of_command_line
from ..run.session import session
from ..run.start import prompt, run_script
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
    add_options(p, "outdir", "stats_db")
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
    p.add_argument("--list-sim-objects", action="store_true", help="list the component types")
    p.add_argument("--debug-help", action="store_true", help="list the debug flags")
    p.add_argument("--version", action="version", version=f"memsim {memsim.__version__}", help="print the version")
    p.add_argument("--restore", metavar="FILE", action="append", default=[], help="continue from a checkpoint")
    p.add_argument(
        "--trust",
        action="store_true",
        help="with --restore: run the checkpoint's script without confirmation by a database of yours",
    )
    fields = [field for name, field in of_command_line().items() if name not in ("outdir", "stats_db")]
    for group, of_group in itertools.groupby(fields, lambda field: str(field.metadata["group"])):
        add_options(p.add_argument_group(group) if group else p, *(field.name for field in of_group))
    p.add_argument("command", nargs=argparse.REMAINDER, metavar="script.py arguments")


def main(argv: list[str]) -> int:
    """Runs the command given on the command line. Returns the exit code."""
    p = argparse.ArgumentParser(prog="memsim", allow_abbrev=False)
    register(p)
    args, unknown = p.parse_known_args(argv)
    if unknown:
        known = [name for action in p._actions for name in action.option_strings]
        p.error(
            f"memsim has no option {unknown[0]}{nearest_option(unknown[0], known)}: --help lists its options; "
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
    if script in SUBCOMMANDS and not os.path.exists(script):
        raise Error(
            f"{script}: a subcommand must precede all options: write memsim {script} first; "
            f"memsim {script} --help lists its options"
        )
    if script and not os.path.exists(script) and (near := did_you_mean(script, SUBCOMMANDS)):
        raise Error(f"{script}: there is no such script, and no such subcommand{near}; memsim --help lists them")
    _apply_options(args)
    known_runs.begin(argv)
    if script is None:
        prompt()
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
        if getattr(args, f"debug_{name}") is not None and not args.debug_flags:
            p.error(f"--debug-{name} requires --debug-flags")
    for name in ("start", "end", "limit"):
        if getattr(args, f"timeline_{name}") is not None and not args.timeline:
            p.error(f"--timeline-{name} requires --timeline")
    for name in ("timeline", "debug"):
        start, end = getattr(args, f"{name}_start") or 0, getattr(args, f"{name}_end")
        if end is not None and start >= end:
            p.error(
                f"--{name}-start {_memsim.show_ticks(start)} is not before --{name}-end {_memsim.show_ticks(end)}: "
                f"the {'timeline' if name == 'timeline' else 'output'} would be empty"
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
            message += nearest_option(unknown[1], parser._option_string_actions)
        plain(parser, message)

    setattr(argparse.ArgumentParser, "error", error)
    try:
        yield
    finally:
        setattr(argparse.ArgumentParser, "error", plain)


def _apply_options(args: argparse.Namespace) -> None:
    """Applies the command line to the defaults, or to the options that a checkpoint kept."""
    options = session.options
    given = {name: value for name in of_command_line() if (value := getattr(args, name)) is not None}
    given["changes"] = options.changes + given.get("changes", [])
    vars(options).update(given)
    for name in ("outdir", "stats_db", "debug_file", "timeline"):  # a script may call os.chdir()
        if value := getattr(options, name):
            setattr(options, name, os.path.abspath(value))
    check_output(options.database(), "a database")
    if args.quiet or args.verbose:
        options.verbosity = args.verbose - args.quiet
    if options.timeline and not options.stamps:
        options.stamps = 100
    if args.watch is not None:
        from ..results.report import watch  # the server of pages

        session.observers.append(watch.start(args.watch).publish)
    children.hand_down(dataclasses.asdict(dataclasses.replace(options, restoring=None)))
