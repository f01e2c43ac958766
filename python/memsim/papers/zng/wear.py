"""How ZnG's flash wears, from the statistics of a run, and the years that follow."""

from collections.abc import Mapping
from dataclasses import dataclass

from ...systems.parameters import Parameters
from .backbone import GEOMETRY

ENDURANCE = 1e5  # ZnG, II-B: programs and erases of a block of Z-NAND
PAGE = 4096
YEAR = 365.25 * 24 * 3600


@dataclass
class Wear:
    """Of all packages of a run, which has as much flash for each SM as the paper's machine."""

    writes: float = 0  # lines written to registers
    written_bytes: float = 0  # of these lines
    log_programs: float = 0  # pages programmed to log blocks
    moves: float = 0  # pages programmed by the helper thread
    writes_per_page: float = 0  # lines written into a page before it is programmed
    programs_per_page: float = 0  # programs of a page before it is merged
    amplification: float = 0  # bytes programmed for each byte written to registers
    erases: float = 0
    erased_blocks: float = 0  # blocks with at least one erase
    most_erases: float = 0  # of the most erased block
    mean_erases: float = 0  # of blocks with at least one erase
    years: float = 0  # at the run's rate of programs, if all blocks wear equally
    years_unlevelled: float = 0  # until the most erased block fails, if it is always the same one

    @property
    def spread(self) -> float:
        """Erases of the block erased most for each of the mean; 1: worn alike."""
        return self.most_erases / self.mean_erases if self.mean_erases else 1.0


def wear(
    values: Mapping[tuple[str, str], float],
    seconds: float,
    geometry: Parameters = GEOMETRY,
    endurance: float = ENDURANCE,
) -> Wear:
    """Of a run, from its values by (path, name) as Study.values gives them, and how long it was."""

    def of(part: str, name: str) -> list[float]:
        return [v for (p, n), v in values.items() if n == name and p.startswith(part)]

    packages = len(of("flash.package", "log_programs"))
    log_programs, log_pages = sum(of("flash.package", "log_programs")), sum(of("flash.package", "log_pages"))
    moves, writes = sum(of("flash.package", "moves")), sum(of("flash.package", "writes"))
    written = sum(of("flash.package", "write_bytes"))
    erases, blocks = sum(of("gpu.collector", "erases")), sum(of("gpu.collector", "erased_blocks.peak"))
    most = max(of("gpu.collector", "most_erases.peak"), default=0)
    pages = packages * geometry["dies"] * geometry["planes"] * geometry["blocks"] * geometry["pages"]
    programs = log_programs + moves
    return Wear(
        writes=writes,
        written_bytes=written,
        log_programs=log_programs,
        moves=moves,
        writes_per_page=writes / log_programs if log_programs else 0.0,
        programs_per_page=log_programs / log_pages if log_pages else 0.0,
        amplification=programs * PAGE / written if written else 0.0,
        erases=erases,
        erased_blocks=blocks,
        most_erases=most,
        mean_erases=erases / blocks if blocks else 0.0,
        years=endurance * pages / (programs / seconds) / YEAR if programs else float("inf"),
        years_unlevelled=endurance / (most / seconds) / YEAR if most else float("inf"),
    )
