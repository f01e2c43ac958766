"""The system's Python 3: headers for the module, libpython for the launcher that embeds it.

The module itself must not link libpython: the interpreter that imports it brings its own.
"""
import sysconfig

packages = "python3 python3-dev"
include = sysconfig.get_path("include")
headers = ["Python.h"]
libs = ["python" + sysconfig.get_config_var("LDVERSION")]
part = "python"
