"""`python3 -m memsim` and build/memsim."""
import sys

from .cli import main

sys.exit(main(sys.argv[1:]))
