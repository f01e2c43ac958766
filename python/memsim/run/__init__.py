"""Running a machine: building, simulating, checkpoints, signals, the journal of a script, options."""
