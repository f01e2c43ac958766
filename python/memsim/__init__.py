"""memsim: a discrete-event simulator of GPU memory systems.

    import memsim
    from memsim.mem import SimpleMemory

    root = memsim.Root(seed=1)
    root.gpu = memsim.System()
    root.gpu.mem = SimpleMemory(latency="100ns")     # a child; its path is 'gpu.mem'
    root.gpu.mem.queue = 64                          # a parameter
    root.gpu.sm.mem_side = root.gpu.mem.cpu_side     # a connection, in either direction
    memsim.instantiate()                             # everything is checked here
    event = memsim.simulate("200us")
    print(event.getCause(), root.gpu.mem.stats.reads)
    memsim.stats.dump("done")
"""
import glob as _glob
import os as _os
import sys as _sys
from typing import Any

try:
    from . import _memsim
except ImportError as _e:
    if _glob.glob(_os.path.join(_os.path.dirname(__file__), "_memsim*.so")):
        _why = (
            f"memsim's module cannot be loaded into {_sys.executable} "
            f"(Python {_sys.version_info[0]}.{_sys.version_info[1]}): use /usr/bin/python3 ({_e})"
        )
    else:
        _why = (
            "memsim is not built here: run util/run or scons in its directory, then start scripts with "
            "build/memsim SCRIPT, or with PYTHONPATH=build/python"
        )
    if _sys.argv and _sys.argv[0] == "-m":  # `python3 -m memsim`: one sentence, no traceback
        _sys.exit(f"memsim: {_why}")
    raise ImportError(_why) from None

from . import moved as _moved
from .errors import Error, InUse, Panic, UnknownName
from .lazy import module_of as _module_of
from .model import dram
from .model import schema as _schema
from .model.attributes import Parameter
from .model.objects import Group, Root, SimObject, System
from .model.policies import policy
from .model.ports import Port, VectorPort
from .model.schema import describe
from .model.units import Quantity
from .results.database import Results, results
from .run import stats
from .run.default import checkpoint, curTick, default, instantiate, restore, simulate
from .run.event import Event
from .run.options import Options
from .run.simulation import Simulation

__all__ = [
    "Error",
    "Event",
    "Group",
    "InUse",
    "NEVER",
    "Options",
    "Panic",
    "Parameter",
    "Port",
    "Quantity",
    "Results",
    "Root",
    "SimObject",
    "Simulation",
    "System",
    "UnknownName",
    "VectorPort",
    "checkpoint",
    "curTick",
    "default",
    "describe",
    "dram",
    "instantiate",
    "policy",
    "restore",
    "results",
    "simulate",
    "stats",
]
__version__ = _memsim.version()
NEVER = _memsim.never

_moved.install(__name__)
_schema.make_modules(__name__)


def __getattr__(name: str) -> Any:
    """A component by its name alone where no other folder has it, memsim.SimpleMemory; and modules, memsim.systems."""
    if not name.startswith("_"):
        found = _schema.TYPES.named(name)
        if len(found) == 1:
            return _schema.TYPES[found[0]]
        if module := _module_of(__name__, name):
            return module
    return _schema.refuse_name("", name)
