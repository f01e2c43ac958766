"""Graph files that are truncated, of another format, or name a vertex that does not exist."""
import gzip
import lzma
import resource
import struct

import pytest

MATRIX = b"%%MatrixMarket matrix coordinate pattern general\n"


def csr(vertices=3, rows=(0, 2, 3, 4), columns=(1, 2, 0, 1)):
    return (
        b"CSR1"
        + struct.pack("<II", vertices, len(columns))
        + struct.pack(f"<{len(rows)}I", *rows)
        + struct.pack(f"<{len(columns)}I", *columns)
    )


@pytest.mark.parametrize(
    "name, content, output",
    [
        ("none.txt", None, "(No such file or directory): name a file that can be read"),
        ("empty.txt", b"", "is empty"),
        ("comment.txt", b"# nothing\n", "without vertices"),
        ("word.txt", b"0 1\n1 2\nx y\n", "line 3, column 1: the source vertex is 'x', where a whole number"),
        ("one.txt", b"0 1\n1\n", "line 2, column 2: the target vertex is missing"),
        ("large.txt", b"0 1\n1 99999999999\n", "line 2, column 3: the target vertex is '99999999999'"),
        ("foreign.txt", b"hello world\n", "is no graph in a known format"),
        ("foreign.gr", bytes(range(256)) * 4, "is no graph in a known format"),
        (
            "range.gr",
            b"p sp 3 2\na 1 2 1\na 2 9 1\n",
            "line 3, column 5: the second vertex is '9', where a whole number from 1 to 3 is right",
        ),
        ("cut.gr", b"p sp 3 4\na 1 2 1\na 2 3 1\n", "announces 4 edges but holds 2: it is cut off"),
        (
            "range.mtx",
            MATRIX + b"3 3 2\n1 2\n4 1\n",
            "line 4, column 1: the row is '4', where a whole number from 1 to 3 is right",
        ),
        ("cut.mtx", MATRIX + b"3 3 5\n1 2\n", "announces 5 entries but holds 1: it is cut off"),
        ("cut.csr", csr()[:-6], "byte 38: the file ends inside the columns, 6 bytes too early"),
        ("range.csr", csr(columns=(1, 2, 0, 3)), "3"),
        ("falls.csr", csr(rows=(0, 3, 2, 4)), "row"),
        ("cut.csr.gz", gzip.compress(csr(), mtime=0)[:-12], "the gzip data is cut off"),
        ("cut.gr.xz", lzma.compress(b"p sp 3 4\na 1 2 1\n" * 100)[:40], "cut off"),
        ("altered.gz", gzip.compress(b"0 1\n" * 9999, mtime=0)[:30] + b"?" * 99, "the gzip data is damaged"),
    ],
)
def test_a_wrong_file(refused, tmp_path, tiny, name, content, output):
    if content is not None:
        (tmp_path / name).write_bytes(content)
    text = refused(*tiny, "--graph", name)
    assert text.startswith(f"{name}: ") and output in text, text
    assert not (tmp_path / "memsim-out").exists()


@pytest.mark.parametrize(
    "name, content, output",
    [
        (
            "huge.gr",
            b"p sp 4294967294 1\na 1 2 1\n",
            "announces 4294967294 vertices for 1 edges; beyond 16777216 vertices at most 16 for each edge are right",
        ),
        (
            "huge.mtx",
            MATRIX + b"4294967294 4294967294 0\n",
            "announces 4294967294 vertices for 0 edges; beyond 16777216 vertices at most 16 for each edge are right",
        ),
        (
            "huge.csr",
            b"CSR1" + struct.pack("<II", 2**32 - 2, 2**32 - 1),
            "byte 12: the file ends inside the row offsets, 1048576 bytes too early; fetch it again",
        ),
        (
            "huge.txt",
            b"2000000000\n0 1\n",
            "ends where a vertex 'start count' should follow: it is cut off; fetch it again",
        ),
        (
            "huge.xz",
            lzma.compress(b"0 1\n", filters=[{"id": lzma.FILTER_LZMA2, "dict_size": 1 << 30}]),
            "the xz data needs a dictionary of over 256 MiB; pack the file again with xz -9 or less",
        ),
    ],
)
def test_a_header_with_wrong_sizes_costs_no_memory(refused, tmp_path, tiny, name, content, output):
    (tmp_path / name).write_bytes(content)
    assert (
        refused(*tiny, "--graph", name, preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS, (2 << 30, 2 << 30)))
        == f"{name}: {output}"
    )


def test_a_directory(refused, tiny):
    assert refused(*tiny, "--graph", ".") == ".: is a directory: name a file"


def test_a_valid_graph_is_accepted(run, tmp_path, tiny):
    (tmp_path / "g.csr").write_bytes(csr())
    run(*tiny, "--graph", "g.csr")


def test_a_graph_that_changed_since_the_checkpoint(run, refused, contents, tmp_path, tiny):
    (tmp_path / "g.txt").write_text("0 1\n1 2\n2 3\n2 0\n")
    run("--checkpoint-at", "200ns", *tiny, "--graph", "g.txt")
    (tmp_path / "g.txt").write_text("0 1\n1 2\n2 3\n2 1\n")
    before = contents(tmp_path)
    assert refused("--restore", "memsim-out/200ns.ckpt") == (
        "g.txt has changed since the checkpoint was written: restore the file as it was, or start "
        "again without --restore"
    )
    assert contents(tmp_path) == before
