"""Traffic of a device over PCI Express into the host's memory."""
import memsim
from memsim import link, mem

root = memsim.Root()
root.generator = mem.TrafficGen(requests=400, outstanding=32, period="20ns", read_share="60%", range="1MiB")
root.pcie = link.Pcie(generation=3, lanes=4)
root.memory = mem.SimpleMemory(latency="150ns")
root.generator.mem_side = root.pcie.from_device
root.pcie.to_host = root.memory.cpu_side
memsim.instantiate()
memsim.simulate()
