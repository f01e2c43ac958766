"""The command line: `memsim [options] script.py arguments` and `memsim SUBCOMMAND`."""
import argparse
import code
import contextlib
import dataclasses
import json
import os
import re
import sys

import memsim

from .. import _memsim
from ..run import checkpoints, children, processes, signals, streams
from ..run.default import try_to_load
from ..model import schema
from . import trust
from ..errors import IN_USE, Error, InUse, Panic, did_you_mean, legible, utf8
from ..files import check_output, hash_of
from ..run.options import Options, add_changes, add_oracles, add_stamps, ticks, whole
from ..results.report import watch
from ..run.script import changed_behaviour, check_unchanged
from ..run.session import session as run
from ..run.start import USER_ERROR, run_script
from .subcommands import SUBCOMMANDS

OUR_BUG = 70  # sysexits' EX_SOFTWARE


def parser():
    p = argparse.ArgumentParser(
        prog="memsim",
        allow_abbrev=False,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        usage="memsim [options] script.py [arguments]\n"
        "       memsim [options] --restore FILE\n"
        "       memsim SUBCOMMAND ...",
        description="Options before the script are memsim's, those after it the script's.",
        epilog="subcommands (memsim SUBCOMMAND --help says more):\n"
        + "\n".join(f"  {name:10} {what}" for name, (what, _) in SUBCOMMANDS.items()),
    )
    p.add_argument("-d", "--outdir", metavar="DIR", help="where results go (memsim-out)")
    p.add_argument("--stats-db", metavar="FILE", help="database of results (OUTDIR/stats.db)")
    p.add_argument(
        "-i", dest="interactive", action="store_true", help="a Python prompt after the script, or instead of one"
    )
    p.add_argument("-q", "--quiet", action="store_true", help="print no progress and no warnings")
    p.add_argument("-v", "--verbose", action="store_true", help="print progress even where stderr is no terminal")
    p.add_argument(
        "--watch",
        metavar="PORT",
        type=whole(0, 65535),
        help="show the run while it goes on as a page at http://127.0.0.1:PORT (0: any port " "that is free)",
    )
    p.add_argument("--list-sim-objects", action="store_true", help="list the component types")
    p.add_argument("--version", action="version", version=f"memsim {memsim.__version__}", help="print the version")

    g = p.add_argument_group("configuration")
    add_changes(g, "; with --restore a tunable one")
    g.add_argument(
        "--skip-finished",
        action="store_true",
        help="end at once if the database has these results: a finished run of the same "
        "program, script, arguments and parameters; go on from the last checkpoint "
        "of one that did not come to its end; end with code 75 if another process "
        "is at it",
    )

    g = p.add_argument_group("checkpoints")
    g.add_argument("--restore", metavar="FILE", action="append", default=[], help="go on from a checkpoint")
    g.add_argument(
        "--trust",
        action="store_true",
        help="with --restore: run the checkpoint's script though no database of yours knows it",
    )
    g.add_argument(
        "--checkpoint-at", metavar="TIME", action="append", type=ticks, help="save at this simulated time (repeatable)"
    )
    g.add_argument(
        "--checkpoint-sim-period", metavar="TIME", type=_positive_time, help="save each time so much was simulated"
    )
    g.add_argument(
        "--checkpoint-wall-period",
        metavar="TIME",
        type=_positive_time,
        help="save each time so much real time went by, as OUTDIR/wall-<run>.ckpt",
    )

    g = p.add_argument_group("debugging")
    g.add_argument("--debug-flags", metavar="A,-B", type=_flags, help="print what these flags tell")
    g.add_argument("--debug-start", metavar="TIME", type=ticks, default=0, help="from this simulated time on")
    g.add_argument("--debug-end", metavar="TIME", type=ticks, default=_memsim.never, help="before this simulated time")
    g.add_argument("--debug-file", metavar="FILE", default="", help="instead of stderr")
    g.add_argument("--debug-help", action="store_true", help="list the debug flags")
    add_stamps(g)
    g.add_argument(
        "--timeline",
        metavar="FILE",
        default="",
        help="write kernel launches, stamped requests and the components' activity as trace "
        "events, which ui.perfetto.dev opens; with it --stamps is 100 unless given",
    )

    add_oracles(p)
    p.add_argument("command", nargs=argparse.REMAINDER, metavar="script.py arguments")
    return p


