"""Ohm-GPU (Zhang and Jung, MICRO'21): DRAM and XPoint on one channel, electrical or optical.

`planar(platform, program, ...)` and `two_level(...)` build the whole machine; the values stand in Table I
of the paper or are assumptions of docs/models/assumptions.md.
"""

from dataclasses import replace

from ... import Root, System, ohm
from ...model.energy import components
from ...errors import check_known, user_error
from ...model.provenance import assumed, cited, derived, inferred, source_of, stated, swept, wired, with_unit
from ...systems import gtx580
from ...systems.drive import solid_state_drive
from ...systems.interleave import connect
from ...systems.processor import gpu
from ...systems.scale import components as proportions
from ...systems.scale import footprint, up_to
from . import dram, energy, optics, scale, workloads
from .workloads import L2_FLOOR

OHM = {"planar": scale.OHM_PLANAR, "two-level": scale.OHM_TWO_LEVEL}

CONTROLLER, MODULE = "memory.controller[*]", "memory.xpoint[*]"
OPTICAL = "ohm-base", "auto-rw", "ohm-wom", "ohm-bw"
COPYING, DUAL = ("hetero", "ohm-base", "auto-rw"), ("ohm-wom", "ohm-bw")
# The channels of the platforms. 32 bit x 15 GHz and 16 bit x 30 GHz are both
# 60 GB/s. An electrical channel has no SerDes; its flight is 10 cm at 6.7 ps/mm (assumption: FR-4).
# The XPoint modules must be told the one-way latency, 2 x serdes + flight; the controller checks it.
# Commands and addresses are on the light, 8 bytes with a line of 128 (III-A); wires have lanes for them.
CHANNELS = {
    "hetero": dict(
        **stated(dict(width=32, lane_rate="15GHz"), "Ohm-GPU table I: 32 bit x 15 GHz"),
        serdes=derived("0fs", from_="an electrical channel has no SerDes"),
        flight=assumed("670ps", "10 cm of board at 6.7 ps/mm (FR-4)"),
    ),
    "ohm-base": dict(
        **stated(dict(width=16, lane_rate="30GHz"), "Ohm-GPU table I: 16 bit x 30 GHz"),
        serdes=assumed(
            "1ns",
            "a SerDes on each side",
            sweep=[
                swept("0ns", f"{CONTROLLER}.serdes=0ns", f"{MODULE}.channel_latency=1300ps"),
                swept("2ns", f"{CONTROLLER}.serdes=2ns", f"{MODULE}.channel_latency=5300ps"),
            ],
        ),
        flight=assumed("1300ps", "10 cm at 13 ps/mm, n_g = 4"),
        command_bits=dram.COMMAND_BITS,
    ),
}
ONE_WAY = derived({"hetero": "670ps", "ohm-base": "3300ps"}, from_="the channel: 2 x serdes + flight")
AUTO_RW = stated(True, "Ohm-GPU IV-B: auto-read/write")
# In planar mode a platform is what its light carries and what the XPoint controllers do by themselves
# (Ohm-GPU IV-B, V-B): Ohm-WOM and Ohm-BW swap pages over the memory route, so there is nothing to snarf.
# While the memory controller copies a page, it "can still issue memory requests ... to access DRAM/XPoint, which
# are not busy", and the copy "blocks the memory channel, which postpones the data response" (III-B): nothing is
# served from its buffer, migration goes first, and data of requests wait for the copy's end.
_NOT_BUSY = "Ohm-GPU III-B: during a swap requests access DRAM/XPoint, which are not busy"
_BLOCKS = "Ohm-GPU III-B: the swap blocks the memory channel, which postpones the data response"
_COPIES = dict(
    buffer_reads=inferred(False, _NOT_BUSY, sweep=[True]),
    swap_patience=inferred("0fs", _BLOCKS, sweep=["1us", "10us"]),
    swap_hold=inferred("channel", _BLOCKS, sweep=["nothing", "controller"]),
    held_reads=assumed(32, "half of a module's read buffer", sweep=[0, 8]),
)
_SWAPS = dict(
    CHANNELS["ohm-base"],
    swap_function=stated(True, "Ohm-GPU IV-B, V-B"),
    behind_writes=stated(True, "Ohm-GPU VI-A"),
    buffer_reads=inferred(False, _NOT_BUSY),
    swap_patience=assumed(
        "1us", "Ohm-GPU VI-A: a swap by XPoint waits for writes; three unloaded swaps", sweep=["0ns", "10us"]
    ),
    swap_command=assumed("16B", "two addresses of 6 bytes, size and number", sweep=["8B", "64B"]),
)
PLANAR = {
    "hetero": dict(CHANNELS["hetero"], **_COPIES, routes=stated("electrical", "Ohm-GPU VI")),
    "ohm-base": dict(CHANNELS["ohm-base"], **_COPIES),
    "auto-rw": dict(CHANNELS["ohm-base"], **_COPIES, auto_rw=AUTO_RW),
    "ohm-wom": dict(_SWAPS, routes=stated("wom", "Ohm-GPU V-B")),
    "ohm-bw": dict(_SWAPS, routes=stated("half_coupled", "Ohm-GPU V-B")),
}
# In two-level mode a platform is also what its XPoint controller does: it takes victims over that it
# snarfs (auto-read/write), and sends lines of misses to the DRAM while the memory controller watches
# (reverse-write; IV-B), which "stops issuing new memory requests" until XPoint's completion signal (V-A): what it has
# issued continues. ohm-wom and ohm-bw differ in rings and laser alone: nothing is swapped. A migration keeps the channel
# busy as in planar mode: an eviction goes before requests.
REVERSE_WRITE = dict(
    CHANNELS["ohm-base"],
    auto_rw=AUTO_RW,
    reverse_write=stated(True, "Ohm-GPU IV-B: reverse-write"),
    reverse_hold=inferred(
        "requests",
        "Ohm-GPU V-A: stops issuing new memory requests until XPoint's completion signal",
        used=["ohm-08", "ohm-18", "ohm-51"],
        sweep=["nothing", "channel"],
    ),
    reverse_batch=assumed(8, "a signal for each line, so that a hold ends where few lines wait", sweep=[1, 32]),
)
TWO_LEVEL = {
    "hetero": CHANNELS["hetero"],
    "ohm-base": CHANNELS["ohm-base"],
    "auto-rw": dict(CHANNELS["ohm-base"], auto_rw=AUTO_RW),
    "ohm-wom": REVERSE_WRITE,
    "ohm-bw": REVERSE_WRITE,
}
ELECTRICAL = ("origin", "hetero")
# A route selects a pre-tuned ring in 100 ps; a single ring that is tuned to the half-coupled state takes 500 ps
# (IV-C). No text tells other turnarounds, so wires have the same.
TURNAROUND = assumed(
    "100ps",
    "a ring's tuning (Ohm-GPU IV-C), on wires too",
    sweep=["500ps", "2ns", swept("single", arguments=("--rings", "single"), platforms=OPTICAL, name="rings")],
)
TURNAROUND_SINGLE_RINGS = stated("500ps", "Ohm-GPU IV-C: a single ring that is tuned to the half-coupled state")
PAGE = assumed(2048, "unit of mapping and swap: a DRAM row, in bytes")
INTERLEAVE = with_unit(PAGE, "B")  # of addresses over controllers: pages go round
SWAPS = assumed(  # under way in a controller
    4,
    "two pages each in 16 KiB, as large as the paper's device registers",
    sweep=[
        swept(n, f"{CONTROLLER}.swaps={n}", f"{CONTROLLER}.swap_buffer={4 * n}KiB", *more, platforms=on)
        for n in (1, 8)
        for on, more in ((COPYING, ()), (DUAL, (f"{MODULE}.swaps={n}",)))
    ],
)
MODULES = stated(2, "Ohm-GPU table III: 12 XPoint modules over 6 controllers")
# A module's banks keep rows as large as a DRAM's open (docs/models/ohm-readings.md); row="256B" for lines without rows.
BUFFERS = "Optane: a queue of 64, and a buffer of 64 lines of 256 B"
XPOINT = dict(
    row=inferred("2KiB", "table I of both papers: tRCD and tCL of XPoint", sweep=["256B", "8KiB"]),
    t_column=stated("8900ps", "ZnG table I, Optane: tCL 8.9 ns", sweep=["1ps"]),
    partitions=assumed(16, "MacSim's banks; 16 x 256 B give 5.4 GB/s of writes", sweep=[4, 64]),
    loads=cited(64, BUFFERS, sweep=[16]),
    read_buffer=cited(64, BUFFERS, sweep=[16]),
    write_buffer=cited(
        64,
        BUFFERS,
        sweep=[swept(16, f"{MODULE}.write_buffer=16", f"{MODULE}.drain_high=12", f"{MODULE}.drain_low=4")],
    ),
    drain_low=assumed(16, "room to coalesce: 1/4", sweep=[1, 40]),
    psi=cited(100, "Start-Gap, MICRO'09", sweep=[10, 1000]),
)
# Hetero's XPoint controllers keep their map in an external DRAM (II-C), whose tRCD and tCL a read waits for (17.1 ns)
# beside the handshake; Start-Gap needs none (III-A).
MAPPED = dict(
    ready_latency=inferred(
        "22143ps",
        "Ohm-GPU II-C: the map is in an external DRAM, whose tRCD and tCL a read waits for",
        sweep=[swept("none", to="5ns")],
        name="Hetero's map",
    )
)
# As gtx580.DRAM_QUEUES; a controller accepts twice as many, reads and writes, and drains between the same shares of its
# places.
QUEUES = dict(
    dram_queue=cited(128, f"{gtx580.MACSIM}: dram_buffer_size", sweep=[32]),
    requests=assumed(256, "as many reads and writes as the queue of the DRAM", sweep=[64, 512]),
    grant_latency=assumed(
        "5ns",
        "half of the DDR-T handshake, below Optane's 305 ns random read",
        sweep=[
            swept(whole, f"{MODULE}.ready_latency={half}", f"{CONTROLLER}.grant_latency={half}")
            for whole, half in (("0ns", "1fs"), ("75ns", "37500ps"))
        ],
        name="handshake",
    ),
    lookup=assumed("833ps", "a cycle of 1.2 GHz, charged to the answer", sweep=["3333ps"]),
    dram_timing=dram.TIMING,
    turnaround=TURNAROUND,
)


