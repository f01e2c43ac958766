"""The origin of a machine and of its results."""
import dataclasses
import json

from .. import _memsim
from ..files import hash_of_text
from ..model.objects import Root
from .options import Options
from .script import Script, package_files
from .session import session

RESTORE_INPUTS = "restore the file as it was, or start again without --restore"


@dataclasses.dataclass(frozen=True)
class Origin:
    """The inputs from which a machine was made."""

    machine: _memsim.Machine
    number: int  # among the machines of the process, from 1
    root: Root
    options: Options
    script: Script
    arguments: str  # arguments of the script, as JSON
    inputs: list[tuple[str, str]]  # (path, hash)
    outdir: str  # absolute, as the database: the script may change its directory
    database: str

    @property
    def seed(self) -> int:
        """The seed of the run."""
        return int(self.root.seed)

    @property
    def of_script(self) -> bool:
        """Whether the options are those of the command line. restore() builds a machine under its own options."""
        return self.options is session.options

    def is_of(self, saved: _memsim.Checkpoint) -> bool:
        """Whether a checkpoint belongs to this machine, by the machine's number."""
        return bool(json.loads(saved.script.journal)["machine"] == self.number)

    def checkpoint(self) -> _memsim.Checkpoint | None:
        """The checkpoint to restore. The other machines of a restored script run again from their beginnings."""
        saved = self.options.restoring
        return saved if saved and (not self.of_script or self.is_of(saved)) else None

    def former_runs(self) -> dict[str, str]:
        """Number of a machine, as text -> UUID of its run, of the restored script's machines."""
        return session.former_runs() if self.of_script else {}

    def configuration(self) -> str:
        """A hash of everything that determines the results. Runs with equal hashes have equal results."""
        return hash_of_text(
            json.dumps(
                [
                    _memsim.configuration_of(self.machine),
                    self.inputs,
                    sorted(self.script.files().values()),
                    self.script.argv,
                    self.seed,
                    _memsim.build_id(),
                    package_files(),
                    *([self.options.origin] if self.options.origin else []),
                ]
            )
        )
