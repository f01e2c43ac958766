"""Pages: `memsim report` makes a page of a run, `memsim draw` the diagram of its machine, and `memsim --watch PORT` a
page of a running simulation."""
