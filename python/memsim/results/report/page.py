"""The page of a report: one HTML file that loads no other."""
import base64
import hashlib
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from .. import claims
from ...errors import Error
from ...run.progress import duration, simulated
from ..database import connect
from . import comparison, plots, quantities, tables
from .diagram import Diagram
from .groups import pattern
from .run_data import RunData

TEMPLATES = Path(__file__).with_name("templates")
CHARTS = Path("/usr/share/javascript/chart.js/chart.min.js")  # Chart.js, MIT, of Debian's libjs-chart.js
MOST_NODES = 150  # nodes of a diagram that is still readable
MOST_RUNS = 8  # runs compared if none is named
HEADLINES = (  # (name of a statistic, path if only one is meant, heading)
    ("ipc", "gpu.dispatcher", "thread instructions per cycle"),
    ("thread_instructions", "gpu.dispatcher", "thread instructions"),
    ("kernel_time", "gpu.dispatcher", "time in kernels"),
    ("miss_rate", "gpu.l1[*]", "misses of the L1"),
    ("miss_rate", "gpu.l2[*]", "misses of the L2"),
    ("bandwidth", None, "bandwidth"),
    ("read_latency.mean", None, "read latency, mean"),
)


def render(template: str, scripts: Sequence[str], **values: Any) -> str:
    """A page of a template, as HTML. Its policy contains the hash of each of its scripts and of its style: a browser
    runs no other script, neither in an attribute nor in a `javascript:` address."""
    page: str = (
        _environment()
        .get_template(template)
        .render(
            scripts=scripts, style=text_of("page.css"), policy_of=lambda *texts: " ".join(map(_hash, texts)), **values
        )
    )
    return page


def text_of(name: str) -> str:
    """The text of a file in the folder of templates."""
    return (TEMPLATES / name).read_text()


def _hash(text: str) -> str:
    return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"


def _environment() -> Any:
    try:
        import jinja2
    except ImportError:
        raise Error(
            "pages require Python's library Jinja2, which is not installed: apt-get install python3-jinja2"
        ) from None
    return jinja2.Environment(
        loader=jinja2.FileSystemLoader(TEMPLATES),
        autoescape=True,
        trim_blocks=True,
        lstrip_blocks=True,
        undefined=jinja2.StrictUndefined,
    )


def report(path: str, runs: list[RunData]) -> str:
    """The page of the first run, compared with the others, as HTML. `path` is their database."""
    try:
        charts = CHARTS.read_text()
    except OSError as e:
        raise Error(f"{CHARTS}: {e.strerror}: pages require Chart.js: apt-get install libjs-chart.js") from None
    run, labels = runs[0], comparison.labels(runs)
    diagram, data = Diagram(run), plots.series(run)
    layouts = _layouts(diagram)
    differing = comparison.statistics(runs) if len(runs) > 1 else []
    latency, energy = plots.latency_stack(runs, labels), plots.energy_stack(runs, labels)
    return render(
        "report.html",
        [charts, text_of("report.js")],
        run=run,
        title=_title(run, labels[0]),
        labels=labels,
        facts=_facts(run),
        headlines=_headlines(run),
        layouts=layouts,
        alone=diagram.alone,
        statistics=tables.statistics(run),
        parameters=tables.parameters(run),
        latency=latency,
        energy=energy,
        series=data,
        differing=differing,
        differing_parameters=comparison.parameters(runs) if len(runs) > 1 else [],
        claims=_claims(path),
        number=quantities.number,
        data=dict(
            layouts=layouts,
            series=data,
            latency=latency,
            energy=energy,
            labels=labels,
            compared=[
                dict(name=f"{group} {name}", values=list(map(plots.short, values)))
                for group, name, _, _, values in differing
            ],
        ),
    )


def _title(run: RunData, label: str) -> str:
    return label if label.startswith(run.info["name"]) else f"{run.info['name']} {label}"


def _layouts(diagram: Diagram) -> list[dict[str, str]]:
    """[{group, text, svg}]: with all groups folded, with each open, and with all open if the result is readable."""
    made = [dict(group="", text="all folded", svg=_inline(diagram.svg()))]
    for group, members in diagram.groups.items():
        if len(diagram.nodes({group})) <= MOST_NODES:
            made.append(
                dict(group=group, text=f"{diagram.title(group)} × {members}", svg=_inline(diagram.svg({group})))
            )
    if len(diagram.groups) > 1 and len(diagram.nodes(diagram.open_all())) <= MOST_NODES:
        made.append(dict(group="*", text="all open", svg=_inline(diagram.svg(diagram.open_all()))))
    return made


def _inline(svg: str) -> str:
    """The drawing without the prologue of an SVG file."""
    return svg[svg.index("<svg") :]


def _facts(run: RunData) -> list[tuple[str, Any]]:
    """[(name, value)] of the run's row."""
    info = run.info
    ended = info["exit_cause"] or "it has not ended; values are from its last dump"
    seconds = info["host_seconds"]
    return [
        ("script", " ".join([info["script"] or info["name"], *run.argv])),
        ("end", ended),
        ("simulated", simulated(info["sim_time_fs"] or 0)),
        ("computed in", duration(seconds) if seconds and seconds >= 1 else f"{seconds:.2f}s" if seconds else "–"),
        ("started", (info["started"] or "–").replace("T", " ").partition(".")[0]),
        ("seed", info["seed"]),
        ("run", run.id),
        ("digest", info["digest"] or "–"),
        ("version", info["version"]),
    ]


def _headlines(run: RunData) -> list[tuple[str, str]]:
    """[(text, heading)] of the main statistics."""
    found = []
    for name, group, heading in HEADLINES:
        groups = [group] if group else dict.fromkeys(pattern(v.path) for v in run.values if v.name == name)
        for at in list(groups)[:2]:
            value = run.total(at, name)
            if value is not None:
                unit = next(v.unit for v in run.values if v.name == name and pattern(v.path) == at)
                text = f"{value:.1%}" if name.endswith("rate") and unit == "Ratio" else quantities.quantity(value, unit)
                found.append((text, heading if group else f"{heading} of {_shown(run, at)}"))
    return found[:6]


def _shown(run: RunData, group: str) -> str:
    """The displayed name of a group, or the path of its only object."""
    paths = [path for path in run.objects if pattern(path) == group]
    return paths[0] if len(paths) == 1 else group.removesuffix("[*]")


def _claims(path: str) -> list[dict[str, Any]]:
    """The rows of the table `claim`, with figures as text."""
    return [
        row
        | dict(
            stated_in=row["stated_in"] or "",
            ours=_figure(row["ours"], row),
            paper=claims.stated(row["relation"], _figure(row["paper"], row)),
        )
        for row in claims.read(connect(path), path)
    ]


def _figure(value: float | None, claim: dict[str, Any]) -> str:
    unit = claims.unit_of(claim["relation"], claim["unit"])
    return quantities.number(value) + (f" {unit}" if unit and value is not None else "")
