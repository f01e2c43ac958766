"""Ohm-GPU's platforms in both modes as tables: channels, migration, XPoint modules and queues.

Values are of Table I of the paper, or assumptions (docs/models/assumptions.md).
"""

from dataclasses import dataclass, field

from ...model.provenance import assumed, cited, derived, inferred, stated, swept, with_unit
from ...systems import gtx580
from ...systems.parameters import Parameters
from . import dram

PLAIN: Parameters = {}


@dataclass(frozen=True)
class Platform:
    """What distinguishes a platform with XPoint in a mode.

    controller  parameters of its memory controllers
    optics      parts of its optical.Channel besides the plain routes, and the laser factor; None: its channels are
                electrical
    """

    controller: Parameters
    optics: Parameters | None = field(default_factory=lambda: PLAIN)


CONTROLLER, MODULE = "memory.controller[*]", "memory.xpoint[*]"
OPTICAL = "ohm-base", "auto-rw", "ohm-wom", "ohm-bw"
COPYING, DUAL = ("hetero", "ohm-base", "auto-rw"), ("ohm-wom", "ohm-bw")
# The channels of the platforms. 32 bit x 15 GHz and 16 bit x 30 GHz are both
# 60 GB/s. An electrical channel has no SerDes; its flight is 10 cm at 6.7 ps/mm (assumption: FR-4).
# The XPoint modules have the one-way latency as a parameter, 2 x serdes + flight; the controller compares it.
# Commands and addresses are on the light, 8 bytes with a line of 128 (III-A); wires have lanes for them.
CHANNELS: dict[str, Parameters] = {
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
# In planar mode platforms differ in the traffic of their optical channel and in the work that XPoint controllers do
# without the memory controller (Ohm-GPU IV-B, V-B): Ohm-WOM and Ohm-BW swap pages over the memory route, so there is
# nothing to snarf.
# While the memory controller copies a page, it "can still issue memory requests ... to access DRAM/XPoint, which
# are not busy", and the copy "blocks the memory channel, which postpones the data response" (III-B): nothing is
# served from its buffer, migration precedes requests, and data of requests wait for the end of the copy.
_NOT_BUSY = "Ohm-GPU III-B: during a swap requests access DRAM/XPoint, which are not busy"
BLOCKS = "Ohm-GPU III-B: the swap blocks the memory channel, which postpones the data response"
_COPIES: Parameters = dict(
    buffer_reads=inferred(False, _NOT_BUSY, sweep=[True]),
    swap_patience=inferred("0fs", BLOCKS, sweep=["1us", "10us"]),
    swap_hold=inferred("channel", BLOCKS, sweep=["nothing", "controller"]),
    held_reads=assumed(32, "half of a module's read buffer", sweep=[0, 8]),
)
_SWAPS: Parameters = dict(
    CHANNELS["ohm-base"],
    swap_function=stated(True, "Ohm-GPU IV-B, V-B"),
    behind_writes=stated(True, "Ohm-GPU VI-A"),
    buffer_reads=inferred(False, _NOT_BUSY),
    swap_patience=assumed(
        "1us", "Ohm-GPU VI-A: a swap by XPoint waits for writes; three unloaded swaps", sweep=["0ns", "10us"]
    ),
    swap_command=assumed("16B", "two addresses of 6 bytes, size and number", sweep=["8B", "64B"]),
)
OPTICS = "Ohm-GPU IV-B, V-B; laser factors: VI"
PLANAR: dict[str, Platform] = {
    "hetero": Platform(dict(CHANNELS["hetero"], **_COPIES, routes=stated("electrical", "Ohm-GPU VI")), optics=None),
    "ohm-base": Platform(dict(CHANNELS["ohm-base"], **_COPIES)),
    "auto-rw": Platform(
        dict(CHANNELS["ohm-base"], **_COPIES, auto_rw=AUTO_RW),
        optics=stated(dict(auto_rw=True, laser_factor=2), OPTICS),
    ),
    "ohm-wom": Platform(
        dict(_SWAPS, routes=stated("wom", "Ohm-GPU V-B")),
        optics=stated(dict(swap=True, coding="wom", laser_factor=2), OPTICS),
    ),
    "ohm-bw": Platform(
        dict(_SWAPS, routes=stated("half_coupled", "Ohm-GPU V-B")),
        optics=stated(dict(swap=True, coding="half_coupled", laser_factor=4), OPTICS),
    ),
}
# In two-level mode platforms differ also in the work of the XPoint controller: it snarfs victims on the channel and
# writes them (auto-read/write), and sends missing lines to the DRAM itself (reverse-write; IV-B). Meanwhile the memory
# controller "stops issuing new memory requests" until XPoint's completion signal (V-A); requests that it has issued
# continue. ohm-wom and ohm-bw differ in rings and laser alone: nothing is swapped. A migration keeps the channel busy
# as in planar mode: an eviction precedes requests.
REVERSE_WRITE: Parameters = dict(
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
TWO_LEVEL: dict[str, Platform] = {
    "hetero": Platform(CHANNELS["hetero"], optics=None),
    "ohm-base": Platform(CHANNELS["ohm-base"]),
    "auto-rw": Platform(
        dict(CHANNELS["ohm-base"], auto_rw=AUTO_RW), optics=stated(dict(auto_rw=True, laser_factor=2), OPTICS)
    ),
    "ohm-wom": Platform(REVERSE_WRITE, optics=stated(dict(auto_rw=True, reverse_write=True, laser_factor=2), OPTICS)),
    "ohm-bw": Platform(REVERSE_WRITE, optics=stated(dict(auto_rw=True, reverse_write=True, laser_factor=4), OPTICS)),
}
MODES = {"planar": PLANAR, "two-level": TWO_LEVEL}
# A route selects a pre-tuned ring in 100 ps; a single ring that is tuned to the half-coupled state takes 500 ps
# (IV-C). The paper gives no other turnaround, so wires have the same.
TURNAROUND = assumed(
    "100ps",
    "a ring's tuning (Ohm-GPU IV-C), on wires too",
    sweep=["500ps", "2ns", swept("single", arguments=("--rings", "single"), platforms=OPTICAL, name="rings")],
)
TURNAROUND_SINGLE_RINGS = stated("500ps", "Ohm-GPU IV-C: a single ring that is tuned to the half-coupled state")
PAGE = assumed(2048, "unit of mapping and swap: a DRAM row, in bytes")
INTERLEAVE = with_unit(PAGE, "B")  # of addresses over controllers: page by page
SWAPS = assumed(  # in progress in a controller
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
BUFFERS = "VANS (MICRO'20), config/vans.cfg, [rmw]: lsq_entries 64, buffer_entries 64"
XPOINT: Parameters = dict(
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
    psi=assumed(100, "as Start-Gap (MICRO'09) is quoted; not looked up", sweep=[10, 1000]),
)
# Hetero's XPoint controllers keep their map in an external DRAM (II-C). A read waits for the map's tRCD and tCL (17.1
# ns) and for the handshake. Start-Gap needs no map (III-A).
MAPPED: Parameters = dict(
    ready_latency=inferred(
        "22143ps",
        "Ohm-GPU II-C: the map is in an external DRAM, whose tRCD and tCL a read waits for",
        sweep=[swept("none", to="5ns")],
        name="Hetero's map",
    )
)
# As gtx580.DRAM_QUEUES; a controller accepts twice as many, reads and writes, and drains between the same shares of its
# places.
QUEUES: Parameters = dict(
    dram_queue=cited(128, f"{gtx580.MACSIM_DEFAULTS}: dram_buffer_size 128", sweep=[32]),
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


SM: Parameters = dict(
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
