"""Standard streams that are full, closed or without a reader: one sentence on a stream that has a reader, an exit
code other than 0, and no traceback."""
import os
import subprocess

import pytest
from misuse.conftest import MEMSIM

PRINTS = "import memsim\nfor i in range(9999):\n    print(i, 'is a line of a script that prints')\n"


@pytest.fixture(params=["", "1"], ids=["buffered", "unbuffered"])
def shell(request, tmp_path):
    """Runs a command of bash in the test's directory; $M is memsim."""
    (tmp_path / "prints.py").write_text(PRINTS)
    (tmp_path / "one.py").write_text("print('one line')\n")

    def run(command):
        environment = {**os.environ, "M": str(MEMSIM), "PYTHONUNBUFFERED": request.param}
        done = subprocess.run(
            ["bash", "-c", f"set -o pipefail; {command}"],
            cwd=tmp_path,
            text=True,
            env=environment,
            capture_output=True,
            timeout=100,
        )
        assert "Traceback" not in done.stderr and "Exception ignored" not in done.stderr, done.stderr
        return done.returncode, done.stdout, done.stderr

    return run


@pytest.mark.parametrize(
    "command", ["$M prints.py", "$M --help", "$M describe mem.Cache", "$M sql memsim-out 'SELECT * FROM result'"]
)
def test_a_reader_that_has_seen_enough(shell, run, tiny, command):
    if " sql " in command:
        run("-q", *tiny)
    code, out, output = shell(f"{command} | head -1")
    assert out.count("\n") == 1 and output == ""
    assert code in (0, 141), "141 is SIGPIPE's, 0 where all fitted into the pipe"
    assert code == 141 or command != "$M prints.py"


@pytest.mark.parametrize("command", ["$M prints.py", "$M one.py", "$M --version", "$M --list-sim-objects"])
def test_a_full_disk(shell, command):
    assert shell(f"{command} > /dev/full") == (
        1,
        "",
        "memsim: stdout: No space left on device: what was printed there is not whole\n",
    )


def test_a_full_disk_behind_both_streams(shell):
    assert shell("$M prints.py > /dev/full 2>&1") == (1, "", "")


def test_a_closed_stdout(shell):
    assert shell("$M one.py >&-") == (0, "", "")  # as in Python
    assert shell("$M describe mem.Cache >&-") == (
        1,
        "",
        "memsim: stdout is closed: memsim describe has nowhere to print\n",
    )
    code, _, output = shell("$M nowhere.py >&-")
    assert code == 1 and output.startswith("memsim: nowhere.py: No such file")


def test_closed_streams_and_a_run(shell, run, tiny):
    """Output is never written into one of the open files."""
    code, out, output = shell(f"$M -v -d out --checkpoint-at 50us {' '.join(map(str, tiny))} <&- >&- 2>&-")
    assert (code, out, output) == (0, "", "")
    assert run("sql", "out", "SELECT exit_cause FROM run").stdout == "exit_cause\nnothing left to do\n"
    assert run("sql", "out", "PRAGMA integrity_check").stdout.endswith("\nok\n")
    assert shell("$M nowhere.py 2>&-") == (1, "", "")


def test_an_ordinary_python_without_stderr(tmp_path):
    package = MEMSIM.parent / "python"
    (tmp_path / "run.py").write_text(
        "import memsim\nroot = memsim.Root()\n"
        "root.gen, root.mem = memsim.mem.TrafficGen(requests=9), memsim.mem.SimpleMemory()\n"
        "root.gen.mem_side = root.mem.cpu_side\nmemsim.instantiate()\nmemsim.simulate()\n"
    )
    done = subprocess.run(
        ["bash", "-c", "/usr/bin/python3 run.py 2>&-"],
        cwd=tmp_path,
        timeout=100,
        env={**os.environ, "PYTHONPATH": str(package)},
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stdout
