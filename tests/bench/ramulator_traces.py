"""Ramulator 2.1 on a generated trace of two reads to a write, beside benchmarks of the same name in dram.cc.

    PYTHONPATH=DIR/ramulator2/python /usr/bin/python3 tests/bench/ramulator_traces.py ddr4|gddr6 stream|random [REQUESTS]

Only the simulation is timed, not the reading of the trace.
"""

import os
import random
import sys
import tempfile

import ramulator

standard, pattern, *count = sys.argv[1:]
requests = int(count[0]) if count else 300_000
dram, size, capacity = {
    "ddr4": (lambda: ramulator.dram.DDR4(org_preset="DDR4_8Gb_x8", timing_preset="DDR4_3200AA", rank=2), 64, 1 << 34),
    "gddr6": (
        lambda: ramulator.dram.GDDR6(org_preset="GDDR6_8Gb_x16", timing_preset="GDDR6_14000_1250mV_double"),
        32,
        1 << 30,
    ),
}[standard]
rng = random.Random(1)
with tempfile.NamedTemporaryFile("w", suffix=".trace") as trace:
    for i in range(requests):
        address = (i if pattern == "stream" else rng.randrange(capacity // size)) * size
        trace.write(f"{'ST' if i % 3 == 2 else 'LD'} {address}\n")
    trace.flush()
    controller = ramulator.controller.GenericDDR(
        dram=dram(),
        scheduler=ramulator.scheduler.FRFCFS(),
        refresh_manager=ramulator.refresh_manager.AllBank(),
        row_policy=ramulator.row_policy.Open(),
        addr_mapper=ramulator.addr_mapper.RoBaRaCoCh(),
    )
    memory = ramulator.memory_system.GenericDRAM(
        clock_ratio=1, controllers=[controller], channel_mapper=ramulator.channel_mapper.CacheLineInterleave()
    )
    simulation = ramulator.Simulation(ramulator.frontend.LoadStoreTrace(clock_ratio=1, path=trace.name), memory)
    began = os.times().user
    simulation.run()
    print(f"{requests} requests in {os.times().user - began:.3f} user CPU s")
