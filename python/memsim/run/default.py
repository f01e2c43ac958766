"""The default machine: the functions of the package use it."""
import dataclasses
import json
import os
from typing import Any

from .. import _memsim
from ..errors import user_error
from ..files import hash_of, hashes_of, refuse_changed
from ..model.build import build, rebuild_tree
from ..model.objects import Root
from ..model.units import Time
from . import checkpoints
from .event import Event
from .origin import RESTORE_INPUTS
from .session import session
from .simulation import Simulation


def instantiate(root: Root | None = None, arguments: Any = None) -> Simulation:
    """Builds the machine below `root`, by default below the Root created last, and checks it.

    arguments  what the script made the machine from: what parse_args() returned, or a dict. The database keeps them.

    Raises Error if the machine cannot be built.
    """
    root = root or Root._latest
    if root is None:
        raise user_error("there is no Root: make one first, root = memsim.Root()")
    session.default = machine = Simulation(root, arguments=arguments)
    return machine


def default() -> Simulation:
    """The machine that instantiate() or restore() built last. Raises Error before that."""
    if session.default is None:
        raise user_error(
            "there is no machine yet: call memsim.instantiate() first, or the same method of a memsim.Simulation"
        )
    machine: Simulation = session.default
    return machine


def simulate(duration: str | int | Time | None = None) -> Event:
    """Runs the default machine for `duration`: '200us', a Time, femtoseconds, or to the end by default."""
    return default().simulate(duration)


def curTick() -> int:
    """The simulated time of the default machine in femtoseconds."""
    return default().curTick()


def checkpoint(path: str | os.PathLike[str] | None = None) -> str:
    """Saves the default machine, by default as OUTDIR/<time>-<run>.ckpt; returns the path."""
    return default().checkpoint(path)


def restore(file: str | os.PathLike[str], outdir: str | os.PathLike[str] | None = None) -> Simulation:
    """Builds the machine of a checkpoint without its script: a new run that continues from there.

    outdir  directory of the results, by default that of the command line

    Raises Error if the file is no checkpoint of this memsim or if an input has changed.
    """
    path = checkpoints.find(file)
    saved = _memsim.read_checkpoint(path)
    options = dataclasses.replace(
        session.options,
        restoring=saved,
        parent=saved.run.uuid,
        origin=hash_of(path),
        outdir=os.fspath(outdir or session.options.outdir),
    )
    root = rebuild_tree(saved.configuration, saved.script.seed)
    machine = Simulation(root, options, json.loads(saved.script.journal).get("arguments"))
    session.default = machine
    machine._load_without_script()
    return machine


def try_to_load(saved: _memsim.Checkpoint) -> None:
    """Raises the Error that loading this checkpoint would raise, before anything is written."""
    machine = build(rebuild_tree(saved.configuration, saved.script.seed))
    refuse_changed(saved.script.inputs, hashes_of(machine.inputs), RESTORE_INPUTS)
    machine.load(saved.snapshot)
