"""Shared by the tests of the Python package: a small machine, and the command line."""
import shutil
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
MEMSIM = ROOT / "build" / "memsim"

# A generator and a memory; simulate() in a loop, with a decision on a statistic in between.
SCRIPT = """\
import sys
import memsim
from memsim.mem import SimpleMemory, TrafficGen

root = memsim.Root(seed=3)
root.sys = memsim.System()
root.sys.gen = TrafficGen(requests=int(sys.argv[1]), period="10ns", read_share="70%", range="1MiB")
root.sys.mem = SimpleMemory(latency="100ns")
root.sys.gen.mem_side = root.sys.mem.cpu_side
memsim.instantiate()
memsim.stats.series("50us", "sys.gen.*")
while True:
    event = memsim.simulate("30us")
    if event.getCause() != "simulate() limit reached":
        break
    if root.sys.mem.stats.reads % 2:
        memsim.stats.dump(f"odd at {memsim.curTick()}")
        memsim.stats.reset()
print(event.tick, memsim.default().digest)
"""


@pytest.fixture
def memsim_command(tmp_path):
    """Runs build/memsim in the test's directory."""

    def run(*arguments, expect=0, **options):
        done = subprocess.run(
            [MEMSIM, *map(str, arguments)], cwd=tmp_path, text=True, capture_output=True, timeout=100, **options
        )
        assert done.returncode == expect, done.stdout + done.stderr
        assert "python/memsim/" not in done.stderr, "a frame of ours"
        return done

    return run


@pytest.fixture
def script(tmp_path):
    path = tmp_path / "loop.py"
    path.write_text(SCRIPT)
    return path


@pytest.fixture
def in_tmp(tmp_path, monkeypatch):
    """Results of machines built in this process are in the test's directory; machines end with the test."""
    from memsim.run.session import session

    monkeypatch.chdir(tmp_path)
    yield tmp_path
    for simulation in list(session.open):
        simulation.close(finished=False)


@pytest.fixture(scope="session")
def browser():
    """Headless Chromium that notes every message of a page."""
    for program in ("chromium", "chromedriver"):
        assert shutil.which(program), f"pages are tested in a browser and {program} is not here: util/test installs it"
    from selenium import webdriver

    options = webdriver.ChromeOptions()
    options.binary_location = shutil.which("chromium")
    for argument in ("--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage"):
        options.add_argument(argument)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
    driver = webdriver.Chrome(options=options, service=webdriver.chrome.service.Service(shutil.which("chromedriver")))
    yield driver
    driver.quit()
