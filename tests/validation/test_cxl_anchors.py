"""CXL expanders and CXL-SSDs compared with simulators and real devices (docs/validation.md).

Nothing is fitted: a row's layers are those of our presets, or latencies that the peer's own configuration states.
"""

from dataclasses import dataclass

import pytest

import memsim
from memsim import cxl, mem
from memsim.systems.cxl_gpu import media
from memsim.systems.interleave import Interleave
from validation import document

LATENCY, BANDWIDTH, QUEUES, SSD = (
    "CXL expanders: latency",
    "CXL expanders: bandwidth",
    "CXL expanders: outstanding requests",
    "CXL-SSDs: latency",
)


def layers(host_ns, device_ns, bridge_ns):
    """A controller for both ends of a link, from the latencies of a message in the host, in the device and in the bridge
    between them in each direction: each end has half of the sum."""

    def end(ns):
        return f"{round(ns * 500)}ps"

    return f"ours(conversion={end(host_ns + device_ns)}, transaction=0fs, link=0fs, physical={end(bridge_ns)})"


# CXL-DMSim at 1c067ee (2024-10-16): x86_board.py. CXL-SSD-Sim at fdee61c: FSConfig.py, CxlMemory.py; its device has
# 25 ns once, there and back together.
ASIC, FPGA = layers(14, 15, 50), layers(14, 60, 50)
SSD_SIM = layers(0, 12.5, 25)

# Sub-channels of 32 bit, or one channel of 64 bit.
DIMM, DDR4 = ("ddr5_4800", 2), ("ddr4_3200", 1)


@dataclass
class Linked:
    """A link of 8 lanes and a memory, without propagation delay, for which the peers have no figure."""

    controller: str
    credits: int = 64

    def before(self, root, memory):
        end = dict(controller=self.controller, flight="0fs", credits=self.credits)
        root.host, root.device = cxl.RootPort(**end, queue=256), cxl.DevicePort(**end)
        root.host.flits_out, root.device.flits_out = root.device.flits_in, root.host.flits_in
        root.device.mem_side = memory
        return root.host.cpu_side


def dram(root, preset, channels):
    share = Interleave(channels, "64B")
    root.crossbar = mem.Crossbar(**share.crossbar, clock="100GHz", width="4KiB", latency="1fs", queue=256, buffer=256)
    root.dram = [mem.DramController(timing=preset, map="RoRaBaCoBgCh", **share.channel(i)) for i in range(channels)]
    for i, channel in enumerate(root.dram):
        root.crossbar.mem_side[i] = channel.cpu_side
    return root.crossbar.cpu_side[0]


def run(memory, link=None, warm=None, **traffic):
    """Statistics of a generator of 64-byte requests before the memory that memory(root) builds: mean latency of reads
    in ns, GB/s. Not counted is what happens until `warm`."""
    root = memsim.Root(seed=1)
    side = memory(root)
    root.generator = mem.TrafficGen(size=64, **traffic)
    root.generator.mem_side = link.before(root, side) if link else side
    with memsim.Simulation(root) as simulation:
        if warm:
            simulation.simulate(warm)
            simulation.stats.reset()
        assert simulation.simulate().cause == "nothing left to do"
        stats = root.generator.stats
        return stats.read_latency.mean if stats.reads else None, stats.bandwidth / 1e9


def latency(preset, link=None):
    """The latency of single reads. A chain of reads could synchronise with refresh; one every 997 ns samples all its phases."""
    return run(lambda root: dram(root, *preset), link, pattern="random", period="997ns", requests=4000)[0]


# Device, memory, load-to-use of local memory and of the expander in ns, and where they are from. CXL-DMSim and its
# authors' devices: LMbench lat_mem_rd, random, 1 GiB, as the scripts that plot their figures have it, two series.
EXPANDERS = [
    ("CXL-DMSim, ASIC", DIMM, 136.2, 286.9, "simulated"),
    ("CXL-DMSim, FPGA", DDR4, 136.2, 378.8, "simulated"),
    ("ASIC of its authors, series 1", DIMM, 131.5, 284.9, "measured"),
    ("ASIC of its authors, series 2", DIMM, 137.5, 284.1, "measured"),
    ("FPGA of its authors, series 1", DDR4, 131.5, 382.9, "measured"),
    ("FPGA of its authors, series 2", DDR4, 137.5, 379.7, "measured"),
    ("A1000 (EuroSys'24)", DIMM, 97, 250.4, "measured; from memory"),
]


@pytest.fixture(autouse=True)
def in_tmp(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)


