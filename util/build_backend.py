"""The build backend of pyproject.toml (PEP 517, PEP 660): scons builds the compiled module; this file packs the wheel.

It requires no package, so `pip install` needs neither a network nor --no-build-isolation. There is no source
distribution, because scons needs a checkout.
"""

import base64
import hashlib
import os
import subprocess
import sys
import sysconfig
import tomllib
import zipfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
PYTHON = "/usr/bin/python3"  # the interpreter for which SConstruct builds the module
BUILT = ROOT / "build" / "python"  # the packages, as links into python/, beside the module


def build_wheel(wheel_directory, config_settings=None, metadata_directory=None):
    """Writes a wheel with copies of all files; returns its name."""
    _build()
    files = {}
    for folder, below, names in os.walk(BUILT, followlinks=True):
        below[:] = sorted(name for name in below if name != "__pycache__")
        files |= {str(Path(folder, name).relative_to(BUILT)): Path(folder, name).read_bytes() for name in sorted(names)}
    return _wheel(wheel_directory, files)


def build_editable(wheel_directory, config_settings=None, metadata_directory=None):
    """Writes a wheel that refers to the build directory, where Python's files are links into python/; returns its
    name."""
    _build()
    return _wheel(wheel_directory, {"memsim.pth": f"{BUILT}\n".encode()})


def _build():
    ending = subprocess.run(
        [PYTHON, "-c", "import sysconfig; print(sysconfig.get_config_var('EXT_SUFFIX'))"],
        env=_environment(),
        text=True,
        stdout=subprocess.PIPE,
    ).stdout.strip()
    if ending != sysconfig.get_config_var("EXT_SUFFIX"):
        sys.exit(
            f"memsim: the module is built for {PYTHON}, and this is {sys.executable}: make the virtual environment "
            f"with {PYTHON} -m venv"
        )
    command = ["/usr/bin/scons", "-Q", "build/memsim"]
    try:
        subprocess.run(command, cwd=ROOT, env=_environment(), check=True)
    except FileNotFoundError:
        sys.exit("memsim: scons is not installed: util/run installs what the build needs")
    except subprocess.CalledProcessError:
        sys.exit("memsim: the build failed; see above")


def _environment():
    """The environment without pip's settings that hide Debian's packages from a build, because scons is one of them."""
    return {name: value for name, value in os.environ.items() if not name.startswith("PYTHON")}


def _wheel(directory, files):
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    name, version = project["name"], (ROOT / "VERSION").read_text().strip()
    number = f"cp{sys.version_info[0]}{sys.version_info[1]}"
    tag = f"{number}-{number}-{sysconfig.get_platform().replace('-', '_').replace('.', '_')}"
    info = f"{name}-{version}.dist-info"
    scripts = "".join(f"{script} = {entry}\n" for script, entry in project["scripts"].items())
    extras = [
        line
        for extra, needed in project["optional-dependencies"].items()
        for line in (f"Provides-Extra: {extra}", *(f'Requires-Dist: {one}; extra == "{extra}"' for one in needed))
    ]
    metadata = [
        "Metadata-Version: 2.1",
        f"Name: {name}",
        f"Version: {version}",
        f"Summary: {project['description']}",
        f"Requires-Python: {project['requires-python']}",
        *extras,
    ]
    wheel = ["Wheel-Version: 1.0", "Generator: memsim", "Root-Is-Purelib: false", f"Tag: {tag}"]
    files = {
        **files,
        f"{info}/LICENSE": (ROOT / "LICENSE").read_bytes(),
        f"{info}/METADATA": "\n".join([*metadata, ""]).encode(),
        f"{info}/WHEEL": "\n".join([*wheel, ""]).encode(),
        f"{info}/entry_points.txt": f"[console_scripts]\n{scripts}".encode(),
    }
    record = "".join(f"{path},sha256={_hash(data)},{len(data)}\n" for path, data in files.items())
    files[f"{info}/RECORD"] = f"{record}{info}/RECORD,,\n".encode()
    made = f"{name}-{version}-{tag}.whl"
    with zipfile.ZipFile(Path(directory, made), "w", zipfile.ZIP_DEFLATED, compresslevel=1) as archive:
        for path, data in files.items():
            archive.writestr(path, data)
    return made


def _hash(data):
    return base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
