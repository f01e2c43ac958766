"""Files and names that are not UTF-8 or contain terminal escape codes: such bytes are shown as \\xff."""
import os

import pytest

SCRIPT = """\
import sys
import memsim
from memsim import workload
from memsim.systems import ohm

name, file = sys.argv[1:]
memsim.instantiate(ohm.planar("ohm-base", workload.Program(name=name, input=file, size=8)))
"""
MATRIX = b"%%MatrixMarket matrix coordinate "


@pytest.mark.parametrize(
    "program, content, output",
    [
        ("bfs1", b"0 1\n\xff 2\n", r"line 2, column 1: the source vertex is '\xff', where a whole number"),
        ("bfs1", b"0 1\n1 \x00\x1b[2J\n", r"line 2, column 3: the target vertex is '\x00\x1b[2J', where"),
        ("bfs1", b"0 1\n1 2 gr\xf6\xdfer\n", r"column 5: 'gr\xf6\xdfer' follows the end of"),
        ("bfs1", "0 1\n1 größer\n".encode(), "line 2, column 3: the target vertex is 'größer', where"),
        ("bfs1", b"p \xfe 3 3\n", r"line 1, column 3: a problem of kind '\xfe', where"),
        ("bfs1", MATRIX + b"patt\xe9rn general\n", r"values of kind 'patt\xe9rn', where"),
        ("bfs1", MATRIX + b"real general\n1 1 1\n1 1 \xff\n", r"the value is '\xff', where"),
        ("bfs1", b"\xff\xfe\x00\x01", "is no graph in a known format"),
        ("darknet", b"[net]\n[\xff]\n", r"line 2, column 1: a layer '[\xff]', which is none of"),
        ("darknet", b"[net]\nchannels=\xa0\n", r"line 2, column 10: '\xa0', where a whole number"),
        ("darknet", b"[net]\n[convolutional]\nactivation=\x9b\n", r"activation '\x9b', where"),
        ("darknet", bytes(range(256)), "line 1, column 1: '[net]' was expected"),
        ("dwt2d", bytes(range(256)), "is no bitmap"),
    ],
)
def test_contents_are_quoted_legibly(refused, tmp_path, program, content, output):
    (tmp_path / "file").write_bytes(content)
    (tmp_path / "run.py").write_text(SCRIPT)
    text = refused("run.py", program, "file")
    assert text.startswith("file: ") and output in text, text


@pytest.mark.parametrize(
    "content, output",
    [
        (b"0x10 READ 1\n0x10 READ \xff\n", r"line 2, column 11: the cycle is '\xff', where"),
        (b"LD 0x10\nLD \xff\xff\n", r"line 2, column 4: the address is '\xff\xff', where"),
        (b"\xff\xfe\xfd", "is no trace in a known format"),
    ],
)
def test_traces_are_quoted_legibly(refused, tmp_path, content, output):
    (tmp_path / "t.trace").write_bytes(content)
    text = refused("trace", "info", "--unit", "1ns", "t.trace")
    assert text.startswith("t.trace: ") and output in text, text


def test_a_list_of_traces(refused, tmp_path):
    (tmp_path / "kernelslist.g").write_bytes(b"kernel-\xff.traceg\n")
    assert r"kernel-\xff.traceg' does not exist" in refused("trace", "info", "kernelslist.g")


@pytest.mark.parametrize(
    "command",
    [
        ["trace", "info", "?"],
        ["--restore", "?"],
        ["sql", "?", "SELECT 1"],
        ["?"],
        ["-d", "?", "run.py"],
        ["run.py", "bfs1", "?"],
        ["ckpt", "info", "?"],
        ["workloads", "bfs1", "--graph", "?"],
    ],
)
def test_names_that_are_no_utf8(refused, tmp_path, command):
    name = os.fsdecode(b"gr\xf6\xdfe")
    (tmp_path / "run.py").write_text(SCRIPT)
    (tmp_path / name).write_text("0 1\n")
    assert refused(*[name if part == "?" else part for part in command]) == (
        r"the argument 'gr\xf6\xdfe' is not UTF-8: give the file a name, or a link to it, that is"
    )


def test_a_script_s_own_name_that_is_no_utf8(refused, tmp_path):
    (tmp_path / "own.py").write_text(SCRIPT.replace("sys.argv[1:]", r"'bfs1', 'gr\udcf6\udcdfe'"))
    assert refused("own.py") == (
        r"own.py:7: workload.Program.input: 'gr\xf6\xdfe' is not UTF-8: give the file a name, or a link "
        "to it, that is"
    )
