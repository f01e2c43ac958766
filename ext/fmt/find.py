"""fmt: formatting of messages; never in a core header."""
packages = "libfmt-dev"
headers = ["fmt/format.h"]
libs = ["fmt"]
