"""Peak rates of the parts of ZnG's machines: from their parameters, and measured under loads that saturate them.

    rate = peaks.measure(fig, "GPU DRAM", "HybridGPU")
    rate["GPU DRAM"]     # bytes a second, measured
"""

from ...study.figure import Figure, config
from ...study.metric import Run
from . import hybrid, memory, scale

PAGE = 4096
PLANES = scale.CHANNELS * 8 * 8
# For how long each load is measured, after it has warmed up: those of an SSD, which gives few pages a millisecond, for
# longer.
MILLISECONDS = dict.fromkeys(("GPU DRAM", "desktop DRAM", "Optane"), 1)
LONGER = 5
UNBOUND = "1000GB/s"


Load = tuple[str, tuple[object, ...], list[str]]  # a script of configs, its arguments, memsim's options


def _peak(name: str, memory: str, *arguments: object, warm: str = "1ms") -> Load:
    return (
        "zng_peak.py",
        ("--warm", warm, "--time", f"{MILLISECONDS.get(name, LONGER)}ms", "--memory", memory, *arguments),
        [],
    )


def _settings(**changes: object) -> list[str]:
    return [word for k, v in changes.items() for word in ("--set", f"ssd.drive.{k}={v}")]


# By name: the script with its arguments and memsim's options. All are of the paper's machine, unscaled.
LOADS: dict[str, Load] = {
    "GPU DRAM": _peak("GPU DRAM", "ideal"),
    "desktop DRAM": _peak("desktop DRAM", "desktop"),
    "Optane": _peak("Optane", "optane"),
    "GPU-SSD": _peak("GPU-SSD", "hetero", "--range", 96 << 20),  # of its vectors; 5 MB come in the time
    "HybridGPU": _peak("HybridGPU", "hybridgpu"),
    # All pages are in the buffer when it is measured: 8 MiB, in 10 ms.
    "DRAM buffer": _peak("DRAM buffer", "hybridgpu", "--range", 8 << 20, warm="10ms"),
    "SSD controller": _peak("SSD controller", "hybridgpu", "--pattern", "random"),
    # The drive without cores, cache or host: its channels are left.
    "flash channels": (
        "drive.py",
        ("--drive", "z_ssd", "--outstanding", 8192, "--requests", 60_000),
        _settings(
            firmware="0fs",
            host_rate=UNBOUND,
            dram_rate=UNBOUND,
            cache="1MiB",
            cache_reads="false",
            commands=16384,
            queue_depth=16384,
        ),
    ),
    "flash arrays": ("zng_flash.py", ("--outstanding", 4096, "--requests", 20_000), []),
}

# Bytes a second by parameters.
PARAMETERS = {
    "GPU DRAM": scale.CONTROLLERS * memory.GDDR5_RATE,
    "desktop DRAM": 2 * 25.6e9,
    "Optane": scale.CONTROLLERS * memory.OPTANE_RATE,
    "GPU-SSD": 3.282e9,  # the drive's four lanes
    "HybridGPU": float(PAGE * scale.CORES / scale.FIRMWARE),  # its slowest part
    "DRAM buffer": hybrid.BUFFER_RATE,
    "SSD controller": float(PAGE * scale.CORES / scale.FIRMWARE),
    "flash channels": scale.CHANNELS * 800e6,
    "flash arrays": PLANES * PAGE / 3e-6,
}


def measured(name: str, run: Run) -> float:
    """Bytes a second, of a run under the load of this name."""
    if name == "flash channels":
        return run.value("host", "read_rate") * PAGE
    if name == "flash arrays":
        seconds = run.total("l2[0]", "bytes") / run.total("l2[0]", "bandwidth")
        return run.total("flash.package", "sensed_bytes") / seconds
    taken = 1e-3 * MILLISECONDS.get(name, LONGER)
    if name == "SSD controller":
        return run.value("ssd.drive", "host_page_reads") * PAGE / taken
    if name == "GPU-SSD":
        return run.value("ssd.drive", "read_bytes") / taken
    return run.total("gpu.l2", "read_bytes") / taken


def measure(fig: Figure, *parts: str) -> dict[str, float]:
    """Runs the LOADS of these names, and prints and returns the rate of each part in bytes a second."""
    for part in parts:
        script, given, options = LOADS[part]
        fig.point(config(script), *given, options=options, part=part)
    fig.run()
    rate = {point.keys["part"]: measured(point.keys["part"], fig.run_of(point)) for point in fig.points}
    print(f"{'GB/s':16}  by parameters  measured  of GPU DRAM, measured")
    for name, ours in rate.items():
        print(f"{name:16} {PARAMETERS[name] / 1e9:14.2f} {ours / 1e9:9.2f} {ours / rate['GPU DRAM']:12.4f}")
    return rate


def waste(fig: Figure) -> float:
    """Share of the sensed bytes that no request reads, when flash arrays are read in random lines."""
    (arrays,) = fig.runs(part="flash arrays")
    return 1 - arrays.total("flash.package", "useful_bytes") / arrays.total("flash.package", "sensed_bytes")
