"""pybind11: the binding of C++ to Python; header only, known to src/python alone."""
packages = "pybind11-dev"
headers = ["pybind11/pybind11.h"]
part = "python"
