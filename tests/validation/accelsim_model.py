"""Accel-Sim's counts on a trace with Volta's caches: an independent, simple model, which shares no code with memsim.

It models sets of lines and counts sectors, without time. Local memory has the layout of `translate_local_memaddr` in
GPGPU-Sim (gpgpu_local_mem_map 1): word D of a thread is at 4 * (D * N + base), where N is the number of threads that may
be resident and base the number of the thread among them. An L1 is that of the tested configuration SM7_QV100 with the whole of
the unified memory: 4 sets of 256 ways, LRU, linear index, write-through, write-allocate, lazy fetch on read. The L2 is
of 6 MiB, fully associative: GPGPU-Sim's polynomial index leaves no conflicts in footprints that it holds several times
over. L1s are emptied between launches. Warps of an SM take turns, an instruction each.
"""

from collections import Counter, OrderedDict

SMS, SECTOR, LINE, LANES = 80, 32, 128, 32
LOCAL = 1 << 44  # where local memory begins; no other data of a trace lie there


class Cache:
    def __init__(self, sets, ways):
        self.sets, self.ways = [OrderedDict() for _ in range(sets)], ways

    def line(self, number):
        """The sectors of a line that are valid; LRU."""
        lines = self.sets[number % len(self.sets)]
        if number not in lines and len(lines) == self.ways:
            lines.popitem(last=False)
        lines.setdefault(number, set())
        lines.move_to_end(number)
        return lines[number]

    def access(self, sectors):
        """Adds these sectors, and returns those that were missing."""
        missing = []
        for s in sectors:
            valid = self.line(s * SECTOR // LINE)
            if s not in valid:
                missing.append(s)
                valid.add(s)
        return missing


def blocks(text):
    """The warps of each block: lists of (name of the operation, bytes of a lane, addresses of lanes)."""
    for block in text.split("#BEGIN_TB")[1:]:
        warps = []
        for line in block.splitlines():
            words = line.split()
            if line.startswith("insts"):
                warps.append([])
            elif words and len(words[0]) == 4 and len(words) > 3 and words[1] != "=":
                if access := accessed(words):
                    warps[-1].append(access)
        yield warps


def accessed(words):
    mask, at = int(words[1], 16), 3 + int(words[2])
    name, at = words[at], at + 1
    at += 1 + int(words[at])
    if not name.startswith(("LDL", "STL", "LDG", "STG")) or int(words[at]) == 0:
        return None
    size, mode, lanes = int(words[at]), int(words[at + 1]), [i for i in range(LANES) if mask >> i & 1]
    rest = words[at + 2 :]
    if mode == 0:
        addresses = [int(a, 16) for a in rest[: len(lanes)]]
    elif mode == 1:
        addresses = [int(rest[0], 16) + int(rest[1]) * (i - lanes[0]) for i in lanes]
    else:
        addresses = [int(rest[0], 16)]
        for d in rest[1 : len(lanes)]:
            addresses.append(addresses[-1] + int(d))
    return name, size, dict(zip(lanes, addresses))


def sectors_of(access, warp, block, threads, resident):
    """The sectors that an instruction touches, in order."""
    name, size, addresses = access
    found = set()
    for lane, address in addresses.items():
        if not name[2:3] == "L":
            found.update(range(address // SECTOR, (address + size - 1) // SECTOR + 1))
            continue
        thread = threads * (block % SMS + SMS * (block // SMS)) + warp * LANES + lane
        for word in range(address // 4, (address + size - 1) // 4 + 1):
            found.add((LOCAL + 4 * (word * threads * resident * SMS + thread)) // SECTOR)
    return sorted(found)


def counts(kernels):
    """The counts of launches (text of a trace, threads of a block, blocks that may be resident in an SM); all
    blocks are resident."""
    n, l2 = Counter(), Cache(1, 6 << 20 >> 7)
    for text, threads, resident in kernels:
        sms = [([], Cache(4, 256)) for _ in range(SMS)]
        for b, warps in enumerate(blocks(text)):
            sms[b % SMS][0].extend((b, w, iter(ops)) for w, ops in enumerate(warps))
        while any(warps for warps, _ in sms):
            for warps, l1 in sms:
                for entry in list(warps):
                    block, warp, ops = entry
                    if (access := next(ops, None)) is None:
                        warps.remove(entry)
                        continue
                    sectors = sectors_of(access, warp, block, threads, resident)
                    read = access[0].startswith("LD")
                    missing = l1.access(sectors)
                    n["L1D reads" if read else "L1D writes"] += len(sectors)
                    n["L1D read misses" if read else "L1D write misses"] += len(missing)
                    below = missing if read else sectors  # write-through
                    n["L2 reads" if read else "L2 writes"] += len(below)
                    missed = l2.access(below)
                    n["L2 misses"] += len(missed)
                    n["DRAM reads"] += len(missed) if read else 0
    return dict(n)
