"""numpy: recorded programs; the build imports each Python module for its stubs."""
packages = "python3-numpy"
modules = ["numpy"]
part = "python"
