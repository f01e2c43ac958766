"""CMD's ten platforms on one controller's share of Table II's GPU.

`machine(platform, program, ...)` builds any of them; values stand in Table II or are assumptions of docs/models/cmd.md.
"""

from ... import Root, cmd, mem
from ...model.energy import components
from ...errors import check_known, user_error
from ...systems.interleave import Interleave, join
from ...systems.processor import gpu
from ...systems.scale import components as proportions
from ...systems.scale import footprint as footprint_of
from . import energy, scale

CLOCK = "1365MHz"
INTERLEAVE = "256B"
ENTRY = 22  # bytes of an entry of the hash store: 16 of hash, 4 of reference, 2 of count
BCD_STORE = 56 << 10  # bytes of 128 bases and 320 differences of 128 (compression=bcd)
FIFO = 16  # sectors of a slice's read-only FIFO (IV-D)
SECTOR = 32
QUEUE = 256  # of what a slice of the L2 sends below
BEHIND_L2 = 48  # cycles from a slice of the L2 to what is behind it


def cycles(n, hertz=1365e6):
    """n cycles as a time."""
    return f"{round(n * 1e15 / hertz)}fs"


# What is in front of the memory controller. `fifo`: the L2's slices have read-only FIFOs; `ways`: of the L2.
NOTHING = dict(detection="none", intra="nowhere", assisted_read=False)
HASHED = dict(
    detection="md5", intra="block", assisted_read=False
)  # without CAR the data are fetched: the notes' reading
ASSISTED = dict(detection="md5", intra="map", assisted_read=True)
PLATFORMS = {
    "baseline": dict(front=NOTHING),
    "l2-5mb": dict(front=NOTHING, ways=20),
    "bpc": dict(front=dict(NOTHING, compression="bpc")),
    "bcd": dict(front=dict(NOTHING, compression="bcd")),
    "esd": dict(front=dict(NOTHING, detection="ecc")),
    "dedup": dict(front=HASHED),
    "dedup-no-latency": dict(front=dict(HASHED, detection="md5(round_cycles=0, interval=0)")),
    "dedup-car": dict(front=ASSISTED),
    "cmd": dict(front=ASSISTED, fifo=True),
    "cmd-bpc": dict(front=dict(ASSISTED, compression="bpc"), fifo=True),
}

# Who has what an option of configs/cmd.py changes, and what that is.
OF_OPTIONS = {
    "fifo": ("read-only FIFO", [p for p, has in PLATFORMS.items() if has.get("fifo")]),
    "hash_share": (
        "store of hashes or check bits",
        [p for p, has in PLATFORMS.items() if has["front"]["detection"] != "none"],
    ),
    "tables_share": ("metadata caches", [p for p, has in PLATFORMS.items() if has["front"] != NOTHING]),
}


def platforms():
    """Their names, in the order of the evaluation."""
    return list(PLATFORMS)


def check_options(platform, **told):
    """Refuses a platform that there is not, and an option (of OF_OPTIONS; None: not told) that it has nothing for."""
    check_known("platform", platform, PLATFORMS)
    for option, value in told.items():
        what, owners = OF_OPTIONS[option]
        if value is not None and platform not in owners:
            raise user_error(
                f"{option.replace('_', '-')} {value:g}: platform '{platform}' has no {what}; those that have "
                f"are {', '.join(owners)}"
            )