def test_load_to_use_beside_peers():
    near = latency(DIMM)
    rows = []
    for name, preset, local, far, source in EXPANDERS:
        own = FPGA if "FPGA" in name else ASIC
        added = [latency(preset, Linked(controller)) - near for controller in (own, "ours", "smt")]
        rows.append(
            [
                name,
                source,
                local,
                far,
                f"{far - local:.1f}",
                *(cell for one in added for cell in (f"{one:.1f}", document.percent(one, far - local, 10))),
                f"{local + added[0]:.1f}",
                document.percent(local + added[0], far, 10),
            ]
        )
        if source == "simulated":
            assert local + added[0] == pytest.approx(far, rel=0.10), name
    document.table(
        LATENCY,
        "A read alone, ns: what an expander adds to the local memory of the same processor",
        [
            "device",
            "",
            "local",
            "far",
            "added: theirs",
            "CXL-DMSim's layers",
            "%",
            "ours",
            "%",
            "smt, tpp",
            "%",
            "far, CXL-DMSim's layers",
            "%",
        ],
        rows,
    )


def test_a_link_adds_its_layers_and_flits():
    """With a memory without refresh: 4 times the layers of an end, and 3 flits of 2.125 ns."""

    def alone(link=None):
        def memory(root):
            root.memory = mem.SimpleMemory(latency="50ns", bandwidth="1000GB/s")
            return root.memory.cpu_side

        return run(memory, link, warm="1us", outstanding=1, requests=100)[0]  # without the link's initialisation

    for controller, sum_ns in (ASIC, 2 * (14 + 15 + 50)), (FPGA, 2 * (14 + 60 + 50)), ("ours", 60), ("smt", 240):
        assert alone(Linked(controller)) - alone() == pytest.approx(sum_ns + 3 * 2.125, abs=0.1), controller


# Reads of all requests, as MLC's mixes and STREAM's kernels have them: a store that misses reads its line first.
MIXES = {"all reads": "100%", "3:1": "75%", "2:1": "666667ppm", "1:1": "50%", "all writes": "0%"}

# Device, memory, layers, mix, GB/s, where it is from. STREAM counts 16 of 24 bytes of Scale, 24 of 32 of Triad.
CACHELIB, AUTHORS = "E3.S x8 (CacheLib)", "of CXL-DMSim's authors, STREAM"
RATES = [
    (CACHELIB, DIMM, ASIC, "all reads", 17.8, "measured"),
    (CACHELIB, DIMM, ASIC, "3:1", 23.6, "measured"),
    (CACHELIB, DIMM, ASIC, "2:1", 25.1, "measured"),
    (CACHELIB, DIMM, ASIC, "1:1", 27.2, "measured"),
    (f"ASIC {AUTHORS} Scale", DIMM, ASIC, "2:1", 16.82 * 24 / 16, "measured"),
    (f"ASIC {AUTHORS} Triad", DIMM, ASIC, "3:1", 18.86 * 32 / 24, "measured"),
    (f"FPGA {AUTHORS} Scale", DDR4, FPGA, "2:1", 9.17 * 24 / 16, "measured"),
    (f"FPGA {AUTHORS} Triad", DDR4, FPGA, "3:1", 10.47 * 32 / 24, "measured"),
    ("CXL-A (MICRO'23), DDR5-4800", DIMM, ASIC, "all reads", 0.46 * 38.4, "measured; from memory"),
    ("CXL-C (MICRO'23), DDR4-3200", DDR4, FPGA, "all reads", 0.20 * 25.6, "measured; from memory"),
]


def under_load(preset, link, mix, **traffic):
    return run(
        lambda root: dram(root, *preset),
        link,
        read_share=MIXES[mix],
        **{"outstanding": 256, "requests": 20_000, **traffic},
    )


def test_bandwidth_beside_measured_devices():
    rows, done = [], {}
    for name, preset, controller, mix, theirs, source in RATES:
        if (preset, controller, mix) not in done:
            done[preset, controller, mix] = [
                under_load(preset, Linked(controller), mix, pattern=pattern)[1] for pattern in ("sequential", "random")
            ]
        ours = done[preset, controller, mix]
        rows.append(
            [
                name,
                source,
                mix,
                f"{theirs:.1f}",
                *(cell for one in ours for cell in (f"{one:.1f}", document.percent(one, theirs, 10))),
            ]
        )
    document.table(
        BANDWIDTH,
        "GB/s of data in both directions, 256 outstanding requests of 64 B",
        ["device", "", "reads : writes", "theirs", "ours, sequential", "%", "ours, random", "%"],
        rows,
    )
    # Our limits: the link for reads (9 flits of 2.125 ns for 8 lines), the DRAM for all other mixes.
    assert 0.95 * 26.8 < done[DIMM, ASIC, "all reads"][0] < 26.8
    for mix in ("3:1", "2:1", "1:1"):
        alone = under_load(DIMM, None, mix, pattern="sequential")[1]
        assert 0.9 * alone < done[DIMM, ASIC, mix][0] < alone