SM = dict(
    gtx580.SM,
    warp_slots=stated(
        80,
        "ZnG table I: max warps 80 per core",
        sweep=[
            swept(
                48,
                "gpu.sm[*].warp_slots=48",
                "gpu.sm[*].block_slots=8",
                "gpu.dispatcher.warp_slots=48",
                "gpu.dispatcher.block_slots=8",
            )
        ],
        name="warps",
    ),
    arithmetic_latency=inferred(
        1,
        "MacSim's file: schedule ooo, rob_size 1024; arithmetic within a warp issues out of order",
        used=["ohm-02", "ohm-03", "ohm-08", "ohm-18", "ohm-51"],
        sweep=[22, 25],
    ),
)


def platforms(mode):
    """The names of Ohm-GPU VI that there are in a mode."""
    return ["origin", *(PLANAR if mode == "planar" else TWO_LEVEL), "oracle"]


def machine_scale(mode, platform, program, controllers=None, **floors):
    """What the machine for this program has (ohm.scale.Scaled); `controllers` overrides how many
    memory controllers the scale leaves of the paper's six. `floors`, in bytes: `l1_floor` is the least capacity of an L1,
    `l2_floor` that of an L2 slice."""
    paper = {"origin": scale.OHM_ORIGIN, "oracle": scale.OHM_ORACLE[mode]}.get(platform, OHM[mode])
    return scale.scale(
        replace(paper, **floors), footprint(program), page=PAGE, modules=MODULES, controllers=controllers
    )


