"""xxHash: checksums and digests."""
packages = "libxxhash-dev"
headers = ["xxhash.h"]
libs = ["xxhash"]
