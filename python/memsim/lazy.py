"""Imports the modules of a package at their first use: a run needs few of them."""

import importlib
import importlib.util
from collections.abc import Callable
from types import ModuleType


def module_of(package: str, name: str) -> ModuleType | None:
    """The module `name` of the package, or None if it has none."""
    full = f"{package}.{name}"
    return importlib.import_module(full) if importlib.util.find_spec(full) else None


def modules_when_asked(package: str) -> Callable[[str], ModuleType]:
    """The __getattr__ of such a package."""

    def look_up(name: str) -> ModuleType:
        if module := module_of(package, name):
            return module
        raise AttributeError(f"module {package!r} has no attribute {name!r}")

    return look_up
