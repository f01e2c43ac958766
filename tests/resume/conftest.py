"""Shared by the tests of whole runs: the main job at a size for tests, in separate processes."""
import random
import sqlite3
import subprocess
import time
from pathlib import Path

import pytest
from memsim.cli.restoring import verify

ROOT = Path(__file__).parents[2]
MEMSIM = ROOT / "build" / "memsim"
CONFIG = ROOT / "configs" / "ohm_planar.py"


class Runner:
    """Runs build/memsim in the test's directory."""

    def __init__(self, directory):
        self.directory = directory
        self.random = random.Random(seed := random.SystemRandom().randrange(10**6))
        print(f"random moments are of seed {seed}")

    def __call__(self, *arguments, expect=0, **options):
        done = subprocess.run(
            self.command(arguments), cwd=self.directory, text=True, capture_output=True, timeout=300, **options
        )
        assert done.returncode == expect, f"{arguments}: {done.stdout}{done.stderr}"
        return done

    def command(self, arguments):
        return [str(a) for a in (MEMSIM, *arguments)]

    def start(self, *arguments):
        return subprocess.Popen(
            self.command(arguments), cwd=self.directory, text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE
        )

    def wait_until(self, condition, *running):
        """Waits until the condition holds. Fails after a time, or if one of the processes ends before."""
        began = time.monotonic()
        while not condition():
            for process in running:
                assert process.poll() is None, process.communicate()
            assert time.monotonic() - began < 100, "the condition did not hold within 100 s"
            time.sleep(0.01)

    def rows(self, outdir, query):
        with sqlite3.connect(self.directory / outdir / "stats.db") as database:
            return database.execute(query).fetchall()

    def content(self, outdir):
        """The contents of a database with one run, without its name, arguments and host times."""
        return [self.rows(outdir, query) for query in verify.CONTENT.values()]

    def digest(self, outdir):
        ((digest,),) = self.rows(outdir, "SELECT digest FROM run")
        return digest

    def end(self, outdir):
        ((tick,),) = self.rows(outdir, "SELECT sim_time_fs FROM run")
        return tick

    def moments(self, outdir, count):
        """Ticks within the run in `outdir`, as options."""
        ticks = sorted(self.random.randrange(1, self.end(outdir)) for _ in range(count))
        print(f"checkpoints at {ticks}")
        return ticks


@pytest.fixture
def run(tmp_path):
    return Runner(tmp_path)


def job(platform="ohm-base", kernel="bfs_topology", scale="tiny", **options):
    """The main job's command line."""
    more = [word for name, value in options.items() for word in (f"--{name}", value)]
    return [
        CONFIG,
        "--platform",
        platform,
        "--kernel",
        kernel,
        "--scale",
        scale,
        *(str(word).replace("_", "-") if str(word).startswith("--") else word for word in more),
    ]


@pytest.fixture(name="job")
def job_fixture():
    return job


def at(ticks):
    """--checkpoint-at for each of the ticks."""
    return [word for tick in ticks for word in ("--checkpoint-at", f"{tick}fs")]


@pytest.fixture(name="at")
def at_fixture():
    return at


@pytest.fixture
def survives(run):
    """Checks that a machine that is saved at two moments, restored and perturbed gives the same results.

    It is saved and perturbed in random partitions. One of two checkpoints is restored on one thread.
    """

    def check(*machine):
        whole = run("-d", "whole", *machine)
        content = run.content("whole")
        seed = run.random.randrange(1, 1000)
        print(f"partitions are of seed {seed}")
        parts = "--threads", 2, "--random-partitions", seed
        cut = run("-d", "cut", *parts, *at(run.moments("whole", 2)), *machine)
        assert cut.stdout == whole.stdout and run.content("cut") == content
        for number, file in enumerate(sorted((run.directory / "cut").glob("*.ckpt"))):
            assert run("--restore", file, *(parts if number else ())).stdout == whole.stdout, file
            assert run.content("cut") == content, file
        run("-d", "perturbed", "--perturb-wakes", 1, "--random-partitions", seed + 1, *machine)
        assert run.content("perturbed") == content

    return check


@pytest.fixture(
    params=[
        pytest.param(
            (platform, kernel),
            id=f"{platform}-{kernel}",
            marks=[]
            if (platform, kernel) in (("ohm-base", "bfs_topology"), ("hetero", "pagerank"))
            else pytest.mark.slow,
        )
        for platform in ("ohm-base", "hetero")
        for kernel in ("bfs_topology", "bfs_data", "pagerank")
    ]
)
def machine(request):
    """The main job's arguments, for both platforms and the three kernels."""
    return job(*request.param)
