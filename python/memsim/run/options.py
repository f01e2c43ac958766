"""Options of the command line, and parsers of scripts and subcommands."""
import argparse
import dataclasses
import os
from collections.abc import Callable
from typing import Any

from .. import _memsim
from ..errors import Error


@dataclasses.dataclass
class Options:
    """Options of a run. A checkpoint keeps those in KEPT; the others are for display or tests and change no result."""

    outdir: str = "memsim-out"
    stats_db: str = ""
    verbosity: int = 0
    checkpoint_at: list[int] = dataclasses.field(default_factory=list)  # ticks
    checkpoint_sim_period: int = 0  # ticks; 0: none
    checkpoint_wall_period: float = 0  # s; 0: none
    changes: list[str] = dataclasses.field(default_factory=list)  # --set: 'PATH=VALUE'
    origin: str = ""  # hash of the checkpoint after which the parameters differ
    event_queue: str = "fast"
    perturb: int | None = None  # seed of random wakes
    threads: int = 1  # of one machine's run
    random_partitions: int = 0  # seed of random partitions for tests; 0: none
    stamps: int = 0  # one of this many requests is stamped; 0: none
    debug: dict[str, Any] | None = None  # flags, start, end and file of set_debug()
    timeline: str = ""
    timeline_limits: dict[str, int] = dataclasses.field(default_factory=dict)  # start, end, bytes of the timeline
    restoring: _memsim.Checkpoint | None = None  # the script runs again up to it
    parent: str = ""  # UUID of the run that a new run continues
    skip_finished: bool = False
    jobs: int = 0  # concurrent points of a study; 0: the study decides

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

    def kept(self) -> dict[str, Any]:
        """The options that a checkpoint keeps."""
        return {name: getattr(self, name) for name in self.KEPT}

    def database(self) -> str:
        """The absolute path of the database."""
        return os.path.abspath(self.stats_db or os.path.join(self.outdir, "stats.db"))


# ---- the command line of a script --------------------------------------------------------------------


class ScriptParser(argparse.ArgumentParser):
    """A parser whose help shows the default of each option that has one."""

    def add_argument(self, *names: Any, **keywords: Any) -> argparse.Action:
        """An option whose help ends with its default."""
        return _showing_default(super().add_argument(*names, **keywords))

    def add_mutually_exclusive_group(self, **keywords: Any) -> Any:
        """A group whose options show their defaults."""
        return _shows_defaults(super().add_mutually_exclusive_group(**keywords))

    def add_argument_group(self, *words: Any, **keywords: Any) -> Any:
        """A group whose options show their defaults."""
        return _shows_defaults(super().add_argument_group(*words, **keywords))


def _shows_defaults(group: Any) -> Any:
    add = group.add_argument
    group.add_argument = lambda *names, **keywords: _showing_default(add(*names, **keywords))
    return group


def _showing_default(action: argparse.Action) -> argparse.Action:
    trivial = action.default is None or action.default is False or action.default in ("", argparse.SUPPRESS, [])
    if action.option_strings and not trivial and "%(default)" not in (action.help or ""):
        action.help = f"{action.help or ''} (default: %(default)s)".strip()
    return action


def script_parser(doc: str | None) -> ScriptParser:
    """The parser of a script. The first line of its docstring `doc` describes the script."""
    return ScriptParser(description=(doc or "").partition("\n")[0], allow_abbrev=False)


# ---- options of several commands ---------------------------------------------------------------------


def whole(least: int, most: int = 2**64 - 1) -> Callable[[str], int]:
    """A type of argument: a whole number from `least` to `most`."""

    def read(text: str) -> int:
        if not (text.isascii() and text.isdigit() and least <= int(text[:30]) <= most):
            upward = f"of at least {least}" if most == 2**64 - 1 else f"from {least} to {most}"
            raise argparse.ArgumentTypeError(f"'{text}' is not an integer {upward}")
        return int(text)

    return read


def ticks(text: str) -> int:
    """A type of argument: femtoseconds of '4us'."""
    try:
        femtoseconds: int = _memsim.ticks(text)
        return femtoseconds
    except Error as e:
        raise argparse.ArgumentTypeError(str(e)) from None


def add_changes(p: argparse._ActionsContainer, more: str = "") -> None:
    """Adds --set. `more` ends its help."""
    p.add_argument(
        "--set",
        metavar="PATH=VALUE",
        action="append",
        default=[],
        dest="changes",
        help=f"set a parameter after the script did ([*]: of every element of a list){more}",
    )


def add_stamps(p: argparse._ActionsContainer) -> None:
    """Adds --stamps."""
    p.add_argument(
        "--stamps",
        metavar="N",
        type=whole(1),
        default=0,
        help="stamp one of N requests: the results say where its time went",
    )


def add_threads(p: argparse._ActionsContainer) -> None:
    """Adds --threads."""
    p.add_argument(
        "--threads",
        metavar="N",
        type=whole(1, 1024),
        default=1,
        help="threads of one simulation; results are those of one thread (1)",
    )


def add_oracles(p: argparse.ArgumentParser) -> None:
    """Adds --event-queue, --perturb-wakes and --random-partitions."""
    g = p.add_argument_group("oracles (results must not change)")
    g.add_argument(
        "--event-queue",
        choices=("fast", "naive"),
        default="fast",
        help="naive: an ordered map instead of the fast queue",
    )
    g.add_argument("--perturb-wakes", metavar="SEED", type=whole(0), help="wake random components without a cause")
    g.add_argument(
        "--random-partitions",
        metavar="SEED",
        type=whole(1),
        default=0,
        help="run in random partitions, also where they do not pay",
    )


def oracle_options(args: argparse.Namespace) -> list[str]:
    """The command line that repeats the options of add_threads() and add_oracles()."""
    options = ["--event-queue", args.event_queue, "--threads", str(args.threads)]
    if args.perturb_wakes is not None:
        options += ["--perturb-wakes", str(args.perturb_wakes)]
    if args.random_partitions:
        options += ["--random-partitions", str(args.random_partitions)]
    return options
