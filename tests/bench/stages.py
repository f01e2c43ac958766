"""Construction and simulation of a machine apart: CPU time, memory and events of a script of configs.

    build/memsim -d DIR tests/bench/stages.py configs/eight_gpus.py [options of the script]
"""

import os
import resource
import runpy
import sys

import memsim

instantiate, marks, simulations = memsim.instantiate, [], []


def mark():
    """User CPU seconds and MiB of this process so far."""
    marks.append((os.times().user, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024))


def marked(*arguments):
    """instantiate(), after which construction ends and simulation begins."""
    simulations.append(instantiate(*arguments))
    mark()
    return simulations[-1]


memsim.instantiate = marked
sys.argv = sys.argv[1:]
runpy.run_path(sys.argv[0])
mark()
(constructed, memory), (ended, most) = marks
print(f"construction: {constructed:.3f} user CPU s, {memory:.0f} MiB resident")
print(
    f"simulation: {simulations[0]._machine.counts['events']} events in {ended - constructed:.3f} user CPU s, {most:.0f} MiB"
)
