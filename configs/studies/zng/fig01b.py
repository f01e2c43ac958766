"""Fig. 1b of ZnG: what the GPU's memory and each part of HybridGPU give at the most; and how much of what flash
senses is wasted when lines are read from it (III-A).

    build/memsim configs/studies/zng/fig01b.py

The paper's machine, unscaled, each part under a load that saturates it. zng-35 compares buses.
"""

from memsim import study
from memsim.systems import zng

fig = zng.peaks.Peaks(
    "fig01b", study.jobs(__doc__), "GPU DRAM", "DRAM buffer", "SSD controller", "flash channels", "flash arrays"
)
fig.run()
fig.show()
print(f"wasted of what is sensed for random lines: {fig.waste:.1%}")

fig.claim("zng-35", zng.peaks.PARAMETERS["DRAM buffer"] / zng.peaks.PARAMETERS["GPU DRAM"])
fig.claim("zng-37", 100 * fig.waste)
fig.close()
