"""Options of the command line, and parsers of scripts and subcommands."""

import argparse
import dataclasses
import os
from typing import Any

from .. import _memsim
from ..arguments import file_size, flags, period, ticks, wall_period, whole


def option(default: Any, *names: str, group: str = "", kept: bool = False, **keywords: Any) -> Any:
    """A field of Options that `names` give on the command line. `group`: the heading in the help; `kept`: a checkpoint
    keeps it; the keywords are those of add_argument()."""
    metadata = {"names": names, "group": group, "kept": kept, "keywords": keywords}
    if isinstance(default, list):
        return dataclasses.field(default_factory=lambda: list(default), metadata=metadata)
    return dataclasses.field(default=default, metadata=metadata)


CHECKPOINTS, DEBUGGING, ORACLES = "checkpoints", "debugging", "oracles (results must not change)"


@dataclasses.dataclass
class Options:
    """Options of a run, each declared once. Those that a checkpoint does not keep are for display or tests and change
    no result."""

    outdir: str = option(
        "memsim-out", "-d", "--outdir", kept=True, metavar="DIR", help="the output directory (memsim-out)"
    )
    stats_db: str = option("", "--stats-db", kept=True, metavar="FILE", help="database of results (OUTDIR/stats.db)")
    threads: int = option(
        1,
        "--threads",
        metavar="N",
        type=whole(1, 1024),
        help="threads of one simulation; results are those of one thread (1)",
    )
    changes: list[str] = option(
        [],
        "--set",
        group="configuration",
        kept=True,
        metavar="PATH=VALUE",
        action="append",
        help="set a parameter after the script did ([*]: of every element of a list); with --restore a tunable one",
    )
    skip_finished: bool = option(
        False,
        "--skip-finished",
        group="configuration",
        action="store_true",
        help="end at once if the database has these results: a finished run of the same program, script, arguments and "
        "parameters; continue an unfinished run from its last checkpoint; end with code 75 if another process runs it",
    )
    checkpoint_at: list[int] = option(  # ticks
        [],
        "--checkpoint-at",
        group=CHECKPOINTS,
        kept=True,
        metavar="TIME",
        action="append",
        type=ticks,
        help="save at this simulated time (repeatable)",
    )
    checkpoint_sim_period: int = option(  # ticks; 0: none
        0,
        "--checkpoint-sim-period",
        group=CHECKPOINTS,
        kept=True,
        metavar="TIME",
        type=period,
        help="save at intervals of simulated time",
    )
    checkpoint_wall_period: float = option(  # s; 0: none
        0,
        "--checkpoint-wall-period",
        group=CHECKPOINTS,
        kept=True,
        metavar="TIME",
        type=wall_period,
        help="save at intervals of real time (600s, 2h), as OUTDIR/wall-<run>.ckpt",
    )
    debug_flags: list[str] = option(
        [],
        "--debug-flags",
        group=DEBUGGING,
        metavar="A,-B",
        type=flags,
        help="print the messages of these flags; -B removes B from All",
    )
    debug_start: int = option(
        0, "--debug-start", group=DEBUGGING, metavar="TIME", type=ticks, help="first simulated time of the messages"
    )
    debug_end: int = option(
        _memsim.never, "--debug-end", group=DEBUGGING, metavar="TIME", type=ticks, help="end of the messages"
    )
    debug_file: str = option(
        "", "--debug-file", group=DEBUGGING, metavar="FILE", help="write the messages into this file instead of stderr"
    )
    stamps: int = option(
        0,
        "--stamps",
        group=DEBUGGING,
        metavar="N",
        type=whole(1),
        help="stamp one of N requests: the results say where its time went",
    )
    timeline: str = option(
        "",
        "--timeline",
        group=DEBUGGING,
        metavar="FILE",
        help="write kernel launches, stamped requests and the components' activity as trace events, which "
        "ui.perfetto.dev opens; --stamps is 100 by default",
    )
    timeline_start: int = option(
        0,
        "--timeline-start",
        group=DEBUGGING,
        metavar="TIME",
        type=ticks,
        help="start of the timeline in simulated time",
    )
    timeline_end: int = option(
        _memsim.never,
        "--timeline-end",
        group=DEBUGGING,
        metavar="TIME",
        type=ticks,
        help="end of the timeline in simulated time",
    )
    timeline_limit: int = option(  # bytes
        2**64 - 1,
        "--timeline-limit",
        group=DEBUGGING,
        metavar="SIZE",
        type=file_size,
        help="the largest size of the file, such as 100MB; a message at the end of the run counts missing events",
    )
    event_queue: str = option(
        "fast",
        "--event-queue",
        group=ORACLES,
        choices=("fast", "naive"),
        help="naive: an ordered map instead of the fast queue",
    )
    perturb: int | None = option(
        None,
        "--perturb-wakes",
        group=ORACLES,
        metavar="SEED",
        type=whole(0),
        help="wake random components without a cause",
    )
    random_partitions: int = option(
        0,
        "--random-partitions",
        group=ORACLES,
        metavar="SEED",
        type=whole(1),
        help="run in random partitions, also where they do not pay",
    )
    verbosity: int = option(0, kept=True)
    origin: str = option("", kept=True)  # hash of the checkpoint after which the parameters differ
    restoring: _memsim.Checkpoint | None = None  # the script runs again up to it
    parent: str = ""  # UUID of the run that a new run continues
    jobs: int = 0  # concurrent points of a study; 0: the study decides
    seeds: int = 1  # of a study that states no number

    def kept(self) -> dict[str, Any]:
        """The options that a checkpoint keeps."""
        return {f.name: getattr(self, f.name) for f in dataclasses.fields(self) if f.metadata.get("kept")}

    def timeline_limits(self) -> dict[str, int]:
        return {"start": self.timeline_start, "end": self.timeline_end, "bytes": self.timeline_limit}

    def database(self) -> str:
        """The absolute path of the database."""
        return os.path.abspath(self.stats_db or os.path.join(self.outdir, "stats.db"))


def of_command_line() -> dict[str, dataclasses.Field[Any]]:
    """The fields of Options that options of the command line give, by name."""
    return {f.name: f for f in dataclasses.fields(Options) if f.metadata.get("names")}


def add_options(p: argparse._ActionsContainer, *fields: str) -> None:
    """Adds the options of these fields. The parsed arguments have None for one that is not given."""
    for name in fields:
        m = of_command_line()[name].metadata
        p.add_argument(*m["names"], dest=name, default=None, **m["keywords"])


def repeated(args: argparse.Namespace, *fields: str) -> list[str]:
    """The command line that gives these options again."""
    given = [(of_command_line()[name].metadata["names"][-1], getattr(args, name)) for name in fields]
    return [
        f"{name}={one}"
        for name, value in given
        if value is not None
        for one in ([value] if not isinstance(value, list) else value)
    ]


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
