"""`python3 -m memsim` and build/memsim."""
import sys

from .run import streams
from .cli.main import main

streams.prepare()
sys.exit(main(sys.argv[1:]))
