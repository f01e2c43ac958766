"""The subcommands by name. Each has a file here with `register(parser)`, which declares its arguments, and
`main(args)`, which returns the exit code or None; only the file of the subcommand that runs is imported."""

import argparse
import importlib
from dataclasses import dataclass


@dataclass(frozen=True)
class Subcommand:
    """A subcommand and its line in `memsim --help`."""

    name: str
    help: str
    passes_on: bool = False  # `args.others` receives unknown arguments, for a study

    def run(self, argv: list[str]) -> int:
        """Runs the subcommand with these arguments; returns the exit code."""
        module = importlib.import_module(f".{self.name}", __package__)
        parser = argparse.ArgumentParser(prog=f"memsim {self.name}", allow_abbrev=False)
        module.register(parser)
        args = argparse.Namespace()
        if self.passes_on:
            _, args.others = parser.parse_known_args(argv, args)
        else:
            parser.parse_args(argv, args)
        return module.main(args) or 0


SUBCOMMANDS = {  # not docstrings, because PYTHONOPTIMIZE=2 removes those
    subcommand.name: subcommand
    for subcommand in (
        Subcommand("describe", "Describe a component, a policy or a table of figures"),
        Subcommand("ckpt", "Show a checkpoint, or verify a script's"),
        Subcommand("resume", "Continue unfinished runs from their last checkpoints"),
        Subcommand("stubs", "Type stubs of the Python package, for editors"),
        Subcommand("reference", "The reference page of all components and policies"),
        Subcommand("sql", "Query a database of results"),
        Subcommand("upgrade", "Convert a database of an older memsim"),
        Subcommand("merge", "Copy the runs of databases into one"),
        Subcommand("diff", "Parameters and statistics in which two runs differ"),
        Subcommand("plot", "Draw common figures of a database"),
        Subcommand("report", "A run as one HTML file"),
        Subcommand("draw", "The machine of a run as a diagram"),
        Subcommand("reproduce", "Run the figures of papers, and judge their claims", passes_on=True),
        Subcommand("sweep", "Run a study, here or on a cluster", passes_on=True),
        Subcommand("trace", "Show and convert traces"),
        Subcommand("across", "Compare ways to a larger GPU memory on equal work"),
        Subcommand("silicon", "Microbenchmarks of a GPU preset, compared with measured chips"),
        Subcommand("workloads", "List the workloads and count their operations"),
        Subcommand("notebook", "Open a notebook in Jupyter"),
    )
}
