"""`python3 -m memsim` and build/memsim."""
import sys

from . import streams
from .cli import main

streams.prepare()
sys.exit(main(sys.argv[1:]))
