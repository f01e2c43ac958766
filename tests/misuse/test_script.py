"""Errors in a script or on the command line; nothing is written before they are found."""
import os
import subprocess

import pytest

SCRIPT = """\
import memsim
from memsim import gpu, mem, workload
from memsim.systems import ohm

root = ohm.planar("ohm-base", workload.Program(size=9))
{}
memsim.instantiate()
memsim.simulate("1us")
"""


@pytest.mark.parametrize(
    "line, output",
    [
        (
            "root.gpu.sm[0].warp_slotz = 4",
            "wrong.py:6: gpu.sm[0] has no parameter, port or child 'warp_slotz' (did you mean 'warp_slots'?)",
        ),
        (
            "ohm.planar('ohm-bass', root.program)",
            "wrong.py:6: there is no platform 'ohm-bass' (did you mean 'ohm-base'?): it is one of origin, "
            "hetero, ohm-base, ",
        ),
        (
            "root.gpu.l2[0].latency = '190'",
            "wrong.py:6: gpu.l2[0].latency: '190' has no unit of Time: write '190ns' or the like (",
        ),
        (
            "root.gpu.l2[0].latency = '190xs'",
            "wrong.py:6: gpu.l2[0].latency: '190xs' has no unit of Time: write '190ns' or the like (",
        ),
        (
            "root.gpu.l2[0].latency = 190",
            "wrong.py:6: gpu.l2[0].latency: '190' has no unit of Time: write '190ns' or the like (",
        ),
        (
            "root.gpu.l2[0].latency = '1e30ns'",
            "wrong.py:6: gpu.l2[0].latency: '1e30ns' is out of range: the largest Time is 9223s (",
        ),
        (
            "root.gpu.l2[0].capacity = '100KB'",
            "wrong.py:6: gpu.l2[0].capacity: '100KB' has no unit of Bytes: write '100KiB' or the like (",
        ),
        ("mem.Cach()", "wrong.py:6: memsim.mem has nothing named 'Cach' (did you mean 'Cache'?)"),
        ("memsim.Cach()", "wrong.py:6: memsim has nothing named 'Cach' (did you mean 'Cache'?)"),
        ("memsim.simulat()", "wrong.py:6: memsim has nothing named 'simulat' (did you mean 'simulate'?)"),
        (
            "memsim.Package()",
            "wrong.py:6: 'Package' is the name of flash.Package and zng.Package: add the folder",
        ),
        ("from memsim.mem import Cach", "wrong.py:6: memsim.mem has nothing named 'Cach' (did you mean 'Cache'?)"),
        ("from memsim import mm", "wrong.py:6: memsim has nothing named 'mm'"),
        ("root.gpu.sm[0].warp_slots = 0", "wrong.py:6: gpu.sm[0].warp_slots: '0' "),
        (
            "root.program.name = 'bfs_dat'",
            "wrong.py:6: program.name: there is no workload 'bfs_dat' (did you mean 'bfs_data'?); `memsim "
            "workloads` lists them",
        ),
        (
            "ohm.planar('ohm-base', workload.Program(size=9, source=512))",
            "wrong.py:6: workload.Program.source: there is no vertex 512: the graph's vertices are 0 to 511",
        ),
        (
            "root.gen = mem.TrafficGen()",
            "wrong.py:6: gen.mem_side is not bound: bind it to a responder port of family protocol.Mem",
        ),
        (
            "root.gen = mem.TrafficGen()\nroot.gen.mem_side = root.gpu.l2[0].cpu_side",
            "wrong.py:7: gpu.l2[0].cpu_side is bound twice: it was bound to gpu.network.mem_side[0] at ",
        ),
        (
            "root.gen, root.to = mem.TrafficGen(), gpu.Sm()\nroot.gen.mem_side = root.to.blocks",
            "wrong.py:7: gen.mem_side has messages of protocol.Mem and to.blocks those of protocol.Dispatch: bind ports of the same family",
        ),
        ("root.gen = mem.TrafficGen()\nroot.gen.mem_side = root.gen", "wrong.py:7: gen.mem_side is a port: "),
        (
            "root.gpu = None",
            "wrong.py:6: Root.gpu is a child and cannot become None: children can neither be replaced nor removed",
        ),
        (
            "root.gpu.l2[0].latency = '1ns\0'",
            "wrong.py:6: gpu.l2[0].latency: '1ns\\x00' holds the character U+0000: leave it out",
        ),
        (
            "root.program.input = 'a\0b'",
            "wrong.py:6: program.input: 'a\\x00b' holds the character U+0000: leave it out",
        ),
        (
            "root.program.input = '\ud800'",
            "wrong.py:6: program.input: '\\xed\\xa0\\x80' holds the character U+D800: leave it out",
        ),
        ("memsim.describe('\ud800')", "there is no component type"),
        ("mem.Cach\u00e9()", "wrong.py:6: memsim.mem has nothing named 'Cach\u00e9' (did you mean 'Cache'?)"),
        (
            "memsim.instantiate(); memsim.stats.dump('\ud800')",
            "wrong.py:6: dump(): '\\xed\\xa0\\x80' holds the character U+D800: leave it out",
        ),
        (
            "memsim.instantiate(); memsim.stats.dump('a\0b')",
            "wrong.py:6: dump(): 'a\\x00b' holds the character U+0000: leave it out",
        ),
        (
            "memsim.instantiate(); memsim.checkpoint('a\0b')",
            "wrong.py:6: checkpoint(): 'a\\x00b' holds the character U+0000: leave it out",
        ),
        ("memsim.instantiate(); memsim.checkpoint('\ud800')", "wrong.py:6: checkpoint(): "),
        ("memsim.instantiate(); memsim.simulate('\ud800')", "wrong.py:6: simulate(): "),
        ("memsim.instantiate(); memsim.stats.series('1us', 'gpu.\ud800')", "wrong.py:6: series(): "),
        ("memsim.instantiate(); memsim.stats.series('\ud800', '*')", "wrong.py:6: series(): "),
        ("memsim.instantiate(); getattr(root.gpu.l2[0].stats, '\ud800')", "wrong.py:6: "),
        ("root.gpu.sm[0] = gpu.Sm()", "wrong.py:6: gpu.sm: children can only be appended, not moved or removed"),
        ("memsim.simulate()", "wrong.py:6: there is no machine yet: call memsim.instantiate() first"),
        (
            "memsim.instantiate(root); root.gpu.sm[0].warp_slots = 4",
            "wrong.py:6: gpu.sm[0].warp_slots is set after instantiate(): ",
        ),
        ("memsim.instantiate(); memsim.simulate('5')", "wrong.py:6: simulate(): '5' has no unit of Time"),
        (
            "memsim.instantiate(); memsim.stats.series('1us', 'gpu.l3.*')",
            "wrong.py:6: no statistic is named 'gpu.l3.*'",
        ),
        (
            "memsim.instantiate(); root.gpu.l2[0].stats.hit",
            "wrong.py:6: gpu.l2[0] has no statistic 'hit' (did you mean 'hits'?)",
        ),
    ],
)
def test_a_mistake_in_a_script(refused, tmp_path, line, output):
    (tmp_path / "wrong.py").write_text(
        SCRIPT.format("".join(c if c.isprintable() or c == "\n" else f"\\u{ord(c):04x}" for c in line))
    )
    text = refused("wrong.py")
    assert text.startswith(output), text
    assert (tmp_path / "memsim-out").exists() == ("instantiate" in line), "nothing ran"


