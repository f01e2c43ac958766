"""`memsim reference FILE`: a reference page, made from the declarations or from docstrings."""

import argparse
from pathlib import Path

from ..files import check_output, os_error
from ..model import reference


def register(parser: argparse.ArgumentParser) -> None:
    parser.description = "Write a reference page (Markdown)"
    parser.add_argument("FILE", help="such as components.md")
    parser.add_argument("--python", action="store_true", help="of Python functions; without it of components")


def main(args: argparse.Namespace) -> None:
    check_output(args.FILE)
    if args.python:
        from .generated import python_page  # imports every system

        text = python_page.page()
    else:
        text = reference.reference()
    os_error(lambda: Path(args.FILE).write_text(text), args.FILE)
