"""Names under which scripts import modules that stand elsewhere: `memsim.plot` is `memsim.results.plot`."""

import importlib
import importlib.abc
import importlib.util
import sys

SHORT = {
    "dram": "model.dram",
    "energy": "model.energy",
    "options": "run.options",
    "plot": "results.plot",
    "simt": "model.simt",
    "stats": "run.stats",
    "units": "model.units",
    **{f"systems.{paper}": f"papers.{paper}" for paper in ("cmd", "cxl_gpu", "ohm", "sap", "zng")},
}


class ShortNames(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    """Finds a module by its short name: one module with two names, not two modules."""

    def __init__(self, package):
        self._long = {f"{package}.{short}": f"{package}.{long}" for short, long in SHORT.items()}

    def _real(self, name):
        """The name of the module that is meant: of one in SHORT, or of one below it."""
        head, rest = name, ""
        while head:
            if head in self._long:
                return self._long[head] + rest
            head, _, last = head.rpartition(".")
            rest = f".{last}{rest}"
        return None

    def find_spec(self, name, path=None, target=None):
        real = self._real(name)
        return importlib.util.spec_from_loader(name, self, origin=real) if real else None

    def create_module(self, spec):
        return importlib.import_module(spec.origin)

    def exec_module(self, module):
        """Nothing: the module is there. Its own specification, which the import system has replaced, comes back."""
        module.__spec__ = importlib.util.spec_from_file_location(module.__name__, module.__file__)


def install(package):
    sys.meta_path.insert(0, ShortNames(package))  # first: a package of two names is also found by its path
