"""`python3 -m memsim`, build/memsim, and the command `memsim` of an installed package."""

import sys
from typing import NoReturn

from .cli.main import main
from .run import streams


def run() -> NoReturn:
    """Runs the command line of this process, and ends the process with its exit code."""
    streams.prepare()
    sys.exit(main(sys.argv[1:]))


if __name__ == "__main__":
    run()
