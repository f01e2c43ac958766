"""tests/bench/endurance.py at the smallest size: it measures, and copies a run of the main job with all its rows.
tests/bench/main_job.py: its scale."""
import re
import sqlite3
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


@pytest.fixture
def endure(tmp_path):
    def command(*arguments, expect=(0,)):
        done = subprocess.run(
            [ROOT / "build/memsim", "-q", "-d", "out", ROOT / "tests/bench/endurance.py", *arguments],
            cwd=tmp_path,
            text=True,
            capture_output=True,
            timeout=300,
        )
        assert done.returncode in expect, done.stderr
        return done.stdout.splitlines()

    return command


def test_events(endure):
    rows = endure("events", "--events", "2e5", "--seconds", "30", expect=(0, 1))[1:]  # rates of so few events differ
    assert len(rows) >= 10 and all(len(row.split("\t")) == 4 for row in rows)


def test_checkpoints(endure, tmp_path):
    assert endure("checkpoints", "--count", "20")[-1].startswith("20\t")
    assert len(list((tmp_path / "out").glob("*.ckpt"))) == 1


def test_runs(endure, tmp_path):
    output = endure("runs", "--count", "11")
    assert output[0].startswith("11 runs, ") and output[1].startswith("README's query: 11 rows in ")
    with sqlite3.connect(tmp_path / "out/stats.db") as database:
        assert not database.execute("PRAGMA foreign_key_check").fetchall()
        for table, run in ("results", "run"), ("launch_results", "run"), ("link", "run"):
            counts = database.execute(f"SELECT count(*) FROM {table} GROUP BY {run}").fetchall()
            assert len(counts) == 11 and len(set(counts)) == 1


def test_the_scale_of_the_main_job_may_be_one_word(tmp_path):
    printed = [
        subprocess.run(
            [ROOT / "build/memsim", "-q", "-d", "out", ROOT / "tests/bench/main_job.py", *scale],
            cwd=tmp_path,
            text=True,
            capture_output=True,
            check=True,
            timeout=300,
        ).stdout
        for scale in (["--scale", "tiny"], ["--scale=tiny"])
    ]
    requests = [re.search(r"main job: (\d+) requests", text)[1] for text in printed]
    assert requests[0] == requests[1]
