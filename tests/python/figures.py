"""Figures of papers whose points were not simulated."""

import pandas
from memsim.study import paper
from memsim.study.command import parsed
from memsim.study.figure import Figure
from memsim.study.metric import Run


def figure(name, rows, *options):
    """The figure `name`, such as 'cmd/fig14', with given metrics: {('cmd', 'bfs'): {'ipc': 1.0}}."""
    of, _, figure = name.partition("/")
    tables = paper.load(of)
    workloads = list(dict.fromkeys(w for _, w in rows))
    args = parsed(tables, tables.figures[figure], ["--workloads", *workloads, *options])
    made = Figure(tables, tables.figures[figure], args)
    for platform, workload in rows:
        made.point("x.py", platform=platform, workload=workload)
    index = pandas.MultiIndex.from_tuples(rows, names=made.index)
    made._frames = {1: pandas.DataFrame(list(rows.values()), index).sort_index()}
    return made


def metrics(of, values, *without, clock=1e9, parameters=()):
    """All metrics of a paper, except those named, of a run with values by (path, name)."""
    run = Run.of(values, clock)
    run.parameters.update(parameters)
    return {m.name: m.of(run) for m in paper.load(of).metrics.values() if m.name not in without}
