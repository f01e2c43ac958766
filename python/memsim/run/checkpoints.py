"""Where checkpoints are: OUTDIR/<time>-<run>.ckpt. The first eight digits of its UUID stand for the
run, so that runs in one directory keep their own."""
import glob
import os

from .. import _memsim
from ..errors import Error
from ..files import check_regular


def path_of(outdir, stem, run):
    return os.path.join(outdir, f"{stem}-{run[:8]}.ckpt")


def find(path):
    """The checkpoint that is meant: without a file `out/50us.ckpt`, that of the run that has one of
    50us in `out`."""
    path = os.fspath(path)
    stem, extension = os.path.splitext(path)
    check_regular(path, "name a checkpoint that memsim wrote")
    if extension != ".ckpt" or os.path.exists(path):
        return path
    found = sorted(glob.glob(f"{glob.escape(stem)}-{'[0-9a-f]' * 8}.ckpt"))
    if len(found) > 1:
        raise Error(f"{path}: several runs have such a checkpoint: name one of {', '.join(found)}")
    return found[0] if found else path


def latest(outdir, run):
    """The run's checkpoint in `outdir` that is furthest on, if there is one that can be read."""
    known = {}
    for file in glob.glob(path_of(glob.escape(outdir), "*", run)):
        try:
            info = _memsim.checkpoint_info(file)
        except Error:
            continue
        if info["run"] == run:
            known[info["now"]] = file
    return known[max(known)] if known else None
