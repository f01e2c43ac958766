"""`memsim trace`: its output and error sentences (docs/traces.md runs the rest)."""

from pathlib import Path

from memsim import _memsim

LINES = "0x2000D5C0 READ 30\n0x1FF96FC0 WRITE 160\n0x2000D600 READ 165\n"


def test_info_and_head(memsim_command, tmp_path):
    (tmp_path / "t.trace").write_text(LINES)
    facts = dict(line.split(None, 1) for line in memsim_command("trace", "info", "t.trace").stdout.splitlines())
    assert facts["format"] == "dramsim3" and facts["records"] == "3" and facts["writes"] == "1"
    rows = memsim_command("trace", "head", "-n", 2, "--unit", "1ns", "t.trace").stdout.splitlines()
    assert rows[1].split("\t")[:4] == ["30ns", "read", "0x2000d5c0", "64"] and len(rows) == 3


def test_the_last_time_of_unordered_records_is_the_latest(memsim_command, tmp_path):
    (tmp_path / "t.trace").write_text("0x40 READ 30\n0x80 READ 50\n0xc0 READ 40\n")
    assert "last time   50 cycles" in memsim_command("trace", "info", "t.trace").stdout


def test_there_and_back(memsim_command, tmp_path):
    (tmp_path / "t.trace").write_text(LINES)
    output = memsim_command("trace", "convert", "t.trace", "t.mst", "--unit", "0.63ns").stdout
    assert output == "t.mst: 3 records\n"
    memsim_command("trace", "convert", "t.mst", "t.trc.gz", "--to", "gem5")
    memsim_command("trace", "slice", "t.trc.gz", "back", "--first", 1, "--to", "dramsim3", "--cycle", "0.63ns")
    assert (tmp_path / "back").read_text() == LINES.partition("\n")[2]
    memsim_command("trace", "slice", "t.mst", "part", "--from", "100ns", "--until", "102ns")
    assert "records     1" in memsim_command("trace", "info", "part").stdout


def test_a_record_without_a_size_is_its_block(memsim_command, tmp_path):
    """A converted trace has the accesses that a player of the text trace sends."""
    (tmp_path / "t.trace").write_text("0x2000D5E4 READ 30\n")
    memsim_command("trace", "convert", "t.trace", "t.mst", "--unit", "1ns")
    for file in "t.trace", "t.mst":
        assert "\t0x2000d5c0\t64\t" in memsim_command("trace", "head", file).stdout
        assert "0x2000d5c0 to 0x2000d5ff\n" in memsim_command("trace", "info", file).stdout


def test_mistakes_give_error_messages(memsim_command, tmp_path):
    def refused(*arguments):
        return memsim_command("trace", *arguments, expect=1).stderr

    (tmp_path / "block").write_text("1000 0 2048 8 1\n")
    assert "does not state the unit of its arrival times" in refused("info", "block")
    (tmp_path / "bad").write_text("0x40 READ 1\n0x40 READ x\n")
    assert refused("info", "bad").startswith("memsim: bad: line 2, column 11: the cycle is 'x'")
    assert "is also the input" in refused("convert", "--unit", "1ns", "bad", "bad")
    assert "line 2" in refused("convert", "--unit", "1ns", "bad", "out")
    assert not (tmp_path / "out").exists()
    (tmp_path / "folder").mkdir()
    (tmp_path / "t.trace").write_text(LINES)
    assert refused("convert", "--unit", "1ns", "t.trace", "folder") == (
        "memsim: folder: cannot be written (Is a directory): name a file\n"
    )
    (tmp_path / "lines").write_text("1.0ns: dram: DramCommands: ACT rank 0 bank 0 row 1 at 1.0ns\n")
    for out, why in ("folder", "Is a directory"), ("none/out", "No such file or directory"):
        stderr = refused("commands", "lines", out, "--cycle", "1ns")
        assert stderr == f"memsim: {out}: {why}: name a place that can be written\n"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["bad", "block", "folder", "lines", "t.trace"]
    assert "does not state its time unit" in refused("convert", "bad", "out")
    stderr = refused("convert", "--unit", "1ns", "bad", "out", "--to", "dramsim3")
    assert stderr == "memsim: a trace of DRAMsim3 counts cycles: set `cycle` to their length, such as 0.63ns\n"
    assert "is no geometry" in refused("info", "--geometry", "1,x", "bad")
    assert "No such file" in refused("info", "none")
    memsim_command("trace", "info", "--format", "nonsense", "bad", expect=2)


def test_the_table_has_every_format(memsim_command):
    """A row for each registered format, and nothing else. docs/traces.md refers to the table."""
    head, line, *rows = memsim_command("trace", "formats").stdout.splitlines()
    assert head.startswith("| name | of |") and set(line) <= set("|- ")
    assert [row.split("`")[1] for row in rows] == sorted(set(_memsim.trace_formats) - {"automatic"})
    assert "memsim trace formats" in (Path(__file__).parents[2] / "docs/traces.md").read_text()


COMMANDS = """\
import memsim
from memsim import mem

root = memsim.Root()
root.generator = mem.TrafficGen(pattern="sequential", requests=4, period="100ns", read_share="100%")
root.dram = mem.DramController(timing="ddr4_2400")
root.generator.mem_side = root.dram.cpu_side
memsim.instantiate(root)
memsim.simulate()
"""


def test_commands_of_a_dram(memsim_command, tmp_path):
    """A row is opened and read. The tool's trace has cycle, command and bank, in the order of time."""
    (tmp_path / "dram.py").write_text(COMMANDS)
    memsim_command("-q", "--debug-flags", "DramCommands", "--debug-file", "lines", "dram.py")
    output = memsim_command("trace", "commands", "lines", "out", "--cycle", "0.833ns").stdout
    rows = [line.split(",") for line in (tmp_path / "out").read_text().splitlines()]
    assert output == f"out: {len(rows)} commands\n"
    assert [name for _, name, _ in rows if name in ("ACT", "RD")] == ["ACT", "RD", "RD", "RD", "RD"]
    opened, first = rows[0], rows[1]
    assert opened[1] == "ACT" and first[1] == "RD" and opened[2] == first[2]
    assert int(first[0]) - int(opened[0]) == 17  # tRCD of DDR4-2400R: 14.16 ns
    assert [int(at) for at, *_ in rows] == sorted(int(at) for at, *_ in rows)
    assert memsim_command(
        "trace", "commands", "lines", "out", "--cycle", "0.833ns", "--of", "ram", expect=1
    ).stderr == ("memsim: lines: has commands of dram: name one of them by --of\n")
    (tmp_path / "none").write_text("")
    assert (
        "has no line of the debug flag DramCommands"
        in memsim_command("trace", "commands", "none", "out", "--cycle", "1ns", expect=1).stderr
    )
