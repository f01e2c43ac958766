"""Small machines, each run in some milliseconds, and the effect of a parameter on one of them."""

import memsim
from memsim import cxl, flash, link, mem, systems, workload
from memsim.systems import cmd, cxl_gpu, mmu, ohm, scale, zng


def run(root, until=None):
    """Runs a machine to its end; returns its Root, whose statistics can still be read, and the seconds simulated."""
    simulation = memsim.Simulation(root)
    end = simulation.simulate(until)
    return root, end.tick * 1e-15


def changed(part, **parameters):
    """Sets parameters of a component, or of each in a list."""
    for one in part if isinstance(part, list) else [part]:
        for name, value in parameters.items():
            setattr(one, name, value)


def cached(cache=(), **traffic):
    """Reads of one sector of a cache, by default four at once."""
    root = memsim.Root()
    root.gen = mem.TrafficGen(**dict(requests=20, outstanding=4, size=32, range="32B") | traffic)
    root.cache, root.mem = mem.Cache(capacity="3KiB", **dict(cache)), mem.SimpleMemory()
    root.gen.mem_side, root.cache.mem_side = root.cache.cpu_side, root.mem.cpu_side
    return root


def dram(**parameters):
    root = memsim.Root()
    root.gen = mem.TrafficGen(requests=200, pattern="sequential", size=64, range="8KiB")
    root.dram = mem.DramController(timing="hbm2", **parameters)
    root.gen.mem_side = root.dram.cpu_side
    return root


def pcie(**parameters):
    """Traffic of a host with a device, and some of the device with the host."""
    root = memsim.Root()
    root.link = link.Pcie(**parameters)
    root.host, root.device = (
        mem.TrafficGen(requests=n, size=64, range="4KiB", read_share="50%", outstanding=32) for n in (100, 10)
    )
    root.of_device, root.of_host = mem.SimpleMemory(), mem.SimpleMemory()
    root.host.mem_side, root.device.mem_side = root.link.from_host, root.link.from_device
    root.link.to_device, root.link.to_host = root.of_device.cpu_side, root.of_host.cpu_side
    return root


def drive(load=(), channel=(), **parameters):
    """Blocks of 4 KiB on a drive of one package with 224 pages, of which the host has half."""
    geometry = dict(dies=2, planes=2, blocks=14, pages=4)
    root = memsim.Root()
    root.host = flash.BlockTraffic(**dict(requests=300, read_share="50%", sectors=8, range=400) | dict(load))
    sizes = dict(page="4KiB", over_provisioning="50%", cache="64KiB", write_buffer="32KiB")
    root.drive = flash.Drive(**dict(channels=1, packages=1) | geometry | sizes | parameters)
    root.channel = flash.Channel(packages=1, **dict(channel))
    root.package = flash.Package(media="slc", **geometry)
    root.host.drive, root.drive.channel[0] = root.drive.host[0], root.channel.controller
    root.channel.package[0] = root.package.io[0]
    return root


def gpu(name="vadd", size=512, sm=(), dispatcher=(), **parameters):
    """A program on one SM."""
    root = memsim.Root()
    root.program = workload.Program(name=name, size=size)
    root.gpu = systems.gpu(**dict(sms=1, channels=1, l2="64KiB", memory="hbm2") | parameters)
    root.program.dispatcher = root.gpu.dispatcher.host
    changed(root.gpu.sm[0], **dict(sm))
    changed(root.gpu.dispatcher, **dict(dispatcher))
    return root


def paged(placement="faults", of_mmu=(), of_tlbs=()):
    """A graph in pages of 1 KiB; with faults two fifths of it are in device memory."""
    root = memsim.Root()
    root.program = workload.Program(name="bfs1", size=8)
    size = scale.footprint(root.program)
    faults = placement == "faults"
    pages = dict(footprint=size, page=1024, placement=placement, memory=size * 2 // 5 if faults else None)
    root.gpu = systems.gpu(sms=2, l1="48KiB", l2="64KiB", memory="ohm_table1", channels=1, mmu=pages)
    root.program.dispatcher = root.gpu.dispatcher.host
    if faults:
        mmu.page_faults(root, root.gpu, device=mmu.new_input(root.gpu.network), source="host_memory")
    changed(root.gpu.mmu, **dict(of_mmu))
    changed(root.gpu.tlb, **dict(of_tlbs))
    return root


def page_cache(**parameters):
    root = memsim.Root()
    root.gen = mem.TrafficGen(requests=400, outstanding=16, size=64, range="16KiB", period="300ns", read_share="70%")
    root.cache = mem.PageCache(**dict(capacity="5KiB", unit="512B", queue=2) | parameters)
    root.dram, root.drive = mem.SimpleMemory(), flash.FixedDrive(read_latency="2us")
    root.gen.mem_side, root.cache.dram_side = root.cache.cpu_side, root.dram.cpu_side
    root.cache.drive_side = root.drive.requests
    return root


def cxl_link(requests=100, **parameters):
    """Reads and writes of 64 bytes over a CXL link."""
    root = memsim.Root()
    root.gen = mem.TrafficGen(requests=requests, size=64, range="4KiB", read_share="50%", outstanding=8)
    root.host, root.device = cxl.RootPort(**parameters), cxl.DevicePort(**parameters)
    root.memory = mem.SimpleMemory(queue=64)
    root.gen.mem_side, root.device.mem_side = root.host.cpu_side, root.memory.cpu_side
    root.host.flits_out, root.device.flits_out = root.device.flits_in, root.host.flits_in
    return root


def deduplicated(platform="cmd", name="bfs", front=()):
    """A platform of CMD."""
    program, limit = cmd.workloads.program(name, "tiny", 1)
    size = cmd.scale.scale(scale.footprint(program))
    root = cmd.machine(cmd.MachineParameters(platform, program, size, dispatcher=dict(max_instructions=limit)))
    changed(root.front, **dict(front))
    return root


def expanded(name="gauss", limit=100_000, **threads):
    """CXL-GPU with deterministic stores."""
    program, _ = cxl_gpu.workloads.program(name, "tiny", 1)
    size = cxl_gpu.scale.scale(scale.footprint(program))
    root = cxl_gpu.machine(
        cxl_gpu.MachineParameters(
            "cxl-ds",
            program,
            "z-nand",
            next(iter(cxl_gpu.CONTROLLERS)),
            size,
            medium=dict(state="used"),
            dispatcher=dict(max_instructions=limit),
        )
    )
    changed(root.threads, **threads)
    return root


def optical(platform="auto-rw", two_level=False, **controller):
    """A platform of Ohm-GPU."""
    program, _ = ohm.workloads.program("FDTD", "tiny", 1)
    root = (ohm.two_level if two_level else ohm.planar)(platform, program)
    changed(root.memory.controller, **controller)
    return root


def on_flash(limit=20_000, platform="zng", **options):
    """A platform of ZnG."""
    programs = zng.workloads.programs("betw-back", "tiny", 1)
    size = zng.scale.scale(sum(map(scale.footprint, programs)))
    of = dict(dispatcher=dict(application_instructions=limit), on_flash=options)
    return zng.machine(zng.MachineParameters(platform, programs, size, **of))
