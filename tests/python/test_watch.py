"""`--watch PORT`: a page that shows a run in progress."""
import json
import os
import re
import resource
import signal
import socket
import subprocess
import time
import urllib.error
import urllib.request
from http.client import HTTPConnection, HTTPException

import pytest
from memsim.results.report import watch

from .conftest import MEMSIM


ENDLESS = """\
import memsim
from memsim.mem import SimpleMemory, TrafficGen

root = memsim.Root()
root.sys = memsim.System(gen=TrafficGen(requests=10**9), mem=SimpleMemory(queue=4))
root.sys.gen.mem_side = root.sys.mem.cpu_side
memsim.instantiate()
memsim.simulate()
"""


@pytest.fixture
def watched(tmp_path):
    """A run of ten minutes or more, and the address of its page."""
    (tmp_path / "endless.py").write_text(ENDLESS)
    running = subprocess.Popen(
        [MEMSIM, "--watch", "0", "-d", "out", "endless.py"],
        cwd=tmp_path,
        text=True,
        stderr=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
    )
    address = re.fullmatch(r"memsim: watch at (http://127\.0\.0\.1:\d+)\n", running.stderr.readline())[1]
    yield running, address
    running.kill()
    running.wait()


def ask(address, path="/status", **headers):
    with urllib.request.urlopen(urllib.request.Request(address + path, headers=headers), timeout=10) as answer:
        return answer.read().decode()


def status(address, wanted=lambda s: True):
    """The first answer that meets the condition."""
    for _ in range(100):
        found = json.loads(ask(address))
        if found and wanted(found):
            return found
        time.sleep(0.1)
    raise AssertionError(found)


def test_the_status_shows_progress_and_waiting_components(watched):
    _, address = watched
    first = status(address)
    later = status(address, lambda s: s["at"] > first["at"])
    assert later["us"] > first["us"] and later["events"] > first["events"] and not later["ended"]
    (work,) = later["work"]
    assert work["what"] == "sys.gen" and 0 < work["done"] < work["all"] == 10**9 and work["left"]
    assert later["left"].endswith("left at most")
    assert {(q["sender"], q["receiver"]) for q in later["queues"]} <= {
        ("sys.gen.mem_side", "sys.mem.cpu_side"),
        ("sys.mem.cpu_side", "sys.gen.mem_side"),
    }
    assert later["queues"] and all(q["messages"] or q["sender_waits"] for q in later["queues"])
    assert any(
        re.fullmatch(r"sys\.gen\.mem_side waits for \d+ responses from sys\.mem", line) for line in later["waits"]
    )


def test_only_this_machine_is_answered(watched):
    """A page of another site whose name resolves to this machine receives nothing."""
    _, address = watched
    status(address)
    for path, headers in (("/status", {"Host": "elsewhere.example:80"}), ("/../run.py", {})):
        with pytest.raises(urllib.error.HTTPError) as refused:
            ask(address, path, **headers)
        assert refused.value.code == 404


def test_the_page_of_a_running_simulation(watched, browser):
    running, address = watched
    status(address)
    browser.execute_cdp_cmd(
        "Emulation.setDeviceMetricsOverride", dict(width=400, height=900, deviceScaleFactor=1, mobile=False)
    )
    browser.get(address)

    def wait_for(condition):
        return browser.execute_async_script(
            """
            const [condition, done] = arguments, end = Date.now() + 10000;
            (function look() { const found = eval(condition); if (found || Date.now() > end) done(found); else setTimeout(look, 50) })()""",
            f"(() => {condition})()",
        )

    browser.execute_cdp_cmd("Page.setBypassCSP", {"enabled": True})
    browser.get(address)
    assert wait_for("document.getElementById('state').textContent === 'in progress'")
    assert wait_for("document.getElementById('work').textContent.includes('of 1,000,000,000 requests')")
    assert wait_for("document.getElementById('rate').textContent !== '–'")
    assert wait_for("document.querySelectorAll('.drawing .node').length === 2")
    assert wait_for("document.querySelector('.drawing .busy, .drawing .full') !== null")
    assert wait_for("document.querySelectorAll('#queues tbody tr').length > 0")
    browser.find_element("css selector", "#waits input").send_keys("no component")
    assert wait_for("document.querySelectorAll('#waits li').length === 0")
    assert browser.execute_script("return document.documentElement.scrollWidth") <= 400
    assert browser.get_log("browser") == []
    running.kill()
    assert wait_for("document.getElementById('state').textContent === 'the process has ended'")
    assert all("ERR_CONNECTION" in entry["message"] for entry in browser.get_log("browser"))


