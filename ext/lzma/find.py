"""liblzma: graphs that come as .xz."""
packages = "liblzma-dev"
headers = ["lzma.h"]
libs = ["lzma"]