def _positive_time(text):
    if (at := ticks(text)) <= 0:
        raise argparse.ArgumentTypeError(f"'{text}' is no period: it must be longer than 0")
    return at


def _flags(text):
    """The names of the flags that are on after 'A,-B' was read from left to right."""
    known, on = [name for name, _ in _memsim.debug_flags()], {}
    for word in text.split(","):
        name = word.removeprefix("-")
        if name != "All" and name not in known:
            raise argparse.ArgumentTypeError(
                f"there is no debug flag '{name}'{_memsim.nearest(name, known)}; " "--debug-help lists them"
            )
        on.update(dict.fromkeys(known if name == "All" else [name], not word.startswith("-")))
    return [name for name, is_on in on.items() if is_on]


def main(argv):
    """Returns the exit code. The user's mistake is one sentence, ours asks to be reported."""
    try:
        exit_code = _guarded(argv)
        sys.stdout.flush()
        return exit_code
    except OSError as e:
        if not streams.is_of_a_stream(e):
            raise
        return streams.give_up(e)


def _guarded(argv):
    try:
        return _main(argv)
    except SystemExit as e:  # of a script or of argparse
        if e.code is None or isinstance(e.code, int):
            return e.code or 0
        print(e.code, file=sys.stderr)
        return USER_ERROR
    except InUse as e:
        return _fail(e, IN_USE)
    except Error as e:
        return _fail(e, USER_ERROR)
    except Panic as e:
        return _fail(e, OUR_BUG)
    except MemoryError:
        return _fail(_memsim.out_of_memory(), USER_ERROR)
    except KeyboardInterrupt:
        return _fail("interrupted", 130)


def _fail(what, exit_code):
    sys.stdout.flush()
    print(f"memsim: {legible(str(what))}", file=sys.stderr)
    return exit_code


def _main(argv):
    for text in argv:
        utf8(text, "the argument")
    signals.note(signals.OF_A_RUN)
    processes.end_with_parent()
    if argv[:1] == ["help"]:  # of memsim, of a subcommand or of a script
        argv = [*argv[1:], "--help"]
    if argv and argv[0] in SUBCOMMANDS:
        signals.listen()
        if streams.stdout_was_closed:
            raise Error(f"stdout is closed: memsim {argv[0]} has nowhere to print")
        _, act = SUBCOMMANDS[argv[0]]
        return act(argv[1:]) or 0
    _memsim.limit_memory(True)
    with signals.handled():
        return _script(argv)


def _script(argv):
    p = parser()
    args, unknown = p.parse_known_args(argv)
    if unknown:
        known = [name for action in p._actions for name in action.option_strings]
        p.error(
            f"memsim has no option {unknown[0]}{did_you_mean(unknown[0], known)}: --help lists those that it has; "
            "options of a script come behind the script's name"
        )
    if args.list_sim_objects:
        print(schema.listing(), end="")
        return 0
    if args.debug_help:
        flags = _memsim.debug_flags()
        width = max(len(name) for name, _ in flags)
        print("".join(f"{name:{width}}  {doc}\n" for name, doc in flags), end="")
        return 0
    named = args.restore + [name for name in args.command if name.endswith(".ckpt")]
    if args.restore and len(named) > 1:
        p.error(f"--restore goes on from one checkpoint and {len(named)} are named: {', '.join(named)}")
    if args.restore and args.command:
        p.error(f"--restore takes no script ({args.command[0]}): the checkpoint knows its own")
    for name in ("file", "start", "end"):
        if getattr(args, f"debug_{name}") != p.get_default(f"debug_{name}") and not args.debug_flags:
            p.error(f"--debug-{name} is about what --debug-flags prints, which is not given")
    if args.trust and not args.restore:
        p.error("--trust is about the script of a checkpoint: it goes with --restore FILE")
    args.restore = args.restore[0] if args.restore else None
    if not args.restore and not args.command and not args.interactive:
        p.error("name a script, a subcommand or --restore FILE")
    script, arguments = (
        _restored(args) if args.restore else (args.command[0], args.command[1:]) if args.command else (None, [])
    )
    if script and not os.path.exists(script) and (near := did_you_mean(script, SUBCOMMANDS)):
        raise Error(f"{script}: there is no such script, and no such subcommand{near}; memsim --help lists them")
    _apply(args, run.options)
    if script is None:
        code.interact(local={"memsim": memsim, "__name__": "__main__"}, exitmsg="")
        run.close_all()
        return 0
    with _suggestions({name for action in p._actions for name in action.option_strings}):
        return run_script(script, arguments, args.interactive)


