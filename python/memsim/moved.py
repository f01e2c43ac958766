"""Names under which scripts import modules that stand elsewhere: `memsim.plot` is `memsim.results.plot`."""

import importlib
import importlib.util
import sys
from collections.abc import Sequence
from importlib.machinery import ModuleSpec
from types import ModuleType
from typing import Any, cast

from . import _memsim

SHORT = {
    "dram": "model.dram",
    "energy": "model.energy",
    "options": "run.options",
    "plot": "results.plot",
    "ports": "model.ports",
    "simt": "model.simt",
    "stats": "run.stats",
    "units": "model.units",
    **{f"systems.{paper}": f"papers.{paper}" for paper in ("cmd", "cxl_gpu", "ohm", "sap", "zng")},
}


class ShortNames:
    """Finds a module by its short name: one module with two names, not two modules; and the modules of the components'
    folders, such as memsim.mem, which model.schema makes. A finder and loader by its methods alone: importlib.abc would
    take as long to import as a tenth of memsim."""

    def __init__(self, package: str) -> None:
        self._long = {f"{package}.{short}": f"{package}.{long}" for short, long in SHORT.items()}
        self._made = {f"{package}.{kind.partition('.')[0]}" for kind in _memsim.types()}
        self._maker = f"{package}.model.schema"

    def _real(self, name: str) -> str | None:
        """The name of the module that is meant: of one in SHORT, or of one below it."""
        head, rest = name, ""
        while head:
            if head in self._long:
                return self._long[head] + rest
            head, _, last = head.rpartition(".")
            rest = f".{last}{rest}"
        return None

    def find_spec(
        self, name: str, path: Sequence[str] | None = None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        if name in self._made:
            importlib.import_module(self._maker)  # all of them
            return importlib.util.spec_from_loader(name, cast(Any, self), origin=name)
        real = self._real(name)
        return importlib.util.spec_from_loader(name, cast(Any, self), origin=real) if real else None

    def create_module(self, spec: ModuleSpec) -> ModuleType:
        assert spec.origin
        return sys.modules.get(spec.origin) or importlib.import_module(spec.origin)

    def exec_module(self, module: ModuleType) -> None:
        """Restores the specification of the loaded module, which the import system has replaced."""
        if module.__name__ in self._made:
            return
        module.__spec__ = importlib.util.spec_from_file_location(module.__name__, module.__file__)


def install(package: str) -> None:
    sys.meta_path.insert(0, ShortNames(package))  # first: a package of two names is also found by its path
