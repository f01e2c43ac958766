"""CMD's ten platforms on one controller's share of Table II's GPU.

`machine(platform, program, ...)` builds any of them; values are from Table II or are assumptions (docs/models/assumptions.md).
"""

from ... import Root, cmd, mem
from ...model.energy import components
from ...errors import check_known, user_error
from ...model.provenance import assumed, cited, derived, inferred, options, source_of, stated, swept, wired, with_unit
from ...systems.interleave import Interleave, join
from ...systems.processor import gpu
from ...systems.scale import components as proportions
from ...systems.scale import footprint as footprint_of
from . import energy, scale, workloads

TABLE_II = "CMD table II"
RTX2060 = "GPGPU-Sim's SM75_RTX2060"
CLOCK = stated("1365MHz", TABLE_II)
THREE_TIMES = "tCL=17.1ns tRP=17.1ns tRCDRD=17.1ns tRCDWR=17.1ns tRAS=42.9ns tRC=60ns tWR=17.1ns"
INTERLEAVE = cited("256B", RTX2060)
ENTRY = 22  # bytes of an entry of the hash store: 16 of hash, 4 of reference, 2 of count
BCD_STORE = 56 << 10  # bytes of 128 bases and 320 differences of 128 (compression=bcd)
FIFO = stated(16, "CMD IV-D: sectors of a slice's read-only FIFO")
SECTOR = 32
QUEUE = assumed(256, "of what a slice of the L2 sends below: all that is under way there")
BEHIND_L2 = assumed(48, "cycles from a slice of the L2 to what is behind it: half of a miss's latency")


def cycles(n, hertz=1365e6):
    """n cycles as a time."""
    text = f"{round(float(n) * 1e15 / hertz)}fs"
    return derived(text, from_=n) if source_of(n) else text


# What is in front of the memory controller. `fifo`: the L2's slices have read-only FIFOs; `ways`: of the L2.
NOTHING = stated(dict(detection="none", intra="nowhere", assisted_read=False), "CMD, evaluation: without deduplication")


def _policy(parameter, policy, values, name=""):
    """Values of one parameter of a policy that the front names, each as a Swept."""
    chosen, _, own = policy.partition(".")
    return [swept(v, f"front.{parameter}={chosen}({own}={v})", name=name) for v in values]


TABLES = dict(
    table_cycles=stated(20, "CMD table II", sweep=[0, 40]),
    metadata_ways=assumed(8, "ways of each table's cache; 0: one set of all lines", sweep=[4, 0]),
    metadata_mshrs=assumed(8, "lines on their way to each table's cache", sweep=[4, 32]),
)
WHOLE = dict(
    whole_tables=inferred(False, "CMD IV: once the read type is known", sweep=[True], name="tables asked for at once"),
    sectors_alone=assumed(
        False,
        "equation 1 names sectors; the bytes that a partly written one lacks are read, too",
        sweep=[True],
        name="equation 1 by sectors alone",
    ),
)
STORE = dict(
    writes=assumed(
        96, "a hash queue of 32 and the 57 that a pipelined unit holds", sweep=[32, 256], name="writes under way"
    ),
    hash_ways=assumed(16, "ways of the hash store; 0: one set of all entries", sweep=[8, 0]),
    donor_tries=assumed(
        8,
        "pieces of flags, then a block whose data lie in the written block's place; 2^20: all pieces",
        sweep=[1, 1 << 20],
        name="pieces of flags searched for a donor",
    ),
)
MD5 = stated(
    "md5",
    "CMD IV-E: MD5 of 128 bytes in 228 cycles",
    sweep=_policy("detection", "md5.interval", (76, 228)),
    name="hash interval",
)
UNHASHED = dict(  # dedup without a latency: no assumption of the hash unit is left
    intra=inferred(
        "block",
        "CMD IV-C: without CAR the data are fetched",
        sweep=[swept("map", platforms=("dedup",))],
        name="intra-duplicates of dedup",
    ),
    assisted_read=stated(False, "CMD, evaluation: dedup has no CAR"),
    **TABLES,
)
HASHED = dict(UNHASHED, detection=MD5, **STORE, **WHOLE)
ASSISTED = dict(
    detection=MD5,
    **stated(dict(intra="map", assisted_read=True), "CMD IV-C"),
    copy_cycles=assumed(20, "to look for a sector in the L2 and copy it", sweep=[10, 60]),
    look_takes_bank=assumed(False, "beside the L2's own accesses", sweep=[True]),
    **TABLES,
    **STORE,
    **WHOLE,
)


def _times(policy):
    return [
        *_policy("compression", f"{policy}.pack_cycles", (0, 40), "time to compress"),
        *_policy("compression", f"{policy}.unpack_cycles", (0, 40), "time to expand"),
    ]


