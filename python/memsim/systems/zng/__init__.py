"""ZnG (Zhang and Jung, HPCA'21): `zng.machine(...)` builds a machine; the modules hold its flash, its workloads, how
it is scaled, its wear, and the points and assumptions that its studies share."""

from . import assumptions, flash, ftl, memory, peaks, points, scale, wear, workloads
from .machines import machine, platforms
