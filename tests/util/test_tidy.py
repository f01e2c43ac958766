"""util/tidy reads sources together that the build compiles together, and finds the faults of each and of their headers."""

import shutil
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
FAULT = "int *place() { return 0; }\n"


@pytest.mark.parametrize("grouped", [True, False])
@pytest.mark.parametrize(
    "faulty, read", [("bad.cc", ["bad.cc"]), ("bad.hh", ["bad.cc"]), ("bad.hh", ["bad.hh", "good.hh"])]
)
def test_a_fault_is_found(tmp_path, faulty, read, grouped):
    for name in (".clang-tidy", "util/tidy"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        shutil.copy(ROOT / name, tmp_path / name)
    sources = tmp_path / "src/part"
    groups = tmp_path / "build/groups/src/part"
    sources.mkdir(parents=True), groups.mkdir(parents=True)
    (sources / "good.cc").write_text("int number() { return 0; }\n")
    (sources / "bad.cc").write_text('#include "part/bad.hh"\n')
    for name in ("bad.hh", "good.hh"):
        (sources / name).write_text("#pragma once\n")
    (sources / faulty).write_text(FAULT)
    if grouped:
        (groups / "1_of_1.cc").write_text('#include "part/good.cc"\n#include "part/bad.cc"\n')

    def tidy():
        files = [f"src/part/{name}" for name in [*read, "good.cc"]]
        done = subprocess.run([tmp_path / "util/tidy", *files], capture_output=True, text=True)
        return done.returncode, done.stdout + done.stderr

    code, found = tidy()
    assert code != 0 and f"part/{faulty}:1:" in found and "use nullptr" in found
    (sources / faulty).write_text(FAULT.replace("0", "nullptr"))
    assert tidy() == (0, "")
