"""`memsim --restore FILE`: options and script of the run that a checkpoint continues."""

import argparse
import dataclasses
import json
import os
import sys

from ... import _memsim
from ...errors import Error
from ...files import hash_of
from ...run import checkpoints
from ...run.default import try_to_load
from ...run.script import changed_behaviour, check_unchanged
from ...run.session import session


def script_of(args: argparse.Namespace) -> tuple[str, list[str]]:
    """The script and arguments of a checkpoint, and the options that it kept."""
    file = os.path.abspath(checkpoints.find(args.restore))
    saved = _memsim.read_checkpoint(file)
    kept = json.loads(saved.script.journal)
    if saved.script.path and not args.trust:
        from . import trust  # reads databases

        trust.refuse_unknown(file, saved)
    check_unchanged(saved.script)
    for name in ("outdir", "stats_db", "debug_file", "timeline"):  # they depend on the user's present place
        if getattr(args, name):
            setattr(args, name, os.path.abspath(getattr(args, name)))
    if not os.path.isdir(saved.script.cwd):
        raise Error(f"{saved.script.cwd}: the checkpoint's script ran in this directory, which is missing: create it")
    os.chdir(saved.script.cwd)
    for name in set(session.options.kept()) & set(kept["options"]):
        setattr(session.options, name, kept["options"][name])
    before = session.options.database()
    session.options.restoring = saved
    if args.outdir and not args.stats_db:
        session.options.stats_db = ""
    after = dataclasses.replace(
        session.options,
        outdir=args.outdir or session.options.outdir,
        stats_db=args.stats_db or session.options.stats_db,
    )
    changed = changed_behaviour(saved)
    if args.changes or changed:
        session.options.origin = hash_of(file)
    if args.changes or after.database() != before or changed or os.path.abspath(after.outdir) != saved.run.outdir:
        session.options.parent = saved.run.uuid
    elif len(kept["runs"]) > 1:
        try_to_load(saved)
    if changed and not args.quiet:
        print(
            f"memsim: {changed} has changed since the checkpoint was written, and the results may "
            f"differ: this is a new run, whose parent is {saved.run.uuid}",
            file=sys.stderr,
        )
    now = _memsim.checkpoint_info(file)["now"]
    if not args.quiet and (early := [tick for tick in args.checkpoint_at or [] if tick < now]):
        print(
            f"memsim: warning: --checkpoint-at {_memsim.show_ticks(early[0])} is before the checkpoint, at "
            f"{_memsim.show_ticks(now)}: this machine is not saved then",
            file=sys.stderr,
        )
    as_called = os.path.abspath(kept["name"]) == saved.script.path  # otherwise a script has changed its argv[0]
    return kept["name"] if as_called else saved.script.path, saved.script.argv
