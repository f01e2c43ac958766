"""Includes run downwards only, and each outside library stays where it belongs."""

import ast
import re
from graphlib import TopologicalSorter
from pathlib import Path

SRC = Path(__file__).parents[2] / "src"
PACKAGE = Path(__file__).parents[2] / "python" / "memsim"

# A folder may include itself and every folder of a lower floor, never its neighbours.
FLOORS = [
    {"core"},
    {"program", "files"},
    {"stats", "checkpoint", "protocol", "parts"},
    {"mem", "flash", "xpoint", "optical", "link", "cxl", "gpu", "host"},
    {"workload", "zng", "cmd", "sap", "ohm", "cxl_gpu"},
    {"python"},
]
FLOOR = {folder: floor for floor, folders in enumerate(FLOORS) for folder in folders}

HEAVY = r"pybind11/|Python\.h|sqlite3\.h|fmt/|spdlog/"  # kept out of what everybody includes
SYSTEMS = "ohm", "zng", "cmd", "cxl_gpu", "sap", "qv100"  # folders or files of python/memsim/systems
PYTHON = r"pybind11/|Python\.h"  # kept out of all but src/python


def includes(text):
    return re.findall(r'^\s*#\s*include\s*([<"])([^">]+)[">]', text, re.M)


def faults(name, text):
    """What is wrong with the includes of src/<name>, as sentences."""
    folder = name.split("/")[0]
    for bracket, path in includes(text):
        target = path.split("/")[0]
        if bracket == '"' and target not in FLOOR:
            yield f'{name}: "{path}" starts with no folder of src'
        elif bracket == '"' and target != folder and FLOOR[target] >= FLOOR[folder]:
            yield f'{name}: {folder}/ must not include "{path}"'
        if re.match(PYTHON, path) and folder != "python":
            yield f"{name}: only src/python may include {path}"
        elif re.match(HEAVY, path) and folder == "core" and name.endswith(".hh"):
            yield f"{name}: {path} is too heavy for a core header"


def test_includes_run_downwards():
    files = {str(path.relative_to(SRC)): path.read_text() for path in SRC.glob("*/**/*.[ch]*")}
    unknown = {name.split("/")[0] for name in files} - FLOOR.keys()
    assert not unknown, f"folders of src that have no floor in {__file__}: {unknown}"
    assert [fault for name, text in files.items() for fault in faults(name, text)] == []
    # It looked at something: every .cc with a header of its own name includes it.
    pairs = [name for name in files if name.endswith(".cc") and name[:-2] + "hh" in files]
    assert pairs and all(('"', name[:-2] + "hh") in includes(files[name]) for name in pairs)


def test_a_fault_is_found():
    for name, line in {
        "core/a.hh": '#include "mem/dram.hh"',  # upwards
        "mem/a.cc": '#include "gpu/sm.hh"',  # a neighbouring device
        "ohm/a.cc": '#include "zng/ftl.hh"',  # another paper
        "gpu/a.cc": '# include "nowhere.hh"',
        "stats/a.cc": "#include <pybind11/pybind11.h>",
        "core/b.hh": "#include <fmt/format.h>",
    }.items():
        assert list(faults(name, line)), (name, line)
    assert not list(faults("ohm/a.cc", '#include "xpoint/media.hh"\n#include <fmt/format.h>'))


def python_imports(module, text, modules):
    """The package's own modules that a module imports, wherever in it that stands, all by their dotted names. A
    package is known as its __init__.py, which only hands names on."""
    package = module.split(".") if (PACKAGE / module.replace(".", "/")).is_dir() else module.split(".")[:-1]
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.ImportFrom) and node.level:
            base = package[: len(package) - node.level + 1] + (node.module.split(".") if node.module else [])
            for alias in node.names:
                name = ".".join([*base, alias.name])
                yield name if name in modules else ".".join(base)


def strangers(module, text):
    """What a module of systems/ imports of another system; what is shared imports no system at all. A system is a
    folder, or one file: `module` is 'zng/memory', 'qv100' or 'mmu'."""
    system, inside, _ = module.rpartition("/")
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.ImportFrom) and node.level == (2 if inside else 1):
            names = [node.module] if node.module else [alias.name for alias in node.names]
            yield from (
                n for n in names if n.partition(".")[0] in SYSTEMS and n.partition(".")[0] != (system or module)
            )


def test_a_system_imports_no_other():
    systems = PACKAGE / "systems"
    files = {
        path.relative_to(systems).with_suffix("").as_posix(): path.read_text()
        for path in systems.rglob("*.py")
        if path != systems / "__init__.py"
    }
    assert {name.partition("/")[0] for name in files} > set(SYSTEMS)
    assert {name: found for name, text in files.items() if (found := list(strangers(name, text)))} == {}
    assert list(strangers("zng/memory", "from ..ohm.dram import PCIE\nfrom .. import mmu\nfrom . import scale")) == [
        "ohm.dram"
    ]
    assert list(strangers("mmu", "from . import ohm")) == ["ohm"]


def test_python_modules_import_in_a_line():
    """None imports what imports it. (A package's own modules may import each other through it.)"""
    files = {
        path.relative_to(PACKAGE).with_suffix("").as_posix().replace("/", ".").removesuffix(".__init__"): path
        for path in PACKAGE.rglob("*.py")
        if path != PACKAGE / "__init__.py"
    }
    graph = {
        name: {
            found
            for found in python_imports(name, path.read_text(), files)
            if found in files and not name.startswith(f"{found}.")
        }
        for name, path in files.items()
    }
    order = list(TopologicalSorter(graph).static_order())  # CycleError names a circle
    assert order.index("errors") < order.index("objects") < order.index("run") < order.index("cli")
    assert order.index("run") < order.index("systems.scale") < order.index("systems.ohm")


def test_runs_and_results_import_downwards():
    """A run does not read results, and neither knows studies, papers or commands."""
    below = {"run": ("errors", "files", "model", "run"), "results": ("errors", "files", "model", "run", "results")}
    files = {
        path.relative_to(PACKAGE).with_suffix("").as_posix().replace("/", "."): path for path in PACKAGE.rglob("*.py")
    }
    for folder, allowed in below.items():
        found = {
            imported.partition(".")[0]
            for name, path in files.items()
            if name.startswith(f"{folder}.")
            for imported in python_imports(name, path.read_text(), files)
            if imported in files
        }
        assert folder in found and found <= set(allowed), found
