"""Unpacks and packs the body of a checkpoint with a valid checksum, for tests that forge one.
docs/checkpoints.md describes the format."""
import ctypes
import struct

zstd = ctypes.CDLL("libzstd.so.1")
xxhash = ctypes.CDLL("libxxhash.so.0")
zstd.ZSTD_compressBound.restype = zstd.ZSTD_compress.restype = ctypes.c_size_t
zstd.ZSTD_decompress.restype = ctypes.c_size_t
zstd.ZSTD_compressBound.argtypes = [ctypes.c_size_t]
zstd.ZSTD_compress.argtypes = [ctypes.c_char_p, ctypes.c_size_t, ctypes.c_char_p, ctypes.c_size_t, ctypes.c_int]
zstd.ZSTD_decompress.argtypes = [ctypes.c_char_p, ctypes.c_size_t, ctypes.c_char_p, ctypes.c_size_t]


class Hash128(ctypes.Structure):
    _fields_ = [("low", ctypes.c_uint64), ("high", ctypes.c_uint64)]


xxhash.XXH3_128bits.restype = Hash128
xxhash.XXH3_128bits.argtypes = [ctypes.c_char_p, ctypes.c_size_t]

HEAD = struct.Struct("<8sIIQQ32s")


def checksum(head, rest):
    value = b"0" * 32
    pieces = [rest[i : i + (1 << 20)] for i in range(0, len(rest), 1 << 20)]
    if len(rest) % (1 << 20) == 0:
        pieces.append(b"")
    for record in (*pieces, head[:32] + bytes(32)):
        h = xxhash.XXH3_128bits(value + record, len(value) + len(record))
        value = b"%016x%016x" % (h.high, h.low)
    return value


def unpack(file):
    """(info, body): the part that `ckpt info` shows, and the packed part."""
    data = file.read_bytes()
    _, _, info_size, packed_size, raw_size, _ = HEAD.unpack_from(data)
    packed = data[64 + info_size : 64 + info_size + packed_size]
    raw = ctypes.create_string_buffer(raw_size)
    assert zstd.ZSTD_decompress(raw, raw_size, packed, len(packed)) == raw_size
    return data[64 : 64 + info_size], raw.raw


def pack(file, info, body):
    magic, layout = HEAD.unpack_from(file.read_bytes())[:2]
    size = zstd.ZSTD_compressBound(len(body))
    packed = ctypes.create_string_buffer(size)
    used = zstd.ZSTD_compress(packed, size, body, len(body), 1)
    rest = info + packed.raw[:used]
    head = HEAD.pack(magic, layout, len(info), len(rest) - len(info), len(body), bytes(32))
    file.write_bytes(head[:32] + checksum(head, rest) + rest)
