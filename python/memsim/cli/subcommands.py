"""`memsim SUBCOMMAND ...`: a text and a function each, which takes the arguments."""
import argparse
import importlib
import json
import sqlite3
import sys
import time
from pathlib import Path

from .. import _memsim
from ..run import checkpoints
from ..model import schema
from ..errors import Error, legible
from ..files import check_output, os_error


def _parse(name, doc, *arguments, argv):
    p = argparse.ArgumentParser(prog=f"memsim {name}", description=doc, allow_abbrev=False)
    for argument, what in arguments:
        p.add_argument(argument, help=what)
    return p.parse_args(argv)


def describe(argv):
    p = argparse.ArgumentParser(
        prog="memsim describe",
        description="What a component type declares, or what a paper's machines assume",
        allow_abbrev=False,
    )
    what = p.add_mutually_exclusive_group(required=True)
    what.add_argument("TYPE", nargs="?", help="such as mem.Cache; --list-sim-objects lists them")
    what.add_argument(
        "--assumptions", metavar="PAPER", help="the assumed values of a paper's machines, or of a database's last run"
    )
    p.add_argument("--write", metavar="PAGE", default="", help="with --assumptions: write the table into this page")
    args = p.parse_args(argv)
    if args.assumptions:
        from . import assumptions

        return assumptions.main(args.assumptions, args.write)
    return schema.describe(args.TYPE)


def stubs(argv):
    directory = _parse(
        "stubs", "Write the .pyi stubs of the package", ("DIR", "memsim/*.pyi are written below it"), argv=argv
    ).DIR
    from .stubs import write  # every module is imported for it

    os_error(lambda: write(directory), directory)


def reference(argv):
    p = argparse.ArgumentParser(
        prog="memsim reference", description="Write a reference page (Markdown)", allow_abbrev=False
    )
    p.add_argument("FILE", help="such as components.md")
    p.add_argument("--python", action="store_true", help="of Python functions; without it of components")
    args = p.parse_args(argv)
    check_output(args.FILE)
    if args.python:
        from . import python_page  # every system is imported for it

        text = python_page.page()
    else:
        text = schema.reference()
    os_error(lambda: Path(args.FILE).write_text(text), args.FILE)


def ckpt(argv):
    from . import verify

    p = argparse.ArgumentParser(
        prog="memsim ckpt", allow_abbrev=False, description="Look into a checkpoint, or test all of a script's"
    )
    actions = p.add_subparsers(dest="action", required=True)
    info = actions.add_parser("info", help="what it is of", allow_abbrev=False)
    info.add_argument("FILE", help="OUTDIR/*.ckpt")
    show = actions.add_parser("show", help="the components, or the state of one as JSON", allow_abbrev=False)
    show.add_argument("FILE", help="OUTDIR/*.ckpt")
    show.add_argument("PATH", nargs="?", help="such as gpu.sm[0]; without it the paths are listed")
    check = actions.add_parser(
        "verify", help="save a script's run at random ticks, restore and compare it", allow_abbrev=False
    )
    verify.add_arguments(check)
    args = p.parse_args(argv)
    if args.action == "verify":
        return verify.main(args)
    args.FILE = checkpoints.find(args.FILE)
    if args.action == "info":
        return _ckpt_info(args.FILE)
    saved = _memsim.read_checkpoint(args.FILE)
    if args.PATH is None:
        for path, kind, _ in saved.configuration["objects"]:
            print(legible(f"{path:24} {kind}", keep=""))
        return None
    try:
        state = saved.show(args.PATH)
    except Error as e:
        raise Error(f"{args.FILE}: {e}; memsim ckpt show {args.FILE} lists them") from None
    print(json.dumps(json.loads(state), indent=2))
    return None


def _ckpt_info(file):
    i = _memsim.checkpoint_info(file)
    rows = {
        "script": " ".join([i["script"] or "(none)", *i["argv"]]),
        "time": _memsim.show_ticks(i["now"]),
        "run": i["run"],
        "configuration": i["configuration"],
        "components": f"{i['objects']}, {i['events']} events pending",
        "size": f"{i['bytes']} B, {i['bytes_unpacked']} B unpacked",
        "written": f"{time.strftime('%Y-%m-%d %H:%M:%S', time.gmtime(i['written']))} UTC",
        "version": i["version"],
    }
    for name, text in rows.items():
        print(f"{name:14} {legible(text, keep='')}")


def sql(argv):
    args = _parse(
        "sql",
        "Ask a database of results; prints tab-separated rows",
        ("DB", "the file, or an output directory with its stats.db"),
        ("QUERY", "such as 'SELECT * FROM result'; docs/database.md tells what is there"),
        argv=argv,
    )
    from ..results.database import connect, why_refused

    database = connect(args.DB)
    try:
        cursor = database.execute(args.QUERY)
        if cursor.description:
            print(*(column[0] for column in cursor.description), sep="\t")
        for row in cursor:
            print(*map(_cell, row), sep="\t")
    except (sqlite3.Error, sqlite3.Warning) as e:
        raise Error(f"{args.DB}: {why_refused(e, database)}") from None


def upgrade(argv):
    path = _parse(
        "upgrade",
        "Bring a database of results of an older memsim to the tables of this one",
        ("DB", "the file, or an output directory with its stats.db; older ones cannot write it afterwards"),
        argv=argv,
    ).DB
    from ..results.database import connect

    file = connect(path).execute("PRAGMA database_list").fetchone()[2]
    _memsim.Database(file)
    print(f"{path}: its tables have version {_memsim.database_version}")


def _cell(value):
    """A value as text; values are REAL in the database, and counts look like counts."""
    if isinstance(value, float) and value.is_integer() and abs(value) < 2**53:
        return int(value)
    return "" if value is None else legible(value) if isinstance(value, str) and sys.stdout.isatty() else value


def _of(module, function="main"):
    """A subcommand of its own module, which is loaded only for it."""
    return lambda argv: getattr(importlib.import_module(module, __package__), function)(argv)


SUBCOMMANDS = {  # the texts are no docstrings: PYTHONOPTIMIZE=2 takes those
    "describe": ("What a component or policy is: parameters, ports, statistics", describe),
    "ckpt": ("Look into a checkpoint, or test all of a script's", ckpt),
    "resume": ("Go on with unfinished runs from their last checkpoints", _of(".resume")),
    "stubs": ("Type stubs of the Python package, for editors", stubs),
    "reference": ("The reference page of all components and policies", reference),
    "sql": ("Ask a database of results", sql),
    "upgrade": ("Bring a database of an older memsim up to date", upgrade),
    "merge": ("Copy the runs of databases into one", _of("..study.merge")),
    "diff": ("Parameters and statistics in which two runs differ", _of("..results.diff", "diff")),
    "plot": ("The usual figures of a database", _of("..results.figures")),
    "report": ("A run as one HTML file", _of("..results.report.commands", "report")),
    "draw": ("The machine of a run as a diagram", _of("..results.report.commands", "draw")),
    "reproduce": ("Run the figures of papers, and judge their claims", _of("..study.reproduce")),
    "sweep": ("Run a study, here or on a cluster", _of("..study.sweep")),
    "trace": ("Look into traces and convert them", _of(".trace", "trace")),
    "workloads": ("List the workloads, and measure what they do", _of(".workloads")),
}
