"""--timeline and the debug flags of component types: they show what happens, and change nothing."""
import json
import re
import sqlite3
from pathlib import Path

import memsim
import pytest

ROOT = Path(__file__).parents[2]
PLANAR = ROOT / "configs/ohm_planar.py"


def digest(folder):
    with sqlite3.connect(folder / "stats.db") as db:
        return db.execute("SELECT digest FROM run").fetchone()[0]


@pytest.fixture
def events(memsim_command, tmp_path):
    memsim_command("-d", "plain", PLANAR, "--scale", "tiny")
    memsim_command("-d", "shown", "--timeline", "timeline.json", "--stamps", "20", PLANAR, "--scale", "tiny")
    assert digest(tmp_path / "plain") == digest(tmp_path / "shown")
    return json.loads((tmp_path / "timeline.json").read_text())


def test_a_timeline_shows_launches_requests_and_activity(events, tmp_path):
    of = {process: [e for e in events if e["pid"] == process and e["ph"] != "M"] for process in (1, 2, 3)}
    with sqlite3.connect(tmp_path / "shown/stats.db") as db:
        launches = db.execute("SELECT kernel, started FROM launches ORDER BY started").fetchall()
        (stamped,) = db.execute("SELECT value FROM result WHERE path = 'stages' AND name = 'requests'").fetchone()
    assert [(e["name"], pytest.approx(e["ts"] * 1e9, abs=1e6)) for e in of[2]] == launches
    lives = [e for e in of[1] if e["name"].startswith("request ")]
    assert len(lives) == stamped
    wakes = {e["name"] for e in of[3]}
    assert {"gpu.sm[0]", "gpu.network", "gpu.l2[0]"} <= wakes


def test_stages_tile_each_request(events):
    tracks = {}
    for e in events:
        if e["ph"] == "X" and e["pid"] == 1:
            tracks.setdefault(e["tid"], []).append((e["ts"], e["dur"], e["name"]))
    for slices in tracks.values():
        lives = [s for s in slices if s[2].startswith("request ")]
        stages = sorted(s for s in slices if not s[2].startswith("request "))
        assert sum(s[1] for s in lives) == pytest.approx(sum(s[1] for s in stages), abs=1e-6)
        for life, after in zip(lives, lives[1:]):  # one request at a time
            assert life[0] + life[1] <= after[0] + 1e-6


def test_a_timeline_that_cannot_be_written_is_a_sentence(memsim_command):
    said = memsim_command("--timeline", "nowhere/timeline.json", PLANAR, "--scale", "tiny", expect=1).stderr
    assert "cannot write the timeline 'nowhere/timeline.json' (No such file or directory)" in said


def test_the_flag_of_a_type_tells_its_messages_in_words(memsim_command, tmp_path):
    memsim_command("-d", "plain", PLANAR, "--scale", "tiny")
    memsim_command(
        "-d", "shown", "--debug-flags", "mem.Crossbar", "--debug-file", "lines.txt", PLANAR, "--scale", "tiny"
    )
    assert digest(tmp_path / "plain") == digest(tmp_path / "shown")
    lines = (tmp_path / "lines.txt").read_text().splitlines()
    assert all(": gpu.network: mem.Crossbar: " in line and " takes protocol.Mem" in line for line in lines)
    reads = [line for line in lines if "protocol.MemRequest" in line and "command read" in line]
    with sqlite3.connect(tmp_path / "shown/stats.db") as db:
        (requests,) = db.execute("SELECT value FROM result WHERE path = 'gpu.network' AND name = 'requests'").fetchone()
    taken = [line for line in lines if "protocol.MemRequest" in line]
    assert len(taken) == requests and reads  # each message once
    assert all(re.match(r"\d+\.\d{6}ns: gpu\.network: ", line) for line in lines)
    assert all(re.search(r": address 0x[0-9a-f]+, bytes \d+, command \w+", line) for line in taken)
    assert not any(re.search(r" code |packed ,|, $|: $", line) for line in lines), "what holds nothing is left out"


def test_the_flag_of_sms_names_kinds_of_instructions(memsim_command, tmp_path):
    memsim_command(
        "--debug-flags", "Sm", "--debug-file", "lines.txt", PLANAR, "--scale", "tiny", "--max-instructions", "20000"
    )
    kinds = {
        re.fullmatch(r".*: warp \d+ issues (\w+) \(instructions \d+, pc \d+\)", line)[1]
        for line in (tmp_path / "lines.txt").read_text().splitlines()
    }
    assert kinds >= {"compute", "load", "exit"}


def test_every_type_has_a_flag(memsim_command):
    flags = {line.split()[0] for line in memsim_command("--debug-help").stdout.splitlines()}
    types = {line.split()[0] for line in memsim_command("--list-sim-objects").stdout.splitlines()}
    assert types <= flags


@pytest.mark.parametrize(
    "script, stages",
    [
        (["sap.py"], {"page", "dram", "drive"}),
        (["zng.py", "--workload", "betw-back"], {"translation", "flash_network", "plane_queue", "sensing"}),
        (["cmd.py", "--platform", "cmd", "--workload", "bfs"], {"deduplication", "dram"}),
        (
            ["cxl_gpu.py", "--platform", "cxl", "--media", "z-nand", "--workload", "gemm"],
            {"page", "cxl_link", "drive_queue", "sensing", "flash_channel", "drive"},
        ),
        (["cxl_gpu.py", "--platform", "uvm", "--workload", "gemm"], {"fault_driver", "page_read", "page_copy"}),
    ],
)
def test_a_request_s_way_through_a_system_has_its_stages(script, stages, memsim_command, tmp_path):
    memsim_command("--stamps", 10, ROOT / "configs" / script[0], *script[1:], "--scale", "tiny")
    asked = memsim.results(tmp_path / "memsim-out")
    found = asked.sql("SELECT stage, mean_ns FROM stages WHERE requests > 0")
    assert stages | {"l1", "l2", "response"} <= set(found["stage"])
    (life,) = asked.sql("SELECT value FROM result WHERE path = 'requests' AND name = 'life.mean'")["value"]
    assert found["mean_ns"].sum() == pytest.approx(life)
