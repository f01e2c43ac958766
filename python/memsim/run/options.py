"""What the command line says."""
import argparse
import dataclasses
import os

from .. import _memsim
from ..errors import Error


@dataclasses.dataclass
class Options:
    """What the command line says; a checkpoint keeps it all but what is marked."""

    outdir: str = "memsim-out"
    stats_db: str = ""
    verbosity: int = 0
    checkpoint_at: list = dataclasses.field(default_factory=list)  # ticks
    checkpoint_sim_period: int = 0
    checkpoint_wall_period: float = 0
    changes: list = dataclasses.field(default_factory=list)  # --set
    origin: str = ""  # hash of the checkpoint after which the parameters were others
    # Not kept: they show or test, and change no result.
    event_queue: str = "fast"
    perturb: int | None = None
    stamps: int = 0
    debug: dict | None = None
    timeline: str = ""
    timeline_limits: dict = dataclasses.field(default_factory=dict)  # start, end, bytes: of show_on_timeline()
    restoring: object = None  # the Checkpoint that the script is re-run for
    parent: str = ""  # the run that a new run goes on from
    skip_finished: bool = False
    jobs: int = 0  # points of a study at once; 0: as the study says

    KEPT = (
        "outdir",
        "stats_db",
        "verbosity",
        "checkpoint_at",
        "checkpoint_sim_period",
        "checkpoint_wall_period",
        "changes",
        "origin",
    )

    def kept(self):
        return {name: getattr(self, name) for name in self.KEPT}

    def database(self):
        return os.path.abspath(self.stats_db or os.path.join(self.outdir, "stats.db"))


options = Options()  # of this process


# ---- the command line of a script --------------------------------------------------------------------


class ScriptParser(argparse.ArgumentParser):
    """A parser whose help shows the default of each option that has one."""

    def add_argument(self, *names, **keywords):
        return _showing_default(super().add_argument(*names, **keywords))

    def add_mutually_exclusive_group(self, **keywords):
        return _shows_defaults(super().add_mutually_exclusive_group(**keywords))

    def add_argument_group(self, *words, **keywords):
        return _shows_defaults(super().add_argument_group(*words, **keywords))


def _shows_defaults(group):
    add = group.add_argument
    group.add_argument = lambda *names, **keywords: _showing_default(add(*names, **keywords))
    return group


def _showing_default(action):
    told = action.default is None or action.default is False or action.default in ("", argparse.SUPPRESS, [])
    if action.option_strings and not told and "%(default)" not in (action.help or ""):
        action.help = f"{action.help or ''} (default: %(default)s)".strip()
    return action


def script_parser(doc):
    """The parser of a script, whose docstring is `doc`: its first line describes the script."""
    return ScriptParser(description=doc.splitlines()[0], allow_abbrev=False)


# ---- the command line's that more than one command takes -------------------------------------------


def whole(least, most=2**64 - 1):
    """A type of argument."""

    def read(text):
        if not (text.isascii() and text.isdigit() and least <= int(text[:30]) <= most):
            upward = f"of {least} or more" if most == 2**64 - 1 else f"from {least} to {most}"
            raise argparse.ArgumentTypeError(f"'{text}' is no whole number {upward}")
        return int(text)

    return read


def ticks(text):
    """A type of argument: '4us' as ticks."""
    try:
        return _memsim.ticks(text)
    except Error as e:
        raise argparse.ArgumentTypeError(str(e)) from None


def add_changes(p, more=""):
    p.add_argument(
        "--set",
        metavar="PATH=VALUE",
        action="append",
        default=[],
        dest="changes",
        help=f"set a parameter after the script did ([*]: of every element of a list){more}",
    )


def add_stamps(p):
    p.add_argument(
        "--stamps",
        metavar="N",
        type=whole(1),
        default=0,
        help="stamp one of N requests: the results say where its time went",
    )


def add_oracles(p):
    g = p.add_argument_group("oracles (results must not change)")
    g.add_argument(
        "--event-queue", choices=("fast", "naive"), default="fast", help="an ordered map instead of the fast queue"
    )
    g.add_argument("--perturb-wakes", metavar="SEED", type=whole(0), help="wake random components for no reason")
