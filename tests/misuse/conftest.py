"""Running what is wrong, and what must be said of it."""
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
    """build/memsim with these arguments in the test's directory, which must succeed."""

    def command(*arguments, **options):
        done = subprocess.run(
            [str(a) for a in (MEMSIM, *arguments)], cwd=tmp_path, text=True, capture_output=True, timeout=100, **options
        )
        assert done.returncode == 0, done.stderr
        return done

    return command


@pytest.fixture
def refused(tmp_path):
    """What memsim says on stderr: one sentence, with exit code 1. Of a run that had begun another line before it tells
    what is kept."""

    def command(*arguments, **options):
        done = subprocess.run(
            [str(a) for a in (MEMSIM, *arguments)], cwd=tmp_path, text=True, capture_output=True, timeout=100, **options
        )
        said = re.sub(
            r"^memsim: ended by an error at \S+; the last dump of run \S+ in \S+ has its statistics; .*\n",
            "",
            done.stderr,
        )
        assert done.returncode == 1, said
        assert said.startswith("memsim: ") and said.endswith("\n") and said.count("\n") == 1, said
        assert "Traceback" not in said + done.stdout
        return said.removeprefix("memsim: ").removesuffix("\n").replace(f"{tmp_path}/", "")

    return command


@pytest.fixture
def contents():
    """Every file below a directory with its bytes."""

    def of(directory):
        return {
            os.path.join(above, name): Path(above, name).read_bytes()
            for above, _, names in os.walk(directory)
            for name in names
        }

    return of
