#!/usr/bin/python3
"""Prints the machine code of a cubin (sm_70 to sm_90) as far as instruction counts need it: the number
of instructions between memory accesses, branches and exits. docs/models/workloads.md describes how the
counts in src/workload follow from it.

    nvcc -std=c++17 -arch=sm_80 -cubin util/workloads/kernels.cu && util/workloads/sass_regions.py kernels.cubin

An instruction has 16 bytes: bits 0-11 are the opcode, 12-15 the guarding predicate (7: none), and a
branch's distance in bytes is bits 32-63. Only the opcodes below are distinguished; that these are the
right ones shows in their number and order, which must be those of the accesses in kernels.cu.
"""

import struct
import sys

NAMED = {
    0x981: "load",
    0x986: "store",
    0x3A9: "compare-and-swap",
    0x9A8: "atomic",
    0x98E: "reduce",
    0x947: "branch",
    0x94D: "exit",
}


def text_sections(elf):
    """(name, bytes) of each .text.KERNEL of a 64-bit ELF file."""
    (table,), (size, count, names) = (struct.unpack_from("<Q", elf, 40), struct.unpack_from("<3H", elf, 58))
    headers = [struct.unpack_from("<2I4Q", elf, table + size * i) for i in range(count)]
    for name, _, _, _, offset, length in headers:
        start = headers[names][4] + name
        title = elf[start : elf.index(b"\0", start)].decode()
        if title.startswith(".text."):
            yield title[6:], elf[offset : offset + length]


def main():
    with open(sys.argv[1], "rb") as file:
        elf = file.read()
    for kernel, code in text_sections(elf):
        print(kernel)
        words = [word for word, _ in struct.iter_unpack("<QQ", code)]
        targets = {
            i + 1 + (struct.unpack("<i", struct.pack("<I", word >> 32))[0] // 16)
            for i, word in enumerate(words)
            if word & 0xFFF == 0x947
        }
        plain = 0
        for i, word in enumerate(words):
            opcode, predicate = word & 0xFFF, word >> 12 & 15
            if plain and i in targets:
                print(f"    {plain} others")
                plain = 0
            if i in targets:
                print(f"  {i}:")
            if opcode not in NAMED:
                plain += 1
                continue
            if plain:
                print(f"    {plain} others")
            plain = 0
            if opcode == 0x947:
                to = i + 1 + struct.unpack("<i", struct.pack("<I", word >> 32))[0] // 16
                if to == i:
                    break  # the branch to itself at the end of a kernel; the rest is padding
                detail = f" to {to}"
            else:
                detail = ""
            guard = "" if predicate == 7 else " if predicate"
            print(f"    {NAMED[opcode]}{detail}{guard}")


main()
