"""`memsim SUBCOMMAND ...`: one function each, taking the arguments."""
import argparse
import json
import sqlite3
import time
from pathlib import Path

from . import _memsim, checkpoints, schema
from .errors import Error
from .trace import trace


def _parse(name, doc, *arguments, argv):
    p = argparse.ArgumentParser(prog=f"memsim {name}", description=doc, allow_abbrev=False)
    for argument, what in arguments:
        p.add_argument(argument, help=what)
    return p.parse_args(argv)


def describe(argv):
    schema.describe(_parse("describe", "What a component type declares",
                           ("TYPE", "such as mem.Cache; --list-sim-objects lists them"),
                           argv=argv).TYPE)


def stubs(argv):
    directory = _parse("stubs", "Write the .pyi stubs of the package",
                       ("DIR", "memsim/*.pyi are written below it"), argv=argv).DIR
    _writing(directory, lambda: schema.write_stubs(directory))


def reference(argv):
    file = _parse("reference", "Write the reference page of all components (Markdown)",
                  ("FILE", "such as components.md"), argv=argv).FILE
    _writing(file, lambda: Path(file).write_text(schema.reference()))


def _writing(path, act):
    try:
        act()
    except OSError as e:
        raise Error(f"{path}: {e.strerror}: name a place that can be written") from None


def ckpt(argv):
    p = argparse.ArgumentParser(prog="memsim ckpt", description="Look into a checkpoint")
    actions = p.add_subparsers(dest="action", required=True)
    info = actions.add_parser("info", help="what it is of")
    info.add_argument("FILE", help="OUTDIR/*.ckpt")
    show = actions.add_parser("show", help="the components, or the state of one as JSON")
    show.add_argument("FILE", help="OUTDIR/*.ckpt")
    show.add_argument("PATH", nargs="?", help="such as gpu.sm[0]; without it the paths are listed")
    args = p.parse_args(argv)
    args.FILE = checkpoints.find(args.FILE)
    if args.action == "info":
        _ckpt_info(args.FILE)
        return
    saved = _memsim.read_checkpoint(args.FILE)
    if args.PATH is None:
        for path, kind, _ in saved.configuration["objects"]:
            print(f"{path:24} {kind}")
        return
    try:
        state = saved.show(args.PATH)
    except Error as e:
        raise Error(f"{args.FILE}: {e}; memsim ckpt show {args.FILE} lists them") from None
    print(json.dumps(json.loads(state), indent=2))


def _ckpt_info(file):
    i = _memsim.checkpoint_info(file)
    print(f"script         {' '.join([i['script'] or '(none)', *i['argv']])}\n"
          f"time           {_memsim.show_ticks(i['now'])}\n"
          f"run            {i['run']}\n"
          f"configuration  {i['configuration']}\n"
          f"components     {i['objects']}, {i['events']} events pending\n"
          f"size           {i['bytes']} B, {i['bytes_unpacked']} B unpacked\n"
          f"written        {time.strftime('%Y-%m-%d %H:%M:%S', time.gmtime(i['written']))} UTC\n"
          f"version        {i['version']}")


def sql(argv):
    args = _parse("sql", "Ask a database of results; prints tab-separated rows",
                  ("DB", "the file, or an output directory with its stats.db"),
                  ("QUERY", "such as 'SELECT * FROM result'; docs/database.md tells what is there"),
                  argv=argv)
    from .results import connect, why_refused
    try:
        cursor = connect(args.DB).execute(args.QUERY)
        if cursor.description:
            print(*(column[0] for column in cursor.description), sep="\t")
        for row in cursor:
            print(*map(_cell, row), sep="\t")
    except (sqlite3.Error, sqlite3.Warning) as e:
        raise Error(f"{args.DB}: {why_refused(e)}") from None


def _cell(value):
    """A value as text; values are REAL in the database, and counts look like counts."""
    if isinstance(value, float) and value.is_integer() and abs(value) < 2**53:
        return int(value)
    return "" if value is None else value


def workloads(argv):
    from .workloads import main
    return main(argv)


def merge(argv):
    from .merge import main
    return main(argv)


def sweep(argv):
    from .sweep import main
    return main(argv)


SUBCOMMANDS = {f.__name__: f for f in (describe, ckpt, stubs, reference, sql, trace, workloads, sweep,
                                     merge)}
