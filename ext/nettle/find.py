"""Nettle: MD5, of the blocks that CMD compares by their hashes."""
packages = "nettle-dev"
headers = ["nettle/md5.h"]
libs = ["nettle"]
