"""Traces that a script records: complete when simulate() has returned, or an error."""
import pytest

SCRIPT = """\
import memsim
from memsim import mem, workload


def machine(requests, period="10ns", play="", **recorder):
    root = memsim.Root()
    if play:
        root.generator = workload.TracePlayer(trace=play, unit="1ns")
    else:
        root.generator = mem.TrafficGen(requests=requests, period=period)
    root.recorder = workload.TraceRecorder(**recorder)
    root.memory = mem.SimpleMemory(latency="100ns")
    root.generator.mem_side = root.recorder.cpu_side
    root.recorder.mem_side = root.memory.cpu_side
    return memsim.instantiate(root)

"""


@pytest.fixture
def script(memsim_command, tmp_path):
    """Runs these lines after SCRIPT; returns stderr."""

    def run(text, *options, expect=0):
        (tmp_path / "record.py").write_text(SCRIPT + text)
        return memsim_command(*options, "record.py", expect=expect).stderr

    return run


def records(memsim_command, name):
    info = memsim_command("trace", "info", "--unit", "1ns", name).stdout
    return int(dict(line.split(None, 1) for line in info.splitlines())["records"])


def test_a_trace_is_whole_though_a_variable_keeps_the_machine(script, memsim_command):
    # Long enough for the heartbeat of simulate(), whose frame remains in a traceback or a cycle.
    script("kept = [machine(400_000, '1ns', file='t.mst')]\nkept.append(kept)\nkept[0].simulate()\n")
    assert records(memsim_command, "t.mst") == 400_000


def test_a_trace_is_whole_between_two_calls_of_simulate(script, memsim_command, tmp_path):
    script(
        "import shutil\n"
        "m = machine(1000, file='t.mst', batch=64)\n"
        "m.simulate('3us')\n"
        "shutil.copy('t.mst', 'part.mst')\n"
        "m.simulate()\n"
        "machine(1000, file='once.mst', batch=64).simulate()\n"
    )
    assert records(memsim_command, "part.mst") == 300
    assert (tmp_path / "t.mst").read_bytes() == (tmp_path / "once.mst").read_bytes()


def test_a_resumed_recording_writes_the_same_file(script, memsim_command, tmp_path):
    text = "machine(1000, file='t.mst', batch=64).simulate()\n"
    script(text, "--checkpoint-at", "5us")
    whole = (tmp_path / "t.mst").read_bytes()
    memsim_command("--restore", next((tmp_path / "memsim-out").glob("*.ckpt")))
    assert (tmp_path / "t.mst").read_bytes() == whole
    assert records(memsim_command, "t.mst") == 1000


@pytest.mark.parametrize("batch", [64, 65536])  # the disk is full during the run, or at its end
def test_a_full_disk_fails_the_run(script, batch):
    output = script(
        f"machine(1000, file='/dev/full', format='dramsim3', cycle='1ns', batch={batch}).simulate()\n", expect=1
    )
    assert (
        "/dev/full: cannot be written further (No space left on device): name a file where there "
        "is room for the trace"
    ) in output
    assert "Traceback" not in output


def test_a_file_that_is_played_is_not_recorded(script, tmp_path):
    (tmp_path / "t.trace").write_text("0x40 READ 3\n")
    output = script("machine(0, play='t.trace', file='./t.trace')\n", expect=1)
    assert "recorder.file: './t.trace' is the file of generator.trace, too" in output
    assert (tmp_path / "t.trace").read_text() == "0x40 READ 3\n"
