"""`python3 -m memsim`, build/memsim, and the command `memsim` of an installed package."""

import sys
from typing import NoReturn

from . import __version__
from .run import streams


def run() -> NoReturn:
    """Runs the command line of this process, and ends the process with its exit code."""
    streams.prepare()
    if sys.argv[1:] == ["--version"]:  # it needs none of the modules of the command line
        sys.exit(_version())
    from .cli.main import main

    sys.exit(main(sys.argv[1:]))


def _version() -> int:
    try:
        print(f"memsim {__version__}", flush=True)
        return 0
    except OSError as e:
        return streams.give_up(e)


if __name__ == "__main__":
    run()
