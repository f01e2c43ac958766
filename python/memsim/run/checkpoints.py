"""Where checkpoints are: OUTDIR/<time>-<run>.ckpt, where <run> is the first eight digits of the run's UUID."""
import glob
import os

from .. import _memsim
from ..errors import Error
from ..files import check_regular


def path_of(outdir: str, stem: str, run: str) -> str:
    """The path of a run's checkpoint in `outdir`."""
    return os.path.join(outdir, f"{stem}-{run[:8]}.ckpt")


def find(path: str | os.PathLike[str]) -> str:
    """The path of a checkpoint that a user names. `out/50us.ckpt` names out/50us-<run>.ckpt, too.

    Raises Error if several runs have such a checkpoint, or if the file is a pipe or a device.
    """
    path = os.fspath(path)
    stem, extension = os.path.splitext(path)
    check_regular(path, "name a checkpoint that memsim wrote")
    if extension != ".ckpt" or os.path.exists(path):
        return path
    found = sorted(glob.glob(f"{glob.escape(stem)}-{'[0-9a-f]' * 8}.ckpt"))
    if len(found) > 1:
        raise Error(f"{path}: several runs have such a checkpoint: name one of {', '.join(found)}")
    return found[0] if found else path


def latest(outdir: str, run: str) -> str | None:
    """The readable checkpoint of a run in `outdir` with the greatest simulated time, if there is one."""
    known: dict[int, str] = {}
    for file in glob.glob(path_of(glob.escape(outdir), "*", run)):
        try:
            info = _memsim.checkpoint_info(file)
        except Error:
            continue
        if info["run"] == run:
            known[info["now"]] = file
    return known[max(known)] if known else None
