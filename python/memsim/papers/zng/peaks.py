"""What the parts of ZnG's machines give at the most: by their parameters, and under loads that saturate them.

    peaks = peaks.Peaks("fig04c", "ideal", "hybridgpu in flash")
    peaks.run()
    peaks.rate["ideal"]     # bytes a second, measured
"""

import sys
from pathlib import Path

from ...study import study
from . import memory, scale

PAGE = 4096
PLANES = scale.CHANNELS * 8 * 8
# For how long each load is measured, after it has warmed up: those of an SSD, which gives few pages a millisecond, for longer.
MILLISECONDS = dict.fromkeys(("GPU DRAM", "desktop DRAM", "Optane"), 1)
LONGER = 5
UNBOUND = "1000GB/s"


def _peak(name, memory, *arguments, warm="1ms"):
    return (
        "zng_peak.py",
        ("--warm", warm, "--time", f"{MILLISECONDS.get(name, LONGER)}ms", "--memory", memory, *arguments),
        (),
    )


def _settings(**changes):
    return [word for k, v in changes.items() for word in ("--set", f"ssd.drive.{k}={v}")]


# By name: the script with its arguments and memsim's options. All are of the paper's machine, unscaled.
LOADS = {
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
    "flash arrays": ("zng_flash.py", ("--outstanding", 4096, "--requests", 20_000), ()),
}

# Bytes a second by parameters.
PARAMETERS = {
    "GPU DRAM": scale.CONTROLLERS * memory.GDDR5_RATE,
    "desktop DRAM": 2 * 25.6e9,
    "Optane": scale.CONTROLLERS * memory.OPTANE_RATE,
    "GPU-SSD": 3.282e9,  # the drive's four lanes
    "HybridGPU": float(PAGE * scale.CORES / scale.FIRMWARE),  # its slowest part
    "DRAM buffer": memory.BUFFER_RATE,
    "SSD controller": float(PAGE * scale.CORES / scale.FIRMWARE),
    "flash channels": scale.CHANNELS * 800e6,
    "flash arrays": PLANES * PAGE / 3e-6,
}


def _total(values, name, path):
    return sum(v for (p, n), v in values.items() if n == name and p.startswith(path))


def measured(name, values):
    """Bytes a second, from a run's values by (path, name)."""
    if name == "flash channels":
        return values["host", "read_rate"] * PAGE
    if name == "flash arrays":
        seconds = _total(values, "bytes", "l2[0]") / _total(values, "bandwidth", "l2[0]")
        return _total(values, "sensed_bytes", "flash.package") / seconds
    taken = 1e-3 * MILLISECONDS.get(name, LONGER)
    if name == "SSD controller":
        return values["ssd.drive", "host_page_reads"] * PAGE / taken
    if name == "GPU-SSD":
        return values["ssd.drive", "read_bytes"] / taken
    return _total(values, "read_bytes", "gpu.l2") / taken


class Peaks(study.Study):
    """A study whose points are LOADS of these names."""

    def __init__(self, name, jobs, *parts):
        super().__init__("zng", name, jobs=jobs)
        configs = Path(sys.argv[0]).resolve().parents[2]
        for part in parts:
            script, given, options = LOADS[part]
            self.point(configs / script, *given, options=options, part=part)

    def run(self):
        super().run()
        self.rate, self.waste = {}, None
        for point in self.points:
            name, values = point.keys["part"], self.values(point)
            self.rate[name] = measured(name, values)
            if name == "flash arrays":  # of random lines
                self.waste = 1 - (
                    _total(values, "useful_bytes", "flash.package") / _total(values, "sensed_bytes", "flash.package")
                )

    def show(self):
        print(f"{'GB/s':16}  by parameters  measured  of GPU DRAM, measured")
        base = self.rate["GPU DRAM"]
        for name, rate in self.rate.items():
            print(f"{name:16} {PARAMETERS[name] / 1e9:14.2f} {rate / 1e9:9.2f} {rate / base:12.4f}")
