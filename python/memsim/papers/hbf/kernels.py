"""The programs of the papers on HBF, recorded with memsim.simt: reads of single words of many pages and a stream of
weights (HBF-Sim), and products whose weights lie in rows, columns or tiles (TileLens). The first array is `weights`,
which lies in flash; the array behind it lies in local memory.
"""

import math
import os
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from ... import workload
from ...model import simt
from ...model.provenance import derived
from .values import LINE, LOADS, MEMORY_TILE, PAGE, PRODUCER_BLOCK, STAGES, WEIGHT_BLOCK, WEIGHT_WARPS

WORD = 4  # bytes of a float
UNIT = 8  # bytes that a thread loads at once in a product
RESULTS = 64  # outstanding of a warp
Program = Callable[[Any], None]


def recorded(name: str, program: Program, folder: str) -> workload.Recorded:
    """A workload.Recorded of the program, whose file lies in the folder."""
    os.makedirs(folder, exist_ok=True)
    file = os.path.join(folder, f"{name}.steps")
    simt.record(file, program)
    made: workload.Recorded = workload.Recorded(file=derived(file, from_="the folder of the run"))
    return made


# ---- HBF-Sim -------------------------------------------------------------------------------------


def pages(count: int, producers: int) -> Program:
    """Each of so many threads loads a word of a page, and one after the other if there are more pages."""

    def program(device: Any) -> None:
        weights = device.array("weights", np.zeros(count * PAGE // WORD, "float32"))
        out = device.array("out", np.zeros(producers, "float32"))
        with device.launch("page_supply", producers, PRODUCER_BLOCK) as k:
            total: Any = 0.0
            for first in range(0, count, producers):
                value = k.load(weights, (k.thread + first) * (PAGE // WORD))
                total = total + value
                k.compute(1, total)
            k.store(out, k.thread, total)

    return program


def stream(mib: int) -> Program:
    """Warps read consecutive lines of 128 bytes, LOADS of each in flight; the grid strides over the array."""
    lines = (mib << 20) // LINE

    def program(device: Any) -> None:
        weights = device.array("weights", np.zeros(lines * LINE // WORD, "float32"))
        out = device.array("out", np.zeros(WEIGHT_WARPS, "float32"))
        with device.launch("weight_load", WEIGHT_WARPS * 32, WEIGHT_BLOCK) as k:
            lane, warp = k.thread % 32, k.thread // 32
            for first in range(0, lines, LOADS * WEIGHT_WARPS):
                at = [first + j * WEIGHT_WARPS + warp for j in range(LOADS)]
                values = [k.load(weights, line * (LINE // WORD) + lane) for line in at]
                k.compute(LOADS, *values)
            k.store(out, warp, 0.0)

    return program


# ---- TileLens ------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Product:
    """The weights of a product, of `experts` matrices of `rows` (the inner dimension) by `columns` in bf16, in tiles.

    tile  rows and columns of a block's tile
    """

    experts: int
    rows: int
    columns: int
    tile: tuple[int, int]

    @property
    def bytes(self) -> int:
        return 2 * self.experts * self.rows * self.columns

    @property
    def blocks(self) -> int:
        return self.experts * self.columns // self.tile[1]

    @property
    def warps(self) -> int:
        """Of a group: each loads 16 KiB of a tile at once."""
        return 2 * self.tile[0] * self.tile[1] // (RESULTS * 32 * UNIT)

    @property
    def steps(self) -> int:
        """Tiles that a block reads."""
        return self.rows // self.tile[0]

    def places(self, layout: str) -> tuple[Any, Any]:
        """Bytes from the beginning of the weights: of the units of a block's tile, and of the first element of each
        tile by block and step, both in the order in which they are loaded."""
        tall, wide = self.tile
        along, across = (wide, tall) if layout == "row" else (tall, wide)  # elements that are consecutive; the others
        span = self.columns if layout == "row" else self.rows
        expert, column = np.divmod(np.arange(self.blocks), self.columns // wide)
        step = np.arange(self.steps)
        base = expert[:, None] * 2 * self.rows * self.columns
        if layout == "tile":  # memory tiles of 64 by 32 elements, one after the other along the inner dimension
            of_page, deep = np.divmod(np.arange(tall * wide), MEMORY_TILE[0] * MEMORY_TILE[1])
            high = tall // MEMORY_TILE[0]
            down, right = of_page % high, of_page // high
            page = right * (self.rows // MEMORY_TILE[0]) + down
            inside = page * PAGE + 2 * deep
            first = column[:, None] * (wide // MEMORY_TILE[1]) * (self.rows // MEMORY_TILE[0]) * PAGE
            start = base + first + step[None, :] * high * PAGE
        else:
            other, one = np.divmod(np.arange(along * across), along)
            inside = 2 * (other * span + one)
            row, col = step[None, :] * tall, column[:, None] * wide
            start = base + 2 * (row * span + col if layout == "row" else col * span + row)
        return inside[:: UNIT // 2], start


def product(of: Product, layout: str, depth: int) -> Program:
    """Blocks that read a tile of the weights after the other, `depth` of them at once: so many groups of warps take
    turns, since a warp has at most 64 results outstanding. A block holds STAGES tiles in shared memory."""
    inside, start = of.places(layout)
    group = of.warps * 32  # threads
    inside = inside.reshape(-1, group)  # loads of each thread of a group
    threads = group * depth

    def program(device: Any) -> None:
        weights = device.array("weights", np.zeros(of.bytes // UNIT, "uint64"))
        out = device.array("out", np.zeros(of.blocks * threads, "float32"))
        with device.launch("product", of.blocks * threads, threads) as k:
            k.shared("tiles", STAGES * 2 * of.tile[0] * of.tile[1] // UNIT, "uint64")
            block, thread = k.thread // threads, k.thread % threads
            for first in range(0, of.steps, depth):
                step = first + thread // group
                with k.where(step < of.steps):
                    at = start[block, np.minimum(step, of.steps - 1)]
                    k.compute(len(inside), *[k.load(weights, (at + row[thread % group]) // UNIT) for row in inside])
            k.store(out, k.thread, 0.0)

    return program


def depth_of(of: Product, bandwidth: float, latency: float, blocks_at_once: int) -> int:
    """Tiles that a block reads at once under TileLens' adaptive prefetcher: twice those that cover the latency, at most
    all; and the STAGES that the block holds anyway. A block of 32 warps has no more than its groups."""
    pages = 2 * of.tile[0] * of.tile[1] / PAGE * blocks_at_once
    covering = math.ceil(bandwidth * latency / PAGE / pages)
    return min(min(2 * covering, of.steps) + STAGES, 32 // of.warps)
