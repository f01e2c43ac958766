"""`memsim report` and `memsim draw`."""
import argparse
import os
from pathlib import Path

from ...errors import Error, did_you_mean
from ...files import check_output, os_error, replacing, shown
from . import page
from .diagram import Diagram
from .run_data import open_runs


def report(argv: list[str]) -> None:
    """`memsim report`: writes the page of a run and prints its path."""
    p = _parser(
        "report",
        "Make a page of a run: its machine, where its time went, its statistics and parameters, "
        "other runs beside it, claims. One HTML file that any browser shows",
    )
    p.add_argument(
        "RUN",
        nargs="*",
        default=[],
        help="the run that the page is of, and runs to compare with it: their ids, or "
        f"how these begin (the latest, and the {page.MOST_RUNS - 1} of the same script before it)",
    )
    p.add_argument("-o", "--output", metavar="FILE", help="where the page goes (report.html beside the database)")
    args = p.parse_args(argv)
    runs = open_runs(args.DB, args.RUN)
    if not args.RUN:
        runs = [run for run in runs if run.info["name"] == runs[0].info["name"]][: page.MOST_RUNS]
    for run in runs:
        run.check()
    text = page.report(args.DB, runs)
    _write(args, "report.html", text)


def draw(argv: list[str]) -> None:
    """`memsim draw`: writes the diagram of a run's machine and prints its path."""
    p = _parser("draw", "Draw the machine of a run as SVG: its objects and the links between them")
    p.add_argument("RUN", nargs="?", help="the run's id, or how it begins (the latest)")
    p.add_argument(
        "--open",
        metavar="GROUP",
        action="append",
        default=[],
        help="show each object of a list, such as gpu.sm (repeatable)",
    )
    p.add_argument("--open-all", action="store_true", help="show each object of every list")
    p.add_argument("-o", "--output", metavar="FILE", help="where the drawing goes (machine.svg beside the database)")
    args = p.parse_args(argv)
    run = open_runs(args.DB, [args.RUN] if args.RUN else [])[0]
    run.check()
    diagram = Diagram(run)
    opened = {name if name.endswith("[*]") else f"{name}[*]" for name in args.open}
    for group in opened - diagram.open_all():
        raise Error(
            f"this machine has no list {group.removesuffix('[*]')}"
            f"{did_you_mean(group, diagram.groups)}: it has {', '.join(diagram.groups) or 'none'}"
        )
    _write(args, "machine.svg", diagram.svg(diagram.open_all() if args.open_all else opened))


def _parser(name: str, doc: str) -> argparse.ArgumentParser:
    p = argparse.ArgumentParser(prog=f"memsim {name}", description=doc, allow_abbrev=False)
    p.add_argument("DB", help="the database, or an output directory with its stats.db")
    return p


def _write(args: argparse.Namespace, name: str, text: str) -> None:
    folder = args.DB if os.path.isdir(args.DB) else os.path.dirname(args.DB)
    path: str = args.output or os.path.join(folder, name)
    ending = Path(name).suffix
    if not path.endswith(ending):
        raise Error(f"{path}: what is written is {ending[1:].upper()}: give the file a name that ends in {ending}")
    check_output(path)

    def write() -> None:
        with replacing(path) as file:
            file.write(text)

    os_error(write, path)
    print(shown(path))
