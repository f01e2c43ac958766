"""Points of `memsim across` as the points of a study: finished ones are kept in a folder, others continue from their
checkpoints."""

import json
import os
from collections.abc import Sequence
from dataclasses import asdict, replace
from pathlib import Path

from ..errors import Error
from ..files import os_error
from ..run.session import session
from ..study.figure import config
from ..study.study import Study
from .points import Point, Row, measure
from .ways import KNOWN

SAVE_EVERY = "600s"  # real time between the checkpoints of a point


def run(points: Sequence[Point], name: str, folder: str, processes: int) -> list[Row]:
    """The rows of points, which run as the study `name` in a folder, `processes` at a time."""
    study = Study("across", name, os.path.join(folder, "stats.db"), processes)
    runs = [
        study.point(
            config("across.py"),
            *arguments(point),
            options=["--checkpoint-wall-period", SAVE_EVERY],
            way=point.way,
            ratio=point.ratio,
            assumed=" ".join(f"{name}={value}" for name, value in point.assumed.changes.items()),
        )
        for point in points
    ]
    study.run()
    kept = os.path.join(folder, "points")
    return [load(kept, one.run) for one in runs]


def arguments(point: Point) -> list[str]:
    """Those with which configs/across.py runs the point."""
    given = ["--way", point.way, "--ratio", str(point.ratio), "--scale", point.scale]
    return given + [f"--{name.replace('_', '-')}={value}" for name, value in point.assumed.changes.items()]


def run_here(point: Point) -> Row:
    """Runs a point in this process, and keeps its row for load()."""

    def keep(run: str, row: Row) -> None:
        file = _file(session.options.outdir, run)
        os_error(lambda: file.write_text(json.dumps(asdict(row))), file)

    return measure(point, keep)


def load(folder: str, run: str) -> Row:
    """The row of a finished run."""
    file = _file(folder, run)
    try:
        return Row(**json.loads(file.read_text()))
    except (FileNotFoundError, ValueError, TypeError):
        raise Error(
            f"{file}: the row of a finished run is missing or damaged: delete {folder} with its database, or name "
            "another folder"
        ) from None


def _file(folder: str, run: str) -> Path:
    return Path(folder, f"{run}.json")


def rows(scale: str, ways: Sequence[str], ratios: Sequence[int], folder: str, processes: int) -> list[Row]:
    """A row of each way at each ratio. A way that is the same at all ratios runs once."""
    points = [(way, ratios[0] if KNOWN[way].steady else ratio, ratio) for way in ways for ratio in ratios]
    found = run([Point(way, at, scale) for way, at, _ in points], scale, folder, processes)
    return [replace(row, ratio=ratio, dollars=KNOWN[way].dollars(ratio)) for row, (way, _, ratio) in zip(found, points)]
