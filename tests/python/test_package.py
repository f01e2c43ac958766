"""pip installs the package into a virtual environment without a network, and it runs from any directory."""

import os
import subprocess
from pathlib import Path

import memsim
import pytest

ROOT = Path(__file__).parents[2]

USE = """
memory = SimpleMemory(latency=memsim.units.Time(1000), queue=3)
print(memory.latency, memsim.__file__)
"""


@pytest.fixture
def environment(tmp_path):
    """Makes a virtual environment, and returns a function that runs one of its programs there, below `tmp_path`."""
    venv, elsewhere = tmp_path / "venv", tmp_path / "elsewhere"
    elsewhere.mkdir()
    subprocess.run(["/usr/bin/python3", "-m", "venv", venv], check=True)
    clean = {name: os.environ[name] for name in ("PATH", "HOME") if name in os.environ}

    def run(program, *arguments):
        command = [program if "/" in program else venv / "bin" / program, *arguments]
        done = subprocess.run(command, cwd=elsewhere, env=clean, text=True, capture_output=True)
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout

    return run


@pytest.mark.slow
@pytest.mark.parametrize("how, where", [([], "site-packages/memsim"), (["--editable"], "build/python/memsim")])
def test_pip_installs_the_package(environment, script, tmp_path, how, where):
    environment("pip", "install", "--no-index", "--no-cache-dir", *how, ROOT)
    script.write_text(script.read_text() + USE)
    printed = environment("python", script, "1000").splitlines()
    digest, used = printed[-2].split()[-1], printed[-1]
    assert used.startswith("1ps ") and where in used
    assert digest in environment("memsim", "-d", tmp_path / "out", script, "1000")
    assert environment("memsim", "--version").startswith("memsim ")
    for code in ("from memsim import mem", "from memsim.systems import zng", "import memsim.options"):
        environment("python", "-c", code)
    checker = ["/usr/bin/mypy", "--strict", "--python-executable", tmp_path / "venv/bin/python", script]
    assert "Success" in environment(*checker)
    script.write_text(script.read_text() + "memory.latency = memsim.units.Bytes(3)\n")
    with pytest.raises(AssertionError, match='expression has type "Bytes"'):
        environment(*checker)


def test_names_of_the_package_are_imported_when_they_are_used():
    """_HOMES gives the module of each name of __all__, as for type checkers; `import memsim` loads few modules."""
    assert {*memsim._HOMES} == {*memsim.__all__} - {"NEVER"}
    for name in memsim.__all__:
        assert getattr(memsim, name) is not None
    assert callable(memsim.results) and callable(memsim.default) and memsim.stats.__name__ == "memsim.run.stats"
    code = (
        "import sys, memsim; unused = {'memsim.model.schema', 'dataclasses', 'sqlite3', 'numpy', 'pandas'}; "
        "assert not unused & {*sys.modules}, unused & {*sys.modules}; "
        "from memsim.mem import Cache; import memsim.results.rows; "
        "assert memsim.mem.Cache is Cache and callable(memsim.results)"
    )
    folder = Path(memsim.__file__).parents[1]
    subprocess.run(["/usr/bin/python3", "-c", code], env=dict(os.environ, PYTHONPATH=str(folder)), check=True)
