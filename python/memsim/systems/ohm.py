"""Ohm-GPU (Zhang and Jung, MICRO'21): DRAM and XPoint on one channel, electrical or optical.

`planar(platform, program, ...)` builds the whole machine; the values stand in Table I of the paper or
are assumptions of docs/models/ohm.md.
"""

from .. import Root, System, gpu, mem, ohm, workload, xpoint
from ..errors import did_you_mean, user_error
from .scale import OHM_PLANAR, OHM_TWO_LEVEL, footprint, scale

# What tells the platforms apart so far: the channel. 32 bit x 15 GHz and 16 bit x 30 GHz are both
# 60 GB/s. An electrical channel has no SerDes; its flight is 10 cm at 6.7 ps/mm (assumption: FR-4).
# The XPoint modules must be told the one-way latency, 2 x serdes + flight; the controller checks it.
CHANNELS = {
    "hetero": dict(width=32, lane_rate="15GHz", serdes="0fs", flight="670ps"),
    "ohm-base": dict(width=16, lane_rate="30GHz", serdes="1ns", flight="1300ps"),
}
ONE_WAY = {"hetero": "670ps", "ohm-base": "3300ps"}
# In two-level mode a platform is also what its XPoint controller does (Ohm-GPU IV-B).
TWO_LEVEL = {
    "hetero": CHANNELS["hetero"],
    "ohm-base": CHANNELS["ohm-base"],
    "auto-rw": dict(CHANNELS["ohm-base"], auto_rw=True),
}
PAGE = 2048        # bytes; unit of mapping and swap: a DRAM row
INTERLEAVE = f"{PAGE}B"  # of addresses over controllers: pages go round
MODULES = 2        # XPoint modules of a controller (Table III: 12 over 6)


def planar_scale(program, controllers=None):
    """What the machine for this program has (systems.scale.Scaled); `controllers` overrides how many
    memory controllers the scale leaves of the paper's six."""
    return scale(OHM_PLANAR, footprint(program), page=PAGE, modules=MODULES, controllers=controllers)


def two_level_scale(program, controllers=None):
    """The same in two-level mode."""
    return scale(OHM_TWO_LEVEL, footprint(program), page=PAGE, modules=MODULES,
                 controllers=controllers)


def planar(platform, program, size=None, seed=1, **dispatch):
    """The machine of one platform in planar mode.

    platform  'hetero' (electrical channels) or 'ohm-base' (virtual channels of an optical one)
    program   a workload.Program
    size      what the machine has; None: planar_scale(program)
    dispatch  parameters of gpu.Dispatcher, such as max_instructions

    Returns a Root with `program`, `gpu`, `memory` and `scale` (what became of the proportions).
    Initially each group's first page is in DRAM, the others in XPoint; caches are cold.
    """
    return _machine(CHANNELS, controller, platform, program, size or planar_scale(program), seed,
                    dispatch)


def two_level(platform, program, size=None, seed=1, **dispatch):
    """The machine of one platform in two-level mode: DRAM is a direct-mapped cache of XPoint, cold at
    the start. As planar(); `size` is two_level_scale(program), and there is 'auto-rw', where XPoint
    takes evictions over."""
    return _machine(TWO_LEVEL, two_level_controller, platform, program,
                    size or two_level_scale(program), seed, dispatch)


def _machine(platforms, make_controller, platform, program, size, seed, dispatch):
    if platform not in platforms:
        raise user_error(f"there is no platform '{platform}'{did_you_mean(platform, platforms)}: it is "
                         f"one of {', '.join(platforms)}")
    root = Root(seed=seed)
    root.program = program
    root.scale = [workload.Invariant(name=i.name, paper=f"{i.paper:.6g}", here=f"{i.here:.6g}",
                                     kept=not i.broken) for i in size.invariants]
    root.gpu = gpu_of(size, **dispatch)
    root.program.dispatcher = root.gpu.dispatcher.host
    root.memory = System()
    root.memory.controller = [make_controller(platform, size, i) for i in range(size.controllers)]
    root.memory.xpoint = [xpoint.Module(capacity=f"{size.xpoint // MODULES}B",
                                        channel_latency=ONE_WAY.get(platform, ONE_WAY["ohm-base"]))
                          for _ in range(size.controllers * MODULES)]
    for i, mc in enumerate(root.memory.controller):
        root.gpu.l2[i].mem_side = mc.cpu_side
        for m in range(MODULES):
            device = root.memory.xpoint[i * MODULES + m]
            mc.commands[m] = device.commands
            mc.transfers[m] = device.transfers
    return root


def gpu_of(size, **dispatch):
    """SMs with their L1s, the crossbar and one L2 slice for each controller (Table I)."""
    part = System()
    part.dispatcher = gpu.Dispatcher(sms=size.sms, **dispatch)
    part.sm = [gpu.Sm() for _ in range(size.sms)]
    part.l1 = [mem.Cache(capacity=f"{size.l1}B", ways=6, stage="l1") for _ in range(size.sms)]
    # 64 B a cycle and controller: Fermi's L2 gives 384 B a clock from six partitions. A slice is then
    # not slower (77 GB/s) than the channel behind it (60 GB/s).
    part.network = mem.Crossbar(inputs=size.sms, outputs=size.controllers, granularity=INTERLEAVE,
                                width="64B")
    part.l2 = [mem.Cache(capacity=f"{size.l2_slice}B", ways=8, write_policy="write_back",
                         write_allocate=True, mshrs=64, targets=16, latency="80ns", stage="l2",
                         interleave_ways=size.controllers, interleave_granularity=INTERLEAVE)
               for _ in range(size.controllers)]
    for i in range(size.sms):
        part.dispatcher.sm_side[i] = part.sm[i].blocks
        part.sm[i].mem_side = part.l1[i].cpu_side
        part.l1[i].mem_side = part.network.cpu_side[i]
    for i in range(size.controllers):
        part.network.mem_side[i] = part.l2[i].cpu_side
    return part


def controller(platform, size, index):
    return ohm.PlanarController(controllers=size.controllers, index=index, dram=f"{size.dram}B",
                                modules=MODULES, page=f"{PAGE}B", **CHANNELS[platform])


def two_level_controller(platform, size, index):
    return ohm.TwoLevelController(controllers=size.controllers, index=index, dram=f"{size.dram}B",
                                  ratio=size.xpoint // size.dram, modules=MODULES,
                                  interleave=INTERLEAVE, **TWO_LEVEL[platform])
