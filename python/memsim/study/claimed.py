"""The claims of the papers: those of a paper's tables, or of claims/<paper>.csv while a paper has none."""

import csv
import functools
from pathlib import Path

from ..errors import PACKAGE, did_you_mean, user_error
from . import paper, verdict

PAPERS = {"ohm": "Ohm-GPU", "zng": "ZnG", "cmd": "CMD", "cxl_gpu": "CXL-GPU", "sap": "SAP"}


@functools.cache
def claims(system: str) -> dict[str, verdict.Claim]:
    """The claims of one paper by id."""
    if system in paper.names():
        return paper.load(system).stated()
    path = Path(PACKAGE) / "claims" / f"{system}.csv"
    if not path.exists():
        raise user_error(f"there are no claims of '{system}'{did_you_mean(system, PAPERS)}: of {', '.join(PAPERS)}")
    with path.open(newline="") as file:
        return {row["id"]: _of_row(**row) for row in csv.DictReader(file)}


def _of_row(figure: str, workloads: str, value: str, **others: str) -> verdict.Claim:
    where = f"Fig. {figure}" if figure[:1].isdigit() else figure
    where = where if workloads in ("", "-", "all") else f"{where}, {workloads}"
    return verdict.Claim(stated_in=where, value=float(value), **others)


@functools.cache
def places() -> dict[str, str]:
    """{id: where the paper states it}, of the claims of all papers."""
    return {id: claim.stated_in for system in PAPERS for id, claim in claims(system).items()}
