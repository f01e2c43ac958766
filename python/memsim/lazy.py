"""Imports the modules of a package at their first use: a run needs few of them."""

import importlib
import importlib.util
from collections.abc import Callable, Mapping
from types import ModuleType
from typing import Any


def module_of(package: str, name: str) -> ModuleType | None:
    """The module `name` of the package, or None if it has none."""
    full = f"{package}.{name}"
    return importlib.import_module(full) if importlib.util.find_spec(full) else None


def when_asked(package: str, modules: Mapping[str, str] | None = None) -> Callable[[str], Any]:
    """The __getattr__ of such a package. `modules` names the module of each function and class that the package has."""

    def look_up(name: str) -> Any:
        if modules and name in modules:
            return getattr(importlib.import_module(f"{package}.{modules[name]}"), name)
        if module := module_of(package, name):
            return module
        raise AttributeError(f"module {package!r} has no attribute {name!r}")

    return look_up
