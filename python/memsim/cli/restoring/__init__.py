"""Options of a run that read a checkpoint: restoring it, refusing one of unknown origin, and verifying a script's."""
