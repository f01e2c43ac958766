"""Zstandard: compression of checkpoints."""
packages = "libzstd-dev"
headers = ["zstd.h"]
libs = ["zstd"]