@pytest.mark.parametrize(
    "change, output",
    [
        ("gpu.l2[0].latncy=1ns", "gpu.l2[0] has no parameter 'latncy' (did you mean 'latency'?)"),
        (
            "gpu.l2[9].latency=1ns",
            "there is no component 'gpu.l2[9]' (did you mean 'gpu.l2[0]', or 'gpu.l2[*]' for every element?)",
        ),
        (
            "gpu.l2.capacity=1MiB",
            "there is no component 'gpu.l2' (did you mean 'gpu.l2[0]', or 'gpu.l2[*]' for every element?)",
        ),
        ("gqu.dispatcher.clock=1GHz", "there is no component 'gqu.dispatcher' (did you mean 'gpu.dispatcher'?)"),
        ("gpu.l2[0].latency=190", "'190' has no unit of Time: write '190ns' or the like"),
        ("latency", "write path.parameter=value, such as"),
    ],
)
def test_a_mistake_in_set(refused, tiny, change, output):
    text = refused("--set", change, *tiny)
    assert text.startswith(f"--set {change}: ") and output in text


@pytest.mark.parametrize(
    "arguments",
    [
        [],
        ["--no-such", "x.py"],
        ["--checkpoint-at", "200", "x.py"],
        ["--restore"],
        ["ckpt"],
        ["ckpt", "tell", "x"],
        ["--debug-flags", "Nothing", "x.py"],
        ["sql"],
    ],
)
def test_usage(tmp_path, run, arguments):
    from misuse.conftest import MEMSIM

    done = subprocess.run([MEMSIM, *arguments], cwd=tmp_path, text=True, capture_output=True)
    assert done.returncode == 2 and done.stderr.startswith("usage: memsim")
    assert done.stderr.strip().split("\n")[-1].startswith("memsim"), done.stderr


