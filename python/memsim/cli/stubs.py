"""`memsim stubs DIR`: the package's type stubs, written from the package itself. The build runs this module, too."""

import argparse
import importlib
import pkgutil
import shutil
import sys
from pathlib import Path
from types import ModuleType

import memsim

from ..files import os_error
from ..model.schema import TYPES
from ..moved import SHORT
from .generated import native_stub
from .generated.stub_text import LEFT_OUT, Folder, Module


def register(parser: argparse.ArgumentParser) -> None:
    parser.description = "Write the .pyi stubs of the package"
    parser.add_argument("DIR", help="memsim/*.pyi are written below it")


def main(args: argparse.Namespace) -> None:
    os_error(lambda: write(Path(args.DIR, "memsim")), args.DIR)


def write(package: Path) -> None:
    """Writes the stubs of all modules into the folder `package`."""
    package.mkdir(parents=True, exist_ok=True)
    (package / "py.typed").write_text("")
    (package / "_memsim.pyi").write_text(native_stub.text())
    for folder in {kind.partition(".")[0] for kind in TYPES}:
        (package / f"{folder}.pyi").write_text(Folder(folder).text())
    every = [found.name for found in pkgutil.walk_packages(memsim.__path__, "memsim.")]
    for name in ["memsim", *(name for name in every if name not in LEFT_OUT)]:
        module = importlib.import_module(name)
        _path(package, name.partition(".")[2], module).write_text(Module(module).text())
    for short, real in SHORT.items():
        _write_short_name(package, short, importlib.import_module(f"memsim.{real}"))


def _path(package: Path, name: str, module: ModuleType) -> Path:
    """The path of a module's stub under a name in the package. Creates its folder."""
    path = package.joinpath(*filter(None, name.split(".")))
    path = path / "__init__.pyi" if hasattr(module, "__path__") else path.with_suffix(".pyi")
    path.parent.mkdir(exist_ok=True)
    return path


def _write_short_name(package: Path, short: str, module: ModuleType) -> None:
    """Writes the stub of a module under a short name, and those of the modules below it, with the contents of the
    original stubs."""
    _path(package, short, module).write_text(f"from {module.__name__} import *\n")
    for found in pkgutil.iter_modules(getattr(module, "__path__", [])):
        _write_short_name(package, f"{short}.{found.name}", importlib.import_module(f"{module.__name__}.{found.name}"))


if __name__ == "__main__":  # called by the build, which has no launcher yet
    shutil.rmtree(sys.argv[1], ignore_errors=True)
    write(Path(sys.argv[1]))
