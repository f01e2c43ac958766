"""Writes the inputs of CMD's thirteen workloads at every scale: size, thread instructions, footprint and a hash of what
memory holds at the start.

    build/memsim util/cmd_inputs.py [--scales tiny small] > docs/models/cmd-inputs.csv
"""

import argparse
import csv
import sys

from memsim.systems import cmd
from memsim.systems.scale import footprint

parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
parser.add_argument("--scales", nargs="+", default=list(cmd.workloads.SCALES), choices=cmd.workloads.SCALES)
args = parser.parse_args()

rows = csv.writer(sys.stdout, lineterminator="\n")
rows.writerow(["workload", "scale", "size", "max_instructions", "footprint", "input"])
for name in cmd.workloads.names():
    for scale in args.scales:
        program, region = cmd.workloads.program(name, scale)
        rows.writerow([name, scale, program.size, region, footprint(program), program._prepared.input_digest])