def test_usage_of_the_main_job(tmp_path, tiny):
    from misuse.conftest import MEMSIM

    for wrong in (["--platform", "hetro"], ["--kernel", "dfs"], ["--scale", "huge"], ["--no"]):
        done = subprocess.run([MEMSIM, *map(str, tiny), *wrong], cwd=tmp_path, text=True, capture_output=True)
        assert done.returncode == 2 and wrong[-1] in done.stderr and "usage:" in done.stderr


def test_a_script_s_own_error_keeps_its_traceback(tmp_path):
    from misuse.conftest import MEMSIM

    (tmp_path / "own.py").write_text(SCRIPT.format("def f(text):\n    return int(text)\n") + "f('x')\n")
    done = subprocess.run([MEMSIM, "own.py"], cwd=tmp_path, text=True, capture_output=True)
    assert done.returncode == 1
    kept, _, trace = done.stderr.partition("\n")
    assert kept.startswith("memsim: ended by ValueError: invalid literal for int() with base 10: 'x' at 1us; ")
    assert trace.startswith("Traceback (most recent call last):\n") and trace.endswith(
        "ValueError: invalid literal for int() with base 10: 'x'\n"
    )
    assert 'File "own.py", line 11' in done.stderr and "python/memsim/" not in done.stderr


@pytest.mark.parametrize(
    "script, arguments, output",
    [
        ("zng.py", ["--whole", "0"], "'0' is not an integer of at least 1"),
        ("paged_gpu.py", ["--page", "0"], "'0' is not an integer of at least 1"),
        ("paged_gpu.py", ["--page", str(2**64)], f"'{2**64}' is not an integer from 1 to {2**64 - 1}"),
        ("zng_flash.py", ["--controllers", "0"], "'0' is not an integer of at least 1"),
        ("eight_gpus.py", ["--share", "0"], "'0' is not an integer from 1 to 100"),
        ("paged_gpu.py", ["--placement", "faults", "--resident", "-5"], "'-5' is not an integer from 1 to 100"),
        (
            "paged_gpu.py",
            ["--placement", "faults", "--source", "drive", "--page", "1048576"],
            "host.page: 1MiB is more than the 512KiB that a drive moves in one request: make it smaller",
        ),
        ("ohm_planar.py", ["--platform", "origin", "--host-page", "0"], "'0' is not an integer of at least 1"),
        ("co_run.py", ["--only", "7"], "--only 7: kernels are 0 to 1"),
        ("sap_hints.py", ["--system", "ohm", "--workload", "nope"], "there is no workload 'nope': it is one of backp"),
    ],
)
def test_values_that_a_script_of_ours_cannot_take(script, arguments, output, tmp_path):
    from misuse.conftest import MEMSIM, ROOT

    done = subprocess.run(
        [MEMSIM, "-q", ROOT / "configs" / script, *arguments], cwd=tmp_path, capture_output=True, text=True
    )
    assert done.returncode in (1, 2) and output in done.stderr and "Traceback" not in done.stderr


def test_a_script_in_a_folder_that_may_not_be_read(refused, tmp_path):
    tmp_path.chmod(0o711)
    (tmp_path / "hidden").mkdir()
    for mode, problem in (0o111, "No such file or directory"), (0, "Permission denied"):
        (tmp_path / "hidden").chmod(mode)
        # Root may read every folder.
        user = {"user": 65534, "group": 65534, "extra_groups": []} if os.geteuid() == 0 else {}
        assert refused("hidden/a.py", **user).startswith(f"hidden/a.py: {problem}: name a script, a subcommand or ")
