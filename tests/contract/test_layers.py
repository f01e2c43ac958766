"""Includes point downwards only, and only the listed folders use an outside library."""

import re
from pathlib import Path

SRC = Path(__file__).parents[2] / "src"

# A folder may include itself and every folder of a lower floor, never its neighbours.
FLOORS = [
    {"core"},
    {"gpu_program", "input_files"},
    {"stats", "checkpoint", "protocol", "device_parts"},
    {"mem", "flash", "xpoint", "optical", "link", "cxl", "gpu", "host"},
    {"workload", "zng", "cmd", "sap", "ohm", "cxl_gpu"},
    {"python"},
]
# The rooms of a folder form layers of their own: a file may include its own room and those to the left of it. In core,
# sources (not headers) may include all of it: the kernel's sources need the machine.
ROOMS = {
    "core": ["base", "state", "declare", "kernel", "parallel", "observe", "machine"],
    "gpu": ["mmu", "sm", "dispatch"],
    "mem": ["traffic", "dram", "cache", "page_cache"],
    "flash": ["nand", "channel", "hbf", "ftl", "drive"],
    "cxl": ["flit", "link", "hdm", "root", "endpoint", "firmware"],
    "cmd": ["tables", "compress", "detect", "controller"],
    "ohm": ["channel", "planar", "two_level"],
    "zng": ["layout", "network", "package", "read_path", "ftl"],
}
FLOOR = {folder: floor for floor, folders in enumerate(FLOORS) for folder in folders}

HEAVY = r"pybind11/|Python\.h|sqlite3\.h|fmt/|spdlog/"  # not allowed in headers that most files include
PYTHON = r"pybind11/|Python\.h"  # allowed in src/python only


def includes(text):
    return re.findall(r'^\s*#\s*include\s*([<"])([^">]+)[">]', text, re.M)


def points_up(name, path):
    """Whether a file of one room includes a later room of the same folder."""
    (folder, room, *_), (target, wanted, *_) = name.split("/"), [*path.split("/"), ""]
    rooms = ROOMS.get(folder, [])
    if folder != target or room not in rooms or wanted not in rooms or (folder == "core" and name.endswith(".cc")):
        return False
    return rooms.index(wanted) > rooms.index(room)


def faults(name, text):
    """The wrong includes of src/<name>, as sentences."""
    folder = name.split("/")[0]
    for bracket, path in includes(text):
        target = path.split("/")[0]
        if bracket == '"' and target not in FLOOR:
            yield f'{name}: "{path}" starts with no folder of src'
        elif bracket == '"' and target != folder and FLOOR[target] >= FLOOR[folder]:
            yield f'{name}: {folder}/ must not include "{path}"'
        if points_up(name, path):
            yield f'{name}: "{path}" lies in a later room of {folder}/'
        if re.match(PYTHON, path) and folder != "python":
            yield f"{name}: only src/python may include {path}"
        elif re.match(HEAVY, path) and folder == "core" and name.endswith(".hh"):
            yield f"{name}: {path} is too heavy for a core header"


def test_includes_run_downwards():
    files = {str(path.relative_to(SRC)): path.read_text() for path in SRC.glob("*/**/*.[ch]*")}
    unknown = {name.split("/")[0] for name in files} - FLOOR.keys()
    assert not unknown, f"folders of src that have no floor in {__file__}: {unknown}"
    assert [fault for name, text in files.items() for fault in faults(name, text)] == []
    # Proof that includes were found: every .cc with a header of the same name includes it.
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
        "flash/nand/a.cc": '#include "flash/drive/drive.hh"',  # a later room
    }.items():
        assert list(faults(name, line)), (name, line)
    assert not list(faults("core/kernel/a.cc", '#include "core/machine/machine.hh"'))
    assert not list(faults("ohm/a.cc", '#include "xpoint/media.hh"\n#include <fmt/format.h>'))
