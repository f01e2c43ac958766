"""Where a run's energy went: what its statistics count in joules, or what a paper's model makes of its counts."""
from pathlib import PurePath

from ..systems import cmd, ohm
from .groups import pattern


def stack(run):
    """{part: nJ}; empty if nothing says what this machine spends."""
    model = MODELS.get("/".join(PurePath(run.info["script"] or "").parts[-2:]))
    if model and run.values:
        return {part: value for part, value in model(run).items() if value}
    parts = {}
    for v in run.values:
        if v.unit == "nJ" and v.part in ("", "sum"):
            parts[pattern(v.path)] = parts.get(pattern(v.path), 0) + v.value
    return {part: value for part, value in parts.items() if value}


def _ohm(mode):
    def model(run):
        words = [word for argument in run.argv for word in argument.split("=", 1)]
        platform = words[words.index("--platform") + 1] if "--platform" in words else "ohm-base"
        made = ohm.energy.energy(run.by_name, mode, platform)
        wires = {"lasers": made.laser, "ring tuning": made.tuning} if made.laser else {"wires": made.wires}
        joules = {"DRAM static": made.dram_static, "DRAM accesses": made.dram_dynamic, "XPoint": made.xpoint} | wires
        return {part: value * 1e9 for part, value in joules.items()}
    return model


def _cmd(run):
    l2_bytes = sum(p.value for p in run.parameters if pattern(p.path) == "gpu.l2[*]" and p.name == "capacity")
    made = cmd.energy.energy(run.by_name, l2_bytes, run.by_name["gpu.dispatcher", "cycles"] / 1.365e9)
    return {"L2": made["l2"], "controller": made["controller"], "DRAM": made["dram"]}


MODELS = {"configs/ohm_planar.py": _ohm("planar"), "configs/ohm_two_level.py": _ohm("two-level"),
          "configs/cmd.py": _cmd}
