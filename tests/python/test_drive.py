"""configs/drive.py and systems/drive.py."""
from pathlib import Path

import memsim
import pytest
from memsim import flash
from memsim.systems.drive import PRESETS, solid_state_drive

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
    assert "host.trace_unit: the trace does not define the unit of its arrival times" in refused.stderr


def test_options_that_a_trace_decides_are_refused(memsim_command):
    traced = memsim_command(CONFIG, "--trace", "t.trace", "--trace-unit", "1ns", "--read-share", "50%", expect=2)
    assert "--read-share applies only without --trace: leave it out" in traced.stderr
    random = memsim_command(CONFIG, "--trace-unit", "1ns", expect=2)
    assert "--trace-unit applies only with --trace: leave it out" in random.stderr


def test_an_unknown_drive(memsim_command):
    refused = memsim_command(CONFIG, "--drive", "z_sdd", expect=1)
    assert "there is no drive 'z_sdd' (did you mean 'z_ssd'?)" in refused.stderr


def test_pages_of_a_drive_over_time(in_tmp):
    """Each sample covers its own interval, a reset changes nothing, and the number of pages is constant."""
    root = memsim.Root()
    root.host = flash.BlockTraffic(read_share="0%", sectors=64, range=1 << 14, requests=2000, outstanding=64)
    root.ssd = solid_state_drive("mqsim", preconditioned="0%")
    root.host.drive = root.ssd.drive.host[0]
    with memsim.Simulation(root) as simulation:
        simulation.stats.series("1ms", ["ssd.drive.*_pages", "ssd.drive.free_blocks"])
        simulation.simulate(5 * 10**12)
        simulation.stats.reset()
        simulation.simulate()
        stats = root.ssd.drive.stats
        last = [int(getattr(stats, name)) for name in ("valid_pages", "invalid_pages", "erased_pages", "free_blocks")]
    pages = memsim.results().series().pivot(index="tick", columns="name", values="value")
    whole = pages["valid_pages"] + pages["invalid_pages"] + pages["erased_pages"]
    assert whole.nunique() == 1 and sum(last[:3]) == whole.iloc[0]
    assert (
        len(pages) > 3 and pages["valid_pages"].is_monotonic_increasing
    ), "nothing is written before and nothing trimmed"
    assert pages["valid_pages"].iloc[0] < pages["valid_pages"].iloc[-1] <= last[0] <= (1 << 14) * 512 // 8192
    assert pages["free_blocks"].iloc[-1] < pages["free_blocks"].iloc[0]