def test_bandwidth_over_outstanding_requests():
    links = [
        ("ours", Linked("ours")),
        ("CXL-DMSim's ASIC", Linked(ASIC)),
        ("CXL-DMSim's FPGA", Linked(FPGA)),
        ("smt, tpp", Linked("smt")),
        ("smt, tpp; 256 credits", Linked("smt", credits=256)),
    ]
    depths = (1, 4, 16, 64, 256)
    rows, most = [], {}
    for name, link in links:
        for mix in ("all reads", "2:1", "all writes"):
            found = [
                under_load(DIMM, link, mix, pattern="random", outstanding=depth, requests=1000 + 40 * depth)
                for depth in depths
            ]
            reads = [f"{found[i][0]:.0f}" if found[i][0] else "" for i in (0, -1)]
            rows.append([name, mix, reads[0], *(f"{gbps:.2f}" for _, gbps in found), reads[1]])
            most[name, mix] = found[-1][1]
            if (
                mix == "all reads"
            ):  # the tolerance for up to 16 requests that conflict in banks and wait for refresh together
                for depth, (_, gbps) in zip(depths[:3], found):
                    assert 0.8 * depth * 64 < gbps * found[0][0] < 1.01 * depth * 64
    document.table(
        QUEUES,
        "Random requests of 64 B to ours, DDR5-4800: GB/s over outstanding requests",
        ["layers", "reads : writes", "a read alone, ns", *depths, "a read among 256, ns"],
        rows,
    )
    for mix in ("all reads", "all writes"):  # 64 credits are the limit if the layers below them are slow
        assert most["smt, tpp", mix] < 0.85 * most["ours", mix]
        assert most["smt, tpp; 256 credits", mix] == pytest.approx(most["ours", mix], rel=0.08)


def ssd_read(name, link, used, warm="0fs", requests=500):
    """A read alone in an endpoint that shows 80 MiB and has 8 MiB of DRAM before its drive."""

    def build(root):
        made = media.medium(name, "80MiB", **({} if name == "dram" else {"state": "fresh"}))
        root.medium = made.part
        return made.cpu_side

    return run(build, link, warm=warm, pattern="random", outstanding=1, requests=requests, range=used)[0]


def test_cxl_ssds_beside_peers():
    hit = dict(used="8KiB", warm="10ms", requests=100_000)
    device_ns = 2 * 25 + 25 + 50  # bridge, protocol, DRAM of its configuration
    rows = [["CXL-SSD-Sim: DRAM", "", "not known", "none: local DRAM", "", f"{latency(DIMM):.0f}", ""]]
    for device, source, theirs, what, label, controller, ours in (
        ("CXL-SSD-Sim: CXL-DRAM", "configuration", device_ns, "dram", "CXL-SSD-Sim's", SSD_SIM, dict(used="80MiB")),
        (
            "CXL-SSD-Sim: CXL-SSD with cache, hit",
            "configuration",
            device_ns,
            "nand, hit",
            "CXL-SSD-Sim's",
            SSD_SIM,
            hit,
        ),
        ("CMM-H, hit", "measured", 800, "nand, hit", "ours", "ours", hit),
        ("CMM-H, hit", "measured", 800, "nand, hit", "CXL-DMSim's FPGA", FPGA, hit),
        ("CXL-SSD-Sim: CXL-SSD", "", None, "nand, miss", "CXL-SSD-Sim's", SSD_SIM, dict(used="80MiB")),
        ("Cylon's CXL-SSD, miss", "flash alone", 40_000, "nand, miss", "ours", "ours", dict(used="80MiB")),
        ("CXL-SSD-Sim: PMEM", "", None, "optane, miss", "CXL-SSD-Sim's", SSD_SIM, dict(used="80MiB")),
    ):
        found = ssd_read(what.split(",")[0], Linked(controller), **ours)
        rows.append(
            [
                device,
                source,
                theirs or "not known",
                what,
                label,
                f"{found:.0f}",
                document.percent(found, theirs, 10) if theirs else "",
            ]
        )
        if source == "configuration":
            assert found == pytest.approx(theirs, rel=0.10), device
    document.table(
        SSD, "A read of 64 B alone, ns", ["device", "theirs are", "theirs", "our endpoint", "layers", "ours", "%"], rows
    )
