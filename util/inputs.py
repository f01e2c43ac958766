"""Writes the inputs of a system's workloads at every scale: size, thread instructions after which no block starts,
footprint, and a hash of what memory holds at the start.

    build/memsim util/inputs.py cmd [--scales tiny small] > docs/models/cmd-inputs.csv
"""

import argparse
import csv
import sys
from importlib import import_module

from memsim.systems.scale import footprint

SYSTEMS = "cmd", "cxl_gpu", "sap"

parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
parser.add_argument("system", choices=SYSTEMS)
parser.add_argument("--scales", nargs="+", metavar="SCALE", help="all unless some are named")
args = parser.parse_args()
workloads = import_module(f"memsim.systems.{args.system}.workloads")

rows = csv.writer(sys.stdout, lineterminator="\n")
rows.writerow(["workload", "scale", "size", "max_instructions", "footprint", "input"])
for name in workloads.names():
    for scale in args.scales or workloads.SCALES:
        program, region = workloads.program(name, scale)
        rows.writerow([name, scale, program.size, region, footprint(program), program._prepared.input_digest])