@contextlib.contextmanager
def _suggestions(ours):
    """While a script runs: its parser says which of its options an unknown one is near, or that it is memsim's."""
    plain = argparse.ArgumentParser.error

    def error(parser, message):
        unknown = re.match(r"unrecognized arguments: (-[^\s=]+)", message)
        if unknown and unknown[1] in ours:
            message += f": {unknown[1]} is an option of memsim and stands before the script's name"
        elif unknown:
            message += did_you_mean(unknown[1], parser._option_string_actions)
        plain(parser, message)

    argparse.ArgumentParser.error = error
    try:
        yield
    finally:
        argparse.ArgumentParser.error = plain


def _apply(args, options):
    """The command line over what is there: the defaults, or what a checkpoint kept."""
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
    if args.timeline and not args.stamps:
        options.stamps = 100
    options.perturb = args.perturb_wakes
    options.skip_finished = args.skip_finished
    if args.debug_flags:
        options.debug = {
            "flags": args.debug_flags,
            "start": args.debug_start,
            "end": args.debug_end,
            "file": args.debug_file,
        }
    if args.watch is not None:
        run.observers.append(watch.start(args.watch).publish)
    children.hand_down(dataclasses.asdict(dataclasses.replace(options, restoring=None)))


def _restored(args):
    """The script and arguments of a checkpoint, and the options that it kept."""
    file = os.path.abspath(checkpoints.find(args.restore))
    saved = _memsim.read_checkpoint(file)
    kept = json.loads(saved.script.journal)
    if saved.script.path and not args.trust:
        trust.refuse_unknown(file, saved)
    check_unchanged(saved.script)
    for name in ("outdir", "stats_db", "debug_file", "timeline"):  # of where the user is now
        if getattr(args, name):
            setattr(args, name, os.path.abspath(getattr(args, name)))
    if not os.path.isdir(saved.script.cwd):
        raise Error(
            f"{saved.script.cwd}: the checkpoint's script ran in this directory and it is " "gone: make it again"
        )
    os.chdir(saved.script.cwd)
    for name in set(Options.KEPT) & set(kept["options"]):
        setattr(run.options, name, kept["options"][name])
    before = run.options.database()
    run.options.restoring = saved
    if args.outdir and not args.stats_db:
        run.options.stats_db = ""
    after = dataclasses.replace(
        run.options, outdir=args.outdir or run.options.outdir, stats_db=args.stats_db or run.options.stats_db
    )
    changed = changed_behaviour(saved)
    if args.changes or changed:
        run.options.origin = hash_of(file)
    if args.changes or after.database() != before or changed or os.path.abspath(after.outdir) != saved.run.outdir:
        run.options.parent = saved.run.uuid
    elif len(kept["runs"]) > 1:
        try_to_load(saved)
    if changed and not args.quiet:
        print(
            f"memsim: {changed} has changed since the checkpoint was written, and the results may "
            f"differ: this is a new run, whose parent is {saved.run.uuid}",
            file=sys.stderr,
        )
    as_called = os.path.abspath(kept["name"]) == saved.script.path  # else a script has changed its argv[0]
    return kept["name"] if as_called else saved.script.path, saved.script.argv
