"""`memsim notebook [FILE]`: Jupyter, with this memsim."""

import argparse
import importlib.util
import os
import sys

from ..errors import Error
from ..files import check_regular
from ..run.processes import environment
from ..run.signals import PARENT


def register(parser: argparse.ArgumentParser) -> None:
    parser.description = "Open a notebook, or a directory of notebooks, in Jupyter; `import memsim` works there"
    parser.add_argument("FILE", nargs="?", default=".", help="such as configs/latency.ipynb (the current directory)")


def main(args: argparse.Namespace) -> None:
    """Replaces this process by Jupyter."""
    check_regular(args.FILE)
    if not os.path.exists(args.FILE):
        raise Error(f"{args.FILE}: there is no such notebook: name a file that exists, or a directory")
    if not importlib.util.find_spec("notebook"):
        raise Error(
            f"{sys.executable} has no Jupyter: install Debian's package jupyter-notebook, or install memsim with "
            "`pip install .` into the environment of your Jupyter"
        )
    variables = environment()
    del variables[PARENT]  # it would end processes started by a notebook
    os.execve(sys.executable, [sys.executable, "-m", "notebook", args.FILE], variables)
