"""--timeline and the debug flags of component types: they show the run and do not affect it."""
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
    requests_shown = [e for e in of[1] if e["name"].startswith("request ")]
    assert len(requests_shown) == stamped
    wakes = {e["name"] for e in of[3]}
    assert {"gpu.sm[0]", "gpu.network", "gpu.l2[0]"} <= wakes


def test_stages_tile_each_request(events):
    tracks = {}
    for e in events:
        if e["ph"] == "X" and e["pid"] == 1:
            tracks.setdefault(e["tid"], []).append((e["ts"], e["dur"], e["name"]))
    for slices in tracks.values():
        requests_shown = [s for s in slices if s[2].startswith("request ")]
        stages = sorted(s for s in slices if not s[2].startswith("request "))
        assert sum(s[1] for s in requests_shown) == pytest.approx(sum(s[1] for s in stages), abs=1e-6)
        for life, after in zip(requests_shown, requests_shown[1:]):  # one request at a time
            assert life[0] + life[1] <= after[0] + 1e-6


IN_PARTS = """\
import runpy
import sys
import memsim

whole, parts = memsim.simulate, sys.argv.pop(1).split(",")

def simulate():
    return [whole(part or None) for part in parts][-1]

memsim.simulate = simulate
sys.argv = sys.argv[1:]
runpy.run_path(sys.argv[0], run_name="__main__")
"""


@pytest.fixture
def timeline(memsim_command, tmp_path):
    """The events of a timeline with these options, for a run simulated in these parts; and the run's stderr."""
    (tmp_path / "in_parts.py").write_text(IN_PARTS)

    def made(*options, parts=""):
        command = "--timeline", "t.json", "--stamps", "3", *options, "in_parts.py", parts, PLANAR, "--scale", "tiny"
        stderr = memsim_command("-d", "out", *command).stderr
        return json.loads((tmp_path / "t.json").read_text()), stderr

    return made


def nested(events):
    """Checks Perfetto's rule: a slice ends within the slice of its track in which it began; of slices that begin together
    the outer one is first in the file. Returns the number of inner slices."""
    tracks = {}
    for place, e in enumerate(events):
        if e["ph"] == "X":
            begin, length = (round(e[key] * 1000) for key in ("ts", "dur"))
            tracks.setdefault((e["pid"], e["tid"]), []).append((begin, place, begin + length, e["name"]))
    inner = 0
    for slices in tracks.values():
        open_slices = []
        for begin, _, end, name in sorted(slices):
            while open_slices and open_slices[-1] <= begin:
                open_slices.pop()
            assert not open_slices or end <= open_slices[-1], f"{name} overhangs"
            inner += bool(open_slices)
            open_slices.append(end)
    return inner


def slices(events, pid, unfinished=False):
    return [
        e for e in events if e["ph"] == "X" and e["pid"] == pid and e["args"].get("unfinished", False) == unfinished
    ]


def test_a_timeline_nests(timeline):
    events, stderr = timeline()
    assert nested(events) > 100 and "--timeline-limit" not in stderr
    assert not slices(events, 1, True) and not slices(events, 2, True)


def test_unfinished_requests_are_in_the_timeline(timeline):
    """600 ns are in the first accesses of the second kernel; later a single thread runs, mostly with hits in its L1."""
    events, _ = timeline(parts="600ns")
    assert nested(events) > 10
    requests = [e for e in slices(events, 1, True) if e["name"].startswith("request ")]
    (launch,) = slices(events, 2, True)
    assert len(requests) > 2
    ends = [round((e["ts"] + e["dur"]) * 1000) for e in (*requests, launch)]
    assert set(ends) == {600}
    for request in requests:  # its stages and its present state cover its life
        own = [
            e
            for e in events
            if (e["pid"], e.get("tid")) == (1, request["tid"]) and e["ts"] >= request["ts"] and e is not request
        ]
        assert sum(round(e["dur"] * 1000) for e in own) == round(request["dur"] * 1000)


def test_an_idle_component_has_no_wakes(in_tmp):
    """Viewers keep the value of a counter until the next one."""
    root = memsim.Root()
    root.gen, root.mem = memsim.mem.TrafficGen(requests=2, period="20us"), memsim.mem.SimpleMemory(latency="100ns")
    root.gen.mem_side = root.mem.cpu_side
    with memsim.Simulation(root, memsim.Options(timeline="t.json")) as simulation:
        simulation.simulate()
    (file,) = Path().glob("t*.json")  # numbered if it is not the first machine of the process
    counted = [(e["ts"], e["args"]["wakes"] > 0) for e in json.loads(file.read_text()) if e["name"] == "mem"]
    assert counted[:2] == [(0, True), (1, False)]


