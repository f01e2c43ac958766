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
import importlib as _importlib
import os as _os
import sys as _sys
from typing import TYPE_CHECKING, Any

try:
    from . import _memsim
except ImportError as _e:
    if any(name.startswith("_memsim") and name.endswith(".so") for name in _os.listdir(_os.path.dirname(__file__))):
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
from .lazy import module_of as _module_of

if TYPE_CHECKING:
    from .errors import Error, InUse, Panic, UnknownName
    from .model import dram
    from .model.attributes import Parameter
    from .model.objects import Group, Root, SimObject, System
    from .model.policies import policy
    from .model.ports import Port, VectorPort
    from .model.reference import describe
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

# The module of each name above, which is imported at the first use of the name: a process needs few of them.
_HOMES = {
    "Error": "errors",
    "InUse": "errors",
    "Panic": "errors",
    "UnknownName": "errors",
    "dram": "model.dram",
    "Parameter": "model.attributes",
    "Group": "model.objects",
    "Root": "model.objects",
    "SimObject": "model.objects",
    "System": "model.objects",
    "policy": "model.policies",
    "Port": "model.ports",
    "VectorPort": "model.ports",
    "describe": "model.reference",
    "Quantity": "model.units",
    "Results": "results.database",
    "results": "results.database",
    "stats": "run.stats",
    "checkpoint": "run.default",
    "curTick": "run.default",
    "default": "run.default",
    "instantiate": "run.default",
    "restore": "run.default",
    "simulate": "run.default",
    "Event": "run.event",
    "Options": "run.options",
    "Simulation": "run.simulation",
}
_importlib.import_module(f"{__name__}.results")  # now: a later import would replace the function of this name
globals().pop("results")

_moved.install(__name__)


def __getattr__(name: str) -> Any:
    """A name of __all__; a component by its name alone where no other folder has it, memsim.SimpleMemory; and modules,
    memsim.systems."""
    if name in _HOMES:
        home = _importlib.import_module(f"{__name__}.{_HOMES[name]}")
        found = globals()[name] = getattr(home, name, home)  # the module itself: memsim.dram, memsim.stats
        return found
    if name.startswith("_"):
        raise AttributeError(name)
    schema = _importlib.import_module(f"{__name__}.model.schema")
    if name in globals():  # a folder of components, whose module it has made
        return globals()[name]
    kinds = schema.TYPES.named(name)
    if len(kinds) == 1:
        return schema.TYPES[kinds[0]]
    if module := _module_of(__name__, name):
        return module
    return schema.refuse_name("", name)


def __dir__() -> list[str]:
    return sorted({*globals(), *_HOMES})
