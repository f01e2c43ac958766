"""Fig. 4c of ZnG: what GPU DRAM, a GPU with an SSD, HybridGPU and others give at the most.

    build/memsim configs/studies/zng/fig04c.py

The paper's machine, unscaled, under loads that saturate it; of GPU-SSD and HybridGPU all data are on the SSD.
"""

from memsim import study
from memsim.systems import zng

fig = zng.peaks.Peaks("fig04c", study.jobs(__doc__), "GPU DRAM", "desktop DRAM", "Optane", "HybridGPU", "GPU-SSD")
fig.run()
fig.show()

fig.claim("zng-32", fig.rate["GPU DRAM"] / fig.rate["GPU-SSD"])
fig.claim("zng-33", fig.rate["GPU DRAM"] / fig.rate["HybridGPU"])
fig.claim("zng-36", fig.rate["Optane"] / 1e9)
fig.close()
