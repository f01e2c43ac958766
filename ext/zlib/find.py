"""zlib: graphs that come as .gz."""
packages = "zlib1g-dev"
headers = ["zlib.h"]
libs = ["z"]
