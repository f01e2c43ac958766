"""An input that takes long: who is told to end does so."""
import gzip
import signal
import subprocess
import time

import pytest

from .conftest import MEMSIM

SCRIPT = """\
import memsim
from memsim import workload
from memsim.systems import ohm

print("loads", flush=True)
memsim.instantiate(ohm.planar("ohm-base", workload.Program({})))
"""


@pytest.fixture
def loading(tmp_path):
    """A process that loads what takes minutes."""
    started = []

    def start(program):
        (tmp_path / "run.py").write_text(SCRIPT.format(program))
        started.append(subprocess.Popen([MEMSIM, "run.py"], cwd=tmp_path, text=True,
                                        stdout=subprocess.PIPE, stderr=subprocess.PIPE))
        assert started[0].stdout.readline() == "loads\n"
        time.sleep(0.5)
        return started[0]
    yield start
    for process in started:
        process.kill()
        process.communicate()


@pytest.mark.parametrize("program", [
    'name="bfs1", input="long.txt.gz"', 'name="mum", size=2**26', 'name="bfs1", size=24'])
@pytest.mark.parametrize("number, code, said", [
    (signal.SIGTERM, 143, "memsim: ended by SIGTERM while an input was loaded\n"),
    (signal.SIGINT, 130, "memsim: interrupted\n"),
])
def test_it_is_ended(loading, tmp_path, program, number, code, said):
    # Members of a file: 32 GB of comments in 32 MB.
    with open(tmp_path / "long.txt.gz", "wb") as file:
        file.write(gzip.compress(b"# nothing\n" * 1_600_000, mtime=0) * 2000)
    process = loading(program)
    assert process.poll() is None
    process.send_signal(number)
    assert process.communicate(timeout=20)[1] == said
    assert process.returncode == code
