"""The GPU and the DRAM that Ohm-GPU (MICRO 2021) and ZnG (ISCA 2020) share: their authors, their simulator (MacSim with
its file of a GTX 580, `params_gtx580`) and their tables are the same.

A value is from the table of either paper, else from that file; docs/models/ohm-readings.md has the text of each.
"""

CYCLE = "833334fs"  # of 1.2 GHz
# ZnG's Table I: 80 warps, and blocks enough to fill them. Two schedulers, each every second cycle (MacSim), issue as
# many instructions as one every cycle. Atomics count as loads in Table II of both papers.
SM = dict(warp_slots=80, block_slots=16, schedulers=1, atomics="loads")
# ZnG's Table I: L1 and L2 of one cycle; "memory access size in GPU is 128B" (ZnG, III-A): no sectors. 128 misses of an
# SM are MacSim's. No text states a hash of sets.
CACHES = dict(sector="128B", mshrs=128, latency=CYCLE, set_hash="linear")
L2 = dict(mem_queue=64)  # places towards the memory (assumption: half of the misses)

# MacSim's DRAM: 16 banks of 2 KiB rows, 25 cycles of 2.1 GHz to open one, 10 to close it, 11 for a column (a table of
# mem.DramController), and a queue of 128 (dram_buffer_size).
DRAM = "ohm_cycles"
DRAM_QUEUES = dict(read_queue=128, write_queue=128, write_high=112, write_low=64)
