"""Commands with errors, and their messages."""
import os
import re
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
MEMSIM = ROOT / "build" / "memsim"
CONFIG = ROOT / "configs" / "ohm_planar.py"
TINY = (CONFIG, "--scale", "tiny")


@pytest.fixture
def tiny():
    """The main job at the size for tests."""
    return TINY


@pytest.fixture
def run(tmp_path):
    """Runs build/memsim with these arguments in the test's directory; it must succeed."""

    def command(*arguments, **options):
        done = subprocess.run(
            [str(a) for a in (MEMSIM, *arguments)], cwd=tmp_path, text=True, capture_output=True, timeout=100, **options
        )
        assert done.returncode == 0, done.stderr
        return done

    return command


@pytest.fixture
def refused(tmp_path):
    """Runs memsim, which must fail with exit code 1. Returns its message, one sentence. A run that had begun prints a line
    about the kept results before it."""

    def command(*arguments, **options):
        done = subprocess.run(
            [str(a) for a in (MEMSIM, *arguments)], cwd=tmp_path, text=True, capture_output=True, timeout=100, **options
        )
        output = re.sub(
            r"^memsim: ended by an error at \S+; the last dump of run \S+ in \S+ has its statistics; .*\n",
            "",
            done.stderr,
        )
        assert done.returncode == 1, output
        assert output.startswith("memsim: ") and output.endswith("\n") and output.count("\n") == 1, output
        assert "Traceback" not in output + done.stdout
        return output.removeprefix("memsim: ").removesuffix("\n").replace(f"{tmp_path}/", "")

    return command


@pytest.fixture
def contents():
    """All files below a directory, with their contents."""

    def of(directory):
        return {
            os.path.join(above, name): Path(above, name).read_bytes()
            for above, _, names in os.walk(directory)
            for name in names
        }

    return of
