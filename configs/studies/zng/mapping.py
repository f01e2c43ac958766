"""How large ZnG's data block mapping table is (III-B: 80 KB for 1 TB). Nothing is simulated in time.

    build/memsim configs/studies/zng/mapping.py
"""

from memsim import study
from memsim.systems import zng
from memsim.systems.zng.flash import GEOMETRY

TERABYTE = 2**40

print(zng.ftl.report(zng.scale.CHANNELS, GEOMETRY))
blocks = -(-TERABYTE // zng.ftl.block_bytes(GEOMETRY))
print(f"1 TB: {blocks} blocks, {blocks * zng.ftl.ENTRY / 1024:.0f} KiB")

mapping = study.Study("zng", "mapping")
mapping.claim("zng-31", blocks * zng.ftl.ENTRY / 1024)
mapping.close()