BPC = cited("bpc", "Kim et al., ISCA'16", sweep=_times("bpc"))
BCD = stated(
    "bcd",
    "CMD, evaluation: compared scheme; its bases on CMD's area",
    sweep=[
        *_times("bcd"),
        *_policy("compression", "bcd.cluster_bits", (8, 24), "bits of a cluster"),
        *_policy("compression", "bcd.bases", (32, 512), "bases"),
    ],
)
PLATFORMS = {
    "baseline": dict(front=NOTHING),
    "l2-5mb": dict(front=NOTHING, ways=stated(20, "CMD, evaluation: an L2 of 5 MB")),
    "bpc": dict(front=dict(NOTHING, compression=BPC, **TABLES)),
    "bcd": dict(front=dict(NOTHING, compression=BCD, **TABLES)),
    "esd": dict(front=dict(NOTHING, detection=stated("ecc", "CMD, evaluation: compared scheme"), **TABLES, **WHOLE)),
    "dedup": dict(front=HASHED),
    "dedup-no-latency": dict(
        front=dict(UNHASHED, detection=stated("md5(round_cycles=0, interval=0)", "CMD, evaluation: no latency"))
    ),
    "dedup-car": dict(front=ASSISTED),
    "cmd": dict(front=ASSISTED, fifo=True),
    "cmd-bpc": dict(front=dict(ASSISTED, compression=BPC), fifo=True),
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


def check_options(platform, **given):
    """Refuses an unknown platform, and an option of OF_OPTIONS (None: not given) that does not apply to the platform."""
    check_known("platform", platform, PLATFORMS)
    for option, value in given.items():
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
        dispatcher=dict(
            **stated(dict(registers=65536, shared="64KiB"), TABLE_II),
            **derived(dispatch, from_="the region that the run simulates"),
        ),
        sm=dict(
            **stated(dict(warp_slots=32, schedulers=4), f"{TABLE_II}: 1024 threads of 32 a warp; 4 schedulers"),
            block_slots=assumed(16, f"the paper states none; {RTX2060} has 32"),
            scheduler=assumed("loose_round_robin", f"the paper states none; {RTX2060} has greedy_then_oldest"),
            arithmetic_latency=cited(4, f"{RTX2060}: ptx_opcode_latency_fp"),
        ),
        l1=dict(
            capacity=with_unit(size.l1, "B"),
            ways=scale.L1_WAYS,
            latency=cited(cycles(20), f"{RTX2060}: 20 cycles"),
            **cited(
                dict(banks=4, write_policy="write_through", mshrs=256, targets=8), f"{RTX2060}: l1_banks, cache:dl1"
            ),
            accesses_per_cycle=assumed(4, "one of each bank"),
            **assumed(
                dict(write_allocate=True, fetch_on_write=False),
                f"sectors that are written in full are kept; {RTX2060} allocates none for a write",
            ),
            outstanding=assumed(512, "twice the misses"),
            set_hash=assumed("linear", "the paper states no hash of sets"),
        ),
        network=dict(
            width=stated("32B", TABLE_II),
            latency=cited(cycles(80), f"{RTX2060}: half of 160 cycles each way"),
            **assumed(
                dict(queue=64, buffer=64), f"as the queues of a partition; {RTX2060} has 512 places in its network"
            ),
        ),
        l2=dict(
            capacity=with_unit(size.l2 * ways // scale.L2_WAYS, "B"),
            ways=ways,
            latency=assumed(
                cycles(1),
                "the L2's latency lies on the way below it",
                sweep=[swept("100 cycles", "gpu.l2[*].latency=73.3ns")],
                name="L2 latency",
            ),
            miss_latency=derived(cycles(1), from_=["the FIFO has the rest", BEHIND_L2])
            if has_fifo
            else cycles(BEHIND_L2),
            **cited(dict(fetch_on_write=False, mshrs=192, targets=4, queue=64, fill_port=True), RTX2060),
            mem_queue=assumed(64, "as its queue above"),
            control_ports=wired(1),
            set_hash=assumed("linear", "the paper states no hash of sets"),
        ),
    )
    over_one = Interleave(1, INTERLEAVE)
    # The L2's latency lies on the way below it: what is under way there must fit the queues at its end.
    root.join = join(
        scale.SLICES,
        1,
        part.interleave,
        **assumed(dict(width="64B", latency="1fs"), "as wide as both slices, without a time of its own"),
        clock=CLOCK,
        queue=QUEUE,
    )
    root.front = cmd.Deduplicator(
        capacity=derived(f"{-(-bytes_of_program // 65536) * 65536}B", from_="what the program needs"),
        interleave=INTERLEAVE,
        clock=CLOCK,
        queue=QUEUE,
        slices=scale.SLICES,
        hash_entries=size.hash_entries,
        map_cache=with_unit(size.map, "B"),
        type_cache=with_unit(size.type, "B"),
        mask_cache=with_unit(size.mask, "B"),
        **chosen["front"],
    )
    times = bandwidth // 224
    faster = f"rate={28.004 * times}GB/s tCCD_S={cycles(4 / times, 3500.5e6)} tCCD_L={cycles(4 / times, 3500.5e6)}"
    root.dram = mem.DramController(
        timing=stated("cmd_gddr6", TABLE_II, sweep=options("--bandwidth", 448, 896), name="bandwidth"),
        capacity=derived("1GiB", from_="more than any program needs"),
        map=assumed("RoBaCoChCl", f"rows, banks, columns as {RTX2060}, without its bank bit among the columns"),
        read_queue=cited(64, f"{RTX2060}: gpgpu_frfcfs_dram_sched_queue_size"),
        changes=inferred(
            faster if times > 1 else "",
            "CMD table II: cycles as printed, 5.7 ns, are a third of real GDDR6",
            sweep=[swept("3x", f"dram.changes={THREE_TIMES}")],
            name="GDDR6 of three times the cycles",
        ),
        latency=assumed(cycles(52), "the other half of a miss's latency"),
        **over_one.channel(0),
    )
    if has_fifo:  # it is looked at beside the L2: what it has does not go the way to memory
        root.fifo = [
            mem.VictimBuffer(
                sectors=FIFO if fifo is None else derived(fifo, from_="Fig. 18's sizes"),
                miss_latency=cycles(BEHIND_L2 - 1),
                queue=QUEUE,
            )
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


def each(scale="tiny"):
    """(mode, platform, machine) of each platform, with a program of that scale."""
    for platform in platforms():
        program, limit = workloads.program("bp", scale)
        yield "", platform, machine(platform, program, max_instructions=limit)