def machine(platform, program, size=None, seed=1, bandwidth=224, fifo=None, **dispatch):
    """The machine of one platform.

    platform    one of platforms()
    program     the workload.Program that it runs
    size        what the machine has; None: scale.scale() of the program's footprint
    bandwidth   of the paper's eight controllers together, in GB/s: 224, 448 or 896
    fifo        sectors of each read-only FIFO; None: 16, as the paper's, where the platform has FIFOs
    dispatch    parameters of gpu.Dispatcher, such as max_instructions

    Returns a Root with `program`, `gpu` (dispatcher, sm, l1, network, l2), `fifo` where there are some, `join`, `front`
    (a cmd.Deduplicator), `dram`, `energy` (what its parts spend), and `scale` (what became of the proportions). Caches are cold, and no block was
    written back.
    """
    check_options(platform, fifo=fifo)
    if bandwidth not in (224, 448, 896):
        raise user_error(f"a bandwidth of {bandwidth} GB/s is none of 224, 448 and 896")
    chosen = PLATFORMS[platform]
    bytes_of_program = footprint_of(program)
    size = size or scale.scale(bytes_of_program)
    ways, has_fifo = chosen.get("ways", scale.L2_WAYS), chosen.get("fifo", False)
    root = Root(seed=seed, contents=True)
    root.program = program
    root.scale = proportions(size.invariants)
    part = root.gpu = gpu(
        sms=size.sms,
        slices=scale.SLICES,
        interleave=INTERLEAVE,
        memory=None,
        clock=CLOCK,
        dispatcher=dict(registers=65536, shared="64KiB", **dispatch),
        sm=dict(warp_slots=32, block_slots=16, schedulers=4, scheduler="loose_round_robin", arithmetic_latency=4),
        l1=dict(
            capacity=f"{size.l1}B",
            ways=scale.L1_WAYS,
            latency=cycles(20),
            accesses_per_cycle=4,
            banks=4,
            write_policy="write_through",
            write_allocate=True,
            fetch_on_write=False,
            mshrs=256,
            targets=8,
            outstanding=512,
            set_hash="linear",
        ),
        network=dict(width="32B", latency=cycles(80), queue=64, buffer=64),
        l2=dict(
            capacity=f"{size.l2 * ways // scale.L2_WAYS}B",
            ways=ways,
            latency=cycles(1),
            miss_latency=cycles(1 if has_fifo else BEHIND_L2),
            fetch_on_write=False,
            mshrs=192,
            targets=4,
            queue=64,
            mem_queue=64,
            fill_port=True,
            control_ports=1,
            set_hash="linear",
        ),
    )
    over_one = Interleave(1, INTERLEAVE)
    # The L2's latency lies on the way below it: what is under way there must fit the queues at its end.
    root.join = join(scale.SLICES, 1, part.interleave, width="64B", clock=CLOCK, latency="1fs", queue=QUEUE)
    root.front = cmd.Deduplicator(
        capacity=f"{-(-bytes_of_program // 65536) * 65536}B",
        interleave=INTERLEAVE,
        clock=CLOCK,
        queue=QUEUE,
        slices=scale.SLICES,
        hash_entries=size.hash_entries,
        hash_ways=scale.HASH_WAYS,
        map_cache=f"{size.map}B",
        type_cache=f"{size.type}B",
        mask_cache=f"{size.mask}B",
        metadata_ways=scale.CACHE_WAYS,
        **chosen["front"],
    )
    times = bandwidth // 224
    faster = f"rate={28.004 * times}GB/s tCCD_S={cycles(4 / times, 3500.5e6)} tCCD_L={cycles(4 / times, 3500.5e6)}"
    root.dram = mem.DramController(
        timing="cmd_gddr6",
        capacity="1GiB",
        map="RoBaCoChCl",
        read_queue=64,
        changes=faster if times > 1 else "",
        latency=cycles(52),
        **over_one.channel(0),
    )
    if has_fifo:  # it is looked at beside the L2: what it has does not go the way to memory
        root.fifo = [
            mem.VictimBuffer(sectors=FIFO if fifo is None else fifo, miss_latency=cycles(BEHIND_L2 - 1), queue=QUEUE)
            for _ in part.l2
        ]
    for i, l2 in enumerate(part.l2):
        below = root.join[0].cpu_side[i]
        if has_fifo:
            l2.mem_side = root.fifo[i].cpu_side
            root.fifo[i].mem_side = below
        else:
            l2.mem_side = below
        root.front.caches[i] = l2.control[0]
    root.join[0].mem_side[0] = root.front.cpu_side
    root.front.mem_side = root.dram.cpu_side
    program.dispatcher = part.dispatcher.host
    root.energy = components(energy.costs(on_chip(platform, size, fifo or FIFO)))
    return root


def on_chip(platform, size, fifo=FIFO):
    """What a platform has on the chip of one controller's share, and what looks into it."""
    chosen = PLATFORMS[platform]
    front, sectors = chosen["front"], scale.SLICES * fifo
    compression, detection = front.get("compression", "none"), front["detection"]
    looks = {"none": (), "ecc": ("writes",)}.get(detection, ("hashed",))
    return energy.OnChip(
        l2=size.l2 * chosen.get("ways", scale.L2_WAYS) // scale.L2_WAYS,
        tables=0 if front == NOTHING else size.metadata,
        store=size.hash_entries * ENTRY if looks else 0,
        looks=(*looks, *(["intra"] if front["intra"] == "block" else [])),
        fifo=sectors * SECTOR if chosen.get("fifo") else 0,
        bases=BCD_STORE if compression == "bcd" else 0,
        compresses=compression != "none",
    )
