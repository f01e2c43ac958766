"""Includes run downwards only, and each outside library stays where it belongs."""

import re
from pathlib import Path

SRC = Path(__file__).parents[2] / "src"

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
        "mem/a.cc": '#include "gpu/sm/sm.hh"',  # a neighbouring device
        "ohm/a.cc": '#include "zng/ftl.hh"',  # another paper
        "gpu/a.cc": '# include "nowhere.hh"',
        "stats/a.cc": "#include <pybind11/pybind11.h>",
        "core/b.hh": "#include <fmt/format.h>",
    }.items():
        assert list(faults(name, line)), (name, line)
    assert not list(faults("ohm/a.cc", '#include "xpoint/media.hh"\n#include <fmt/format.h>'))