def test_final_events_replace_provisional_ones(timeline):
    def comparable(events):
        return sorted(json.dumps(e, sort_keys=True) for e in events if e["ph"] == "X")

    whole, _ = timeline()
    parts, _ = timeline(parts="600ns,100ns,7us,13us,1ns,")
    assert comparable(parts) == comparable(whole)


def test_a_timeline_of_a_part_of_the_time(timeline):
    whole, _ = timeline()
    part, _ = timeline("--timeline-start", "20us", "--timeline-end", "30us")
    expected = [e for e in whole if e["ph"] == "X" and e["ts"] < 30 and e["ts"] + e["dur"] >= 20]
    requests = {e["name"] for e in expected if e["name"].startswith("request ")}
    assert {e["name"] for e in part if e["ph"] == "X" and e["name"].startswith("request ")} == requests and len(
        requests
    ) > 10
    assert slices(part, 2) == [e for e in expected if e["pid"] == 2]
    assert nested(part) > 20
    wakes = [e for e in part if e["ph"] == "C"]
    assert wakes and all(20 <= e["ts"] < 30 for e in wakes)


def test_a_timeline_that_starts_after_the_end_is_reported(timeline):
    _, stderr = timeline("--timeline-start", "1s")
    assert re.search(
        r"warning: the timeline t.json is empty: the run ended at \S+, before --timeline-start 1s\n", stderr
    )


@pytest.mark.parametrize(
    "size, bytes, parts",
    [
        ("1KiB", 1024, ""),
        ("20KiB", 20480, ""),
        ("100kB", 100_000, ""),
        ("1KiB", 1024, "20us"),
        ("20KiB", 20480, "20us"),
    ],
)
def test_a_timeline_has_a_limit(timeline, tmp_path, size, bytes, parts):
    events, stderr = timeline("--timeline-limit", size, parts=parts)
    assert (tmp_path / "t.json").stat().st_size <= bytes
    nested(events)
    (sentence,) = [line for line in stderr.splitlines() if "--timeline-limit" in line]
    at, unit, left = re.fullmatch(
        rf"memsim: the timeline t.json reached --timeline-limit {bytes}B at (\d+)(fs|ps|ns|us); left out: (.*); set a larger limit, "
        "or --timeline-start and --timeline-end",
        sentence,
    ).groups()
    counted = dict(re.findall(r"(requests|launches|counts of wakes): (\d+)", left))
    whole, _ = timeline(parts=parts)

    def shown(events):
        shown_requests = [e for e in events if e["pid"] == 1 and e["ph"] == "X" and e["name"].startswith("request ")]
        return len(shown_requests), len([e for e in events if e["pid"] == 2 and e["ph"] == "X"])

    requests, launches = shown(whole)
    there = shown(events)
    assert requests - there[0] == int(counted.get("requests", 0)) > 0
    assert launches - there[1] == int(counted.get("launches", 0))
    microseconds = int(at) * {"fs": 1e-9, "ps": 1e-6, "ns": 1e-3, "us": 1}[unit]
    assert all(e["ts"] <= microseconds for e in events if e["ph"] == "X")


@pytest.mark.parametrize(
    "options, why",
    [
        (["--timeline-limit", "10B"], "'10B' is less than a timeline's first lines need: give 1KiB or more"),
        (["--timeline-limit", "10"], "'10' has no unit"),
        (
            ["--timeline-start", "3us", "--timeline-end", "3us"],
            "--timeline-start 3us is not before --timeline-end 3us: the timeline would be empty",
        ),
    ],
)
def test_invalid_limits_of_a_timeline(memsim_command, options, why):
    assert why in memsim_command("--timeline", "t.json", *options, PLANAR, "--scale", "tiny", expect=2).stderr
    if "less" not in why and "unit" not in why:
        stderr = memsim_command(*options, PLANAR, "--scale", "tiny", expect=2).stderr
        assert "--timeline-start requires --timeline" in stderr


def test_an_empty_range_of_messages_is_refused(memsim_command):
    flags = "--debug-flags", "All", "--debug-start", "3us", "--debug-end", "3us"
    stderr = memsim_command(*flags, PLANAR, "--scale", "tiny", expect=2).stderr
    assert "--debug-start 3us is not before --debug-end 3us: the output would be empty" in stderr


@pytest.mark.parametrize("what, options", [("timeline", []), ("debug file", ["--debug-flags", "All"])])
def test_a_file_that_cannot_be_written_gives_an_error_message(memsim_command, tmp_path, what, options):
    option = "--" + what.replace(" ", "-")
    output = memsim_command(*options, option, "nowhere/file", PLANAR, "--scale", "tiny", expect=1).stderr
    assert (
        f"cannot write the {what} '{tmp_path}/nowhere/file' (No such file or directory): name a writable file" in output
    )


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
        (["zng.py", "--workload", "betw-back"], {"translation", "flash_network", "sensing"}),
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
