"""Studies: many runs, compared with a paper's claims.

    from memsim import study

    fig16 = study.Study("ohm", "fig16")
    for platform in ("hetero", "ohm-base"):
        fig16.point("configs/ohm_planar.py", "--platform", platform, platform=platform)
    fig16.run()
    ipc = fig16.table(ipc="SELECT value FROM result WHERE run = :run AND name = 'ipc'")
    fig16.claim("ohm-04", ipc.loc["ohm-base", "ipc"] / ipc.loc["hetero", "ipc"])
    fig16.close()

A point is a run of a script with arguments in a process of its own. All points write into one database. Finished points
are not run again (`--skip-finished`), and studies share equal points. Claims are facts of the papers, stored in
papers/<paper>/claims.toml and judged by memsim.study.verdict.
"""
from ..run.processes import add_jobs
from .options import add_options, jobs, limit, preview
from .study import Point, Study
from .claimed import claims

__all__ = ["Point", "Study", "add_jobs", "add_options", "claims", "jobs", "limit", "preview"]
