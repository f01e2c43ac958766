"""configs/drive.py and systems/drive.py."""
from pathlib import Path

import pytest
from memsim.systems.drive import PRESETS

CONFIG = Path(__file__).parents[2] / "configs" / "drive.py"


@pytest.mark.parametrize("drive", PRESETS)
def test_a_drive_under_random_requests(memsim_command, drive):
    done = memsim_command(CONFIG, "--drive", drive, "--requests", 300, "--read-share", "50%")
    assert done.stdout.startswith(f"{drive}: ")
    assert "read latency" in done.stdout and "write amplification" in done.stdout


def test_a_drive_under_a_trace(memsim_command, tmp_path):
    (tmp_path / "t.trace").write_text("".join(f"{i * 1000} 0 {i * 16} 16 {i % 2}\n" for i in range(100)))
    done = memsim_command(CONFIG, "--trace", "t.trace", "--trace-unit", "1ns")
    assert "write latency" in done.stdout
    refused = memsim_command(CONFIG, "--trace", "t.trace", expect=1)
    assert "host.trace_unit: a trace does not say what its arrivals count" in refused.stderr


def test_a_drive_that_is_not_there(memsim_command):
    refused = memsim_command(CONFIG, "--drive", "z_sdd", expect=1)
    assert "there is no drive 'z_sdd' (did you mean 'z_ssd'?)" in refused.stderr