def planar(
    platform,
    program,
    size=None,
    seed=1,
    waveguides=1,
    migration_channel="shared",
    rings="array",
    host_page=dram.PAGE,
    contents=False,
    **dispatch,
):
    """The machine of one platform in planar mode.

    platform           one of platforms("planar")
    program            a workload.Program
    size               what the machine has; None: machine_scale("planar", platform, program)
    waveguides         side by side; each has the paper's 96 wavelengths (Fig. 20a)
    migration_channel  'shared', or 'dedicated': migration has a channel of its own (Fig. 8's oracle)
    host_page          bytes of a page that origin's host brings
    contents           whether the machine carries the values of the program (docs/models/contents.md)
    rings              'array' of pre-tuned rings, or 'single' ones that are tuned for 500 ps (IV-C)
    dispatch           parameters of gpu.Dispatcher, such as max_instructions

    Returns a Root with `program`, `gpu`, `memory`, `optics` if it is optical, `energy` (what its parts
    spend), and `scale` (what became of the proportions). Initially each group's first page is in DRAM, the others in XPoint; caches are
    cold.
    """
    return _machine(
        "planar", platform, program, size, seed, waveguides, migration_channel, rings, host_page, contents, dispatch
    )


def two_level(
    platform,
    program,
    size=None,
    seed=1,
    waveguides=1,
    migration_channel="shared",
    rings="array",
    host_page=dram.PAGE,
    contents=False,
    **dispatch,
):
    """The machine of one platform in two-level mode: DRAM is a direct-mapped cache of XPoint, cold at
    the start. As planar()."""
    return _machine(
        "two-level", platform, program, size, seed, waveguides, migration_channel, rings, host_page, contents, dispatch
    )