def test_watching_does_not_change_the_results(memsim_command, script):
    digest = memsim_command("-d", "plain", script, 20000).stdout
    assert memsim_command("--watch", "0", "-d", "watched", script, 20000).stdout == digest
    configurations = [
        memsim_command("sql", out, "SELECT configuration FROM run").stdout for out in ("plain", "watched")
    ]
    assert configurations[0] == configurations[1], "--skip-finished finds the one for the other"


def test_a_port_that_is_taken_is_refused(watched, memsim_command, script):
    port = watched[1].rpartition(":")[2]
    output = memsim_command("--watch", port, script, 1000, expect=1).stderr
    assert output == f"memsim: --watch {port}: Address already in use: name another port, or 0 for any that is free\n"


@pytest.mark.parametrize("host", ["127.0.0.1", "localhost", "127.0.0.1:80", "localhost:80"])
def test_a_browser_leaves_port_80_out(watched, host):
    assert (
        "text/html"
        in urllib.request.urlopen(urllib.request.Request(watched[1], headers={"Host": host})).headers["Content-Type"]
    )


def opened(address):
    return socket.create_connection(("127.0.0.1", int(address.rpartition(":")[2])), timeout=20)


def test_a_browser_that_disconnects_is_not_reported(watched):
    running, address = watched
    status(address)
    for begun in (
        b"",
        b"GET / HT",
        b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n",
        b"GET /drawing HTTP/1.1\r\nHost: localhost\r\n\r\n",
    ):
        for _ in range(20):
            connection = opened(address)
            connection.send(begun)
            connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, b"\1\0\0\0\0\0\0\0")  # a reset
            connection.close()
    ask(address)
    running.kill()
    assert running.stderr.read() == ""


def test_idle_connections_leave_the_run_its_descriptors(tmp_path):
    """100 connections use only a few of 80 descriptors; the checkpoint is written, and the page is served."""
    (tmp_path / "endless.py").write_text(ENDLESS)
    few = 80
    running = subprocess.Popen(
        [MEMSIM, "--watch", "0", "-d", "out", "endless.py"],
        cwd=tmp_path,
        text=True,
        stderr=subprocess.PIPE,
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_NOFILE, (few, few)),
    )
    idle = []
    try:
        address = re.search("http://.*", running.stderr.readline())[0]
        status(address)
        idle = [opened(address) for _ in range(100)]
        assert json.loads(ask(address))
        assert len(os.listdir(f"/proc/{running.pid}/fd")) < 60
        running.send_signal(signal.SIGUSR2)
        assert "checkpoint at " in running.stderr.readline()
        assert running.poll() is None
    finally:
        running.kill()
        running.communicate()
        for connection in idle:
            connection.close()


def test_a_connection_that_is_silent_is_closed(monkeypatch):
    monkeypatch.setattr(watch, "PATIENCE", 0.2)
    served = watch.Watch(0)
    connection = opened(f"http://127.0.0.1:{served.port}")
    connection.send(b"GET / HT")
    assert connection.recv(1) == b"", "the server has closed it"
    connection.close()


def test_the_page_is_answered_while_an_input_is_loaded(tmp_path):
    """The page is also served while a long call loads data: half a gigabyte of random floats."""
    (tmp_path / "load.py").write_text(
        """\
import time
import memsim
from memsim import workload
from memsim.systems import qv100

root = qv100.qv100(workload.Program(name="vadd", size=100_000_000), sms=1)
began = time.monotonic()
print(began, flush=True)
memsim.instantiate(root)
print(time.monotonic(), flush=True)
"""
    )
    running = subprocess.Popen(
        [MEMSIM, "--watch", "0", "-d", "out", "load.py"],
        cwd=tmp_path,
        text=True,
        stderr=subprocess.PIPE,
        stdout=subprocess.PIPE,
    )
    try:
        port = int(running.stderr.readline().rpartition(":")[2])
        began, answered = float(running.stdout.readline()), []
        while running.poll() is None:
            connection = HTTPConnection("127.0.0.1", port, timeout=60)
            try:
                connection.request("GET", "/")
                connection.getresponse().read()
            except (OSError, HTTPException):  # the run has ended
                break
            answered.append(time.monotonic())
            time.sleep(0.01)
        ended = float(running.stdout.readline())
        during = [began, *(at for at in answered if at < ended), ended]
        assert len(during) > 5
        assert max(b - a for a, b in zip(during, during[1:])) < (ended - began) / 2
    finally:
        running.kill()
        running.communicate()
