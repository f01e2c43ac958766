"""Pages for people: `memsim report` makes a page of a run, `memsim draw` the diagram of its machine, and
`memsim --watch PORT` a page of a run that is under way."""
