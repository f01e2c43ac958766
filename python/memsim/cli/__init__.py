"""The command line: `memsim [options] script.py arguments` and `memsim SUBCOMMAND`."""
