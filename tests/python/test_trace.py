"""`memsim trace`: what it prints, and the sentences it ends in (docs/traces.md runs the rest)."""

LINES = "0x2000D5C0 READ 30\n0x1FF96FC0 WRITE 160\n0x2000D600 READ 165\n"


def test_info_and_head(memsim_command, tmp_path):
    (tmp_path / "t.trace").write_text(LINES)
    facts = dict(line.split(None, 1) for line in
                 memsim_command("trace", "info", "t.trace").stdout.splitlines())
    assert facts["format"] == "dramsim3" and facts["records"] == "3" and facts["writes"] == "1"
    rows = memsim_command("trace", "head", "-n", 2, "--unit", "1ns", "t.trace").stdout.splitlines()
    assert rows[1].split("\t")[:4] == ["30ns", "read", "0x2000d5c0", "64"] and len(rows) == 3


def test_there_and_back(memsim_command, tmp_path):
    (tmp_path / "t.trace").write_text(LINES)
    said = memsim_command("trace", "convert", "t.trace", "t.mst", "--unit", "0.63ns").stdout
    assert said == "t.mst: 3 records\n"
    memsim_command("trace", "convert", "t.mst", "t.trc.gz", "--to", "gem5")
    memsim_command("trace", "slice", "t.trc.gz", "back", "--first", 1, "--to", "dramsim3", "--cycle", "0.63ns")
    assert (tmp_path / "back").read_text() == LINES.partition("\n")[2]
    memsim_command("trace", "slice", "t.mst", "part", "--from", "100ns", "--until", "102ns")
    assert "records     1" in memsim_command("trace", "info", "part").stdout


def test_mistakes_are_sentences(memsim_command, tmp_path):
    def refused(*arguments):
        return memsim_command("trace", *arguments, expect=1).stderr
    (tmp_path / "block").write_text("1000 0 2048 8 1\n")
    assert "unit of its arrival times is not in it" in refused("info", "block")
    (tmp_path / "bad").write_text("0x40 READ 1\n0x40 READ x\n")
    assert refused("info", "bad").startswith("memsim: bad: line 2, column 11: the cycle is 'x'")
    assert "is the trace that is read" in refused("convert", "--unit", "1ns", "bad", "bad")
    assert "line 2" in refused("convert", "--unit", "1ns", "bad", "out")
    assert not (tmp_path / "out").exists()
    assert "how long a unit of its times is" in refused("convert", "bad", "out")
    assert "is no geometry" in refused("info", "--geometry", "1,x", "bad")
    assert "No such file" in refused("info", "none")
    memsim_command("trace", "info", "--format", "nonsense", "bad", expect=2)
