"""Damaged checkpoints, places that cannot be written and full disks: files that were written before do
not change."""
import os
import re
import resource
import subprocess
import time
from pathlib import Path

import pytest

from .conftest import MEMSIM


@pytest.fixture
def checkpoint(run, tmp_path, tiny):
    run("-d", "out", "--checkpoint-at", "50us", *tiny)
    return next((tmp_path / "out").glob("50us-*.ckpt"))


@pytest.mark.parametrize(
    "damage, output",
    [
        (lambda b: b"", "the file is cut off after 0 bytes; use another checkpoint or copy this one again"),
        (lambda b: b[:40], "the file is cut off after 40 bytes"),
        (lambda b: b[:-1], "the file is cut off after "),
        (lambda b: b[: len(b) // 2], "the file is cut off after "),
        (lambda b: b[:-9] + bytes([b[-9] ^ 1]) + b[-8:], "the file was altered after it was written"),
        (lambda b: b[:70] + b"#" + b[71:], "the file was altered after it was written"),
        (lambda b: b + b"more", "the file was altered after it was written"),
        (lambda b: b[:8] + b"\x07" + b[9:], "its file format is version 7"),
        (lambda b: b"#!/bin/sh\n" + b, "this is not a checkpoint of memsim; name a file that it wrote"),
        (lambda b: b.replace(b"\r\n", b"\n"), "this is not a checkpoint of memsim"),
    ],
)
def test_a_damaged_checkpoint(refused, contents, checkpoint, damage, output):
    checkpoint.write_bytes(damage(checkpoint.read_bytes()))
    before = contents(checkpoint.parent)
    for command in (["--restore"], ["ckpt", "info"]):
        text = refused(*command, "out/50us.ckpt")
        assert text.startswith(f"checkpoint out/{checkpoint.name}: ") and output in text, text
    assert contents(checkpoint.parent) == before


def test_a_checkpoint_that_is_cut_off_while_it_is_read(checkpoint):
    """The file is long, so that memsim is still reading it when it is truncated."""
    whole = checkpoint.read_bytes()
    for _ in range(3):
        checkpoint.write_bytes(whole)
        os.truncate(checkpoint, 300 << 20)
        reading = subprocess.Popen([MEMSIM, "--restore", checkpoint], text=True, stderr=subprocess.PIPE)
        while reading.poll() is None and not _has_open(reading.pid, checkpoint):
            time.sleep(0.001)
        os.truncate(checkpoint, len(whole) // 2)
        _, output = reading.communicate()
        assert reading.returncode == 1 and output.count("\n") == 1 and "; use another checkpoint or " in output, output


def _has_open(pid, file):
    """Whether the process has the file open or mapped."""
    try:
        return str(file) in Path(f"/proc/{pid}/maps").read_text() or any(
            os.readlink(f) == str(file) for f in Path(f"/proc/{pid}/fd").iterdir()
        )
    except OSError:
        return False


def test_each_byte_counts(checkpoint, refused):
    good = checkpoint.read_bytes()
    for at in range(0, len(good), len(good) // 12):
        checkpoint.write_bytes(good[:at] + bytes([good[at] ^ 0x20]) + good[at + 1 :])
        refused("ckpt", "info", "out/50us.ckpt")


def test_no_checkpoint(refused, checkpoint):
    assert refused("--restore", "no.ckpt").startswith("checkpoint no.ckpt: cannot be read (No such ")
    assert refused("--restore", "out").startswith("checkpoint out: cannot be read (Is a directory)")
    assert refused("ckpt", "show", "out/50us.ckpt", "gpu.sm0") == (
        f"out/{checkpoint.name}: the checkpoint has no component 'gpu.sm0' (did you mean 'gpu.sm[0]'?); "
        f"memsim ckpt show out/{checkpoint.name} lists them"
    )


def test_a_checkpoint_of_several_runs(run, refused, checkpoint, tiny):
    """Two runs in one directory have separate checkpoints. A name without a run is valid if there is only one run."""
    before = checkpoint.read_bytes()
    run("ckpt", "info", "out/50us.ckpt")
    run("-d", "out", "--checkpoint-at", "50us", *tiny)
    names = sorted(path.name for path in checkpoint.parent.glob("*.ckpt"))
    assert checkpoint.read_bytes() == before and len(names) == 2
    assert refused("--restore", "out/50us.ckpt") == (
        f"out/50us.ckpt: several runs have such a checkpoint: name one of out/{names[0]}, out/{names[1]}"
    )


def test_an_output_directory_that_cannot_be_written(refused, tmp_path, tiny):
    (tmp_path / "file").touch()
    assert refused("-d", "file", *tiny) == ("file: File exists: name a place that can be written")
    assert refused("-d", "file/out", *tiny) == ("file/out: Not a directory: name a place that can be written")
    assert refused("-d", "/proc/out", *tiny).startswith("/proc/out: ")
    assert refused("--stats-db", "no/x.db", *tiny).startswith("results database ")
    (tmp_path / "other.db").write_text("this is my diary\n" * 100)
    text = refused("--stats-db", "other.db", *tiny)
    assert "is not an SQLite database" in text and "--stats-db" in text
    assert (tmp_path / "other.db").read_text() == "this is my diary\n" * 100


@pytest.fixture
def small_disk(tmp_path):
    """A disk of 1 MiB with little free space, and a function that fills it."""
    disk = tmp_path / "disk"
    disk.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", "size=1m", "tmpfs", disk]
    if os.getuid() or subprocess.run(mount, capture_output=True).returncode:
        pytest.skip("no small disk can be mounted here; the limit of a file's size is tested")
    yield disk
    subprocess.run(["umount", disk], check=True)


def fill(disk, leave=0):
    space = os.statvfs(disk)
    (disk / "fill").write_bytes(bytes(max(0, space.f_bavail * space.f_bsize - leave)))


def test_the_disk_is_full_at_a_dump(run, refused, contents, small_disk, tiny):
    run("-d", "disk/out", "--checkpoint-at", "50us", *tiny)
    fill(small_disk)
    before = contents(small_disk)
    for arguments in ([*tiny], ["--restore", "disk/out/50us.ckpt"]):
        text = refused("-d", "disk/out", *arguments)
        assert text == (
            "results database disk/out/stats.db: the disk is full; earlier results are intact: free some space, or choose another file with --stats-db"
        )
        assert contents(small_disk) == before
    (small_disk / "fill").unlink()
    run("--restore", "disk/out/50us.ckpt")


def test_the_disk_is_full_at_a_checkpoint(run, refused, contents, small_disk, tiny):
    run("-d", "disk/out", "--stats-db", "x.db", "--checkpoint-at", "50us", *tiny)
    fill(small_disk, leave=8192)
    before = contents(small_disk)
    text = refused("-d", "disk/out", "--stats-db", "x.db", "--checkpoint-at", "50us", *tiny)
    assert re.sub("-[0-9a-f]{8}", "", text) == (
        "checkpoint disk/out/50us.ckpt: cannot be written completely (No space left on "
        "device); free some space or write it to another place; an earlier file of that "
        "name is unchanged"
    )
    assert contents(small_disk) == before
    run("--restore", "disk/out/50us.ckpt")


def test_a_disk_that_may_not_be_written(refused, contents, run, small_disk, tiny):
    run("-d", "disk/out", "--checkpoint-at", "50us", *tiny)
    before = contents(small_disk)
    subprocess.run(["mount", "-o", "remount,ro", small_disk], check=True)
    assert refused("-d", "disk/other", *tiny) == ("disk/other: Read-only file system: name a place that can be written")
    for arguments in (tiny, ["--restore", "disk/out/50us.ckpt"]):
        text = refused("-d", "disk/out", *arguments)
        assert text.startswith("results database disk/out/stats.db: it may not be written"), text
    assert contents(small_disk) == before


def limited(size):
    return lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (size, size))


def test_a_dump_beyond_the_limit_of_a_file_s_size(run, refused, checkpoint, tiny):
    """A write that fails in the middle; works also where no disk can be mounted."""
    database = checkpoint.with_name("stats.db")
    query = ("sql", "out", "SELECT * FROM results JOIN run ON run.id = run WHERE finished NOT NULL")
    before = run(*query).stdout
    limit = database.stat().st_size + 10_000
    text = refused("-d", "out", *tiny, preexec_fn=limited(limit))
    assert text.startswith("results database out/stats.db: it could not be read or written")
    assert text.endswith("; earlier results are intact: check the disk, or choose another file with --stats-db")
    assert run(*query).stdout == before and before.count("\n") > 100


def test_a_checkpoint_beyond_the_limit(run, refused, tmp_path):
    script = tmp_path / "limit.py"
    script.write_text(
        """\
import os, resource, sys
import memsim
from memsim import workload
from memsim.systems import ohm

memsim.instantiate(ohm.planar("ohm-base", workload.Program(name="back", size=4096)))
memsim.simulate("20us")
if len(sys.argv) > 1:
    limit = os.path.getsize("memsim-out/stats.db") + 100_000  # room for what is written there
    resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))
memsim.checkpoint("own.ckpt")
"""
    )
    run("limit.py")
    before = (tmp_path / "own.ckpt").read_bytes()
    assert refused("limit.py", "limited").startswith(
        "checkpoint own.ckpt: cannot be written completely (File too large); free some space or "
    )
    assert (tmp_path / "own.ckpt").read_bytes() == before
    assert not list(tmp_path.glob("*.tmp"))
