"""A trace with two streams, interrupted while both are in progress, and continued."""

from pathlib import Path

SCRIPT = """\
import memsim
from memsim import workload
from memsim.systems import qv100

memsim.instantiate(qv100.qv100(workload.TraceProgram(trace="kernelslist.g", repeat=2), sms=2))
memsim.simulate()
"""
HEAD = """\
-kernel name = k{stream}
-grid dim = (12,1,1)
-block dim = (32,1,1)
-shmem = 49152
-nregs = 16
-cuda stream id = {stream}
-shmem base_addr = 0x7fc867000000
-local mem base_addr = 0x7fc865000000
-accelsim tracer version = 3
#
"""


def kernel(stream, first):
    """Twelve blocks, two at a time in an SM. Each loads lines and waits for them, and stores one line to local memory."""
    text = HEAD.format(stream=stream)
    for block in range(12):
        lines = [f"ffffffff 1 R2 LDG.E 1 R2 4 1 {first + 128 * (10 * block + i):#x} 4" for i in range(10)]
        lines += ["ffffffff 0 STL 2 R1 R2 4 1 0xfffd00 0", "ffffffff 0 EXIT 0 0"]
        body = "".join(f"{16 * i:04x} {line}\n" for i, line in enumerate(lines))
        text += f"#BEGIN_TB\nthread block = {block},0,0\nwarp = 0\ninsts = {len(lines)}\n{body}#END_TB\n"
    return text


def test_a_stopped_trace_of_two_streams_continues_with_equal_results(run, survives):
    (run.directory / "a.traceg").write_text(kernel(7, 0x7F0000200000))
    (run.directory / "b.traceg").write_text(kernel(8, 0x7F0000A00000))
    (run.directory / "kernelslist.g").write_text("a.traceg\nb.traceg\n")
    Path(run.directory / "play.py").write_text(SCRIPT)
    survives("play.py")
    ((launches, both),) = run.rows(
        "whole",
        "SELECT count(*), (SELECT min(a.ended, b.ended) - max(a.started, b.started) FROM launch a, launch b "
        "WHERE a.kernel = 'k7' AND b.kernel = 'k8' ORDER BY a.number, b.number LIMIT 1) FROM launch",
    )
    assert launches == 4 and both > 0
    # At a moment when launches of both are in progress.
    ((moment,),) = run.rows(
        "whole",
        "SELECT (max(a.started, b.started) + min(a.ended, b.ended)) / 2 FROM launch a, launch b "
        "WHERE a.kernel = 'k7' AND b.kernel = 'k8' ORDER BY a.number, b.number LIMIT 1",
    )
    run("-d", "inside", "--checkpoint-at", f"{moment}fs", "play.py")
    (file,) = (run.directory / "inside").glob("*.ckpt")
    content = run.content("whole")
    run("--restore", file)
    assert run.content("inside") == content
