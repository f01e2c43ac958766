"""Speed of the main job: requests after the coalescer per CPU second of the whole run.

    build/memsim -d /tmp/main_job tests/bench/main_job.py [--scale small] [options of ohm_planar.py]
"""

import resource
import runpy
import sys
import time
from pathlib import Path

config = Path(__file__).resolve().parents[2] / "configs" / "ohm_planar.py"
sys.argv = [str(config), "--scale", "default", *sys.argv[1:]]  # the last --scale counts
start = time.process_time()
machine = runpy.run_path(str(config))["root"]
seconds = time.process_time() - start
requests = sum(sm.stats.requests for sm in machine.gpu.sm)
mebibytes = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
print(
    f"main job: {requests} requests in {seconds:.2f} CPU s: {requests / seconds / 1e3:.0f}k a "
    f"CPU second; {mebibytes:.0f} MiB resident at most"
)