def _machine(mode, platform, program, size, seed, waveguides, migration_channel, rings, host_page, contents, dispatch):
    known = platforms(mode)
    check_known("platform", platform, known)
    optical = platform not in ELECTRICAL
    if not optical and (waveguides != 1 or rings != "array"):
        raise user_error(f"{platform} has no waveguides and no rings: its channels are electrical")
    if migration_channel != "shared" and platform in ("origin", "oracle"):
        raise user_error(f"{platform} migrates nothing: there is no dedicated channel for it")
    size = size or machine_scale(mode, platform, program)
    root = Root(seed=seed, contents=contents)
    root.program = program
    root.scale = proportions(size.invariants)
    root.gpu = gpu_of(size, **dispatch)
    root.program.dispatcher = root.gpu.dispatcher.host
    root.memory = System()
    if optical:
        root.optics = optics.channel(mode, platform, waveguides)
    if platform == "origin":
        dram.paged(root, size, ONE_WAY["hetero"], page=host_page)
    elif platform == "oracle":
        dram.resident(root, size, ONE_WAY["ohm-base"], dram.RANKS[mode] + MODULES, waveguides, dram.COMMAND_BITS)
    else:
        changes = dict(migration_channel=migration_channel, rings=rings, waveguides=waveguides)
        make = controller if mode == "planar" else two_level_controller
        root.memory.controller = [make(platform, size, i, **_link(mode, **changes)) for i in range(size.controllers)]
        swaps = SWAPS if mode == "planar" and "swap_function" in PLANAR[platform] else wired(0)
        root.memory.xpoint = [
            ohm.XpointModule(
                capacity=with_unit(size.xpoint // MODULES, "B"),
                channel_latency=ONE_WAY.get(platform, ONE_WAY["ohm-base"]),
                swaps=swaps,
                **XPOINT,
                **(MAPPED if platform == "hetero" else {}),
            )
            for _ in range(size.controllers * MODULES)
        ]
        connect(root.gpu.l2, root.memory.controller)
        for i, mc in enumerate(root.memory.controller):
            for m in range(MODULES):
                device = root.memory.xpoint[i * MODULES + m]
                mc.commands[m] = device.commands
                mc.transfers[m] = device.transfers
                if swaps:
                    mc.sequences[m] = device.dram[0]
    root.energy = components(energy.costs(mode, platform, size.controllers))
    return root


def testbed(data, program, seed=1, contents=False, **dispatch):
    """The computer of Fig. 3a: this GPU with all of its DRAM controllers, whose memory holds everything;
    a host and a Z-SSD.

    data      where the program's data is at the start: 'resident' (in the GPU), 'host' (in host memory)
              or 'drive' (on the drive)
    program   a workload.Program
    contents  whether the machine carries the values of the program (docs/models/contents.md)
    """
    size = machine_scale("planar", "oracle", program, controllers=6, l2_floor=L2_FLOOR)
    root = Root(seed=seed, contents=contents)
    root.program = program
    root.gpu = gpu_of(size, **dispatch)
    root.program.dispatcher = root.gpu.dispatcher.host
    root.memory = System()
    if data == "resident":
        dram.resident(root, size, ONE_WAY["hetero"], dram.RANKS["origin"])
        return root
    port = None
    if data == "drive":
        root.ssd = solid_state_drive("z_ssd")
        port = root.ssd.drive.host[0]
    dram.paged(root, size, ONE_WAY["hetero"], memory=up_to(size.footprint, dram.PAGE), drive=port)
    return root


def _link(mode, migration_channel, rings, waveguides):
    """Parameters of a controller that modes and options of the command line change."""
    changes = dict(dram_changes=dram.figures(dram.RANKS[mode], waveguides))
    if waveguides != 1:
        changes["width"] = CHANNELS["ohm-base"]["width"] * waveguides
    if rings == "single":
        changes["turnaround"] = TURNAROUND_SINGLE_RINGS
    if migration_channel != "shared":  # a parameter of both controllers
        changes["migration_channel"] = derived(migration_channel, from_="the option of Fig. 8")
    return changes


def gpu_of(size, **dispatch):
    """SMs with their L1s, the crossbar and one L2 slice for each controller (Table I); 64 B a cycle and slice,
    the default, are 77 GB/s: not slower than the channel behind it (60 GB/s)."""
    return gpu(
        sms=size.sms,
        slices=size.controllers,
        interleave=INTERLEAVE,
        memory=None,
        clock=gtx580.CLOCK,
        dispatcher={
            n: v if source_of(v) else derived(v, from_="the region that is simulated") for n, v in dispatch.items()
        },
        sm=SM,
        l1=dict(capacity=with_unit(size.l1, "B"), **gtx580.CACHES),
        l2=dict(capacity=with_unit(size.l2_slice * size.controllers, "B"), **gtx580.CACHES, **gtx580.L2),
    )


def controller(platform, size, index, **changes):
    return ohm.PlanarController(
        controllers=wired(size.controllers),
        index=wired(index),
        dram=with_unit(size.dram, "B"),
        modules=MODULES,
        page=assumed(f"{PAGE}B", "a DRAM row", sweep=["1KiB"]),
        hot_threshold=cited(6, "PoM, MICRO'14", sweep=[1, 18, 48]),
        postponed=assumed(32, "a warp's requests", sweep=[8, 128]),
        swaps=SWAPS,
        **{**QUEUES, **PLANAR[platform], **changes},
    )


def two_level_controller(platform, size, index, **changes):
    return ohm.TwoLevelController(
        controllers=wired(size.controllers),
        index=wired(index),
        dram=with_unit(size.dram, "B"),
        ratio=size.xpoint // size.dram,
        line=assumed("128B", "the L2's, one access for all", sweep=["256B"]),
        patience=inferred("0fs", f"{_BLOCKS}; an eviction is a migration, too", sweep=["1us", "10us"]),
        evictions=assumed(64, "as many as the write buffer has lines", sweep=[4, 16, 128]),
        modules=MODULES,
        interleave=INTERLEAVE,
        **{**QUEUES, **TWO_LEVEL[platform], **changes},
    )


def each(scale="tiny"):
    """(mode, platform, machine) of each platform in each mode, with a program of that scale."""
    for mode, build in (("planar", planar), ("two-level", two_level)):
        for platform in platforms(mode):
            program, region = workloads.program("backp", scale)
            warm_up = workloads.warm_up(region["max_instructions"])
            yield mode, platform, build(platform, program, pause_at_instructions=warm_up, **region)
