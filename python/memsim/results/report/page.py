"""The page of a report: one HTML file that asks for no other."""
import base64
import hashlib
from pathlib import Path

from .. import rows
from ...study.verdict import unit_of
from ...errors import Error
from ...run.progress import duration, simulated
from ..database import connect
from ...study.claimed import places
from ...study.verdict import stated
from . import comparison, plots, quantities, tables
from .diagram import Diagram

TEMPLATES = Path(__file__).with_name("templates")
CHARTS = Path("/usr/share/javascript/chart.js/chart.min.js")  # Chart.js, MIT, of Debian's libjs-chart.js
MOST_NODES = 150  # of a diagram that a person can still read
MOST_RUNS = 8  # compared if none is named
HEADLINES = (  # (name of a statistic, path if only one is meant, heading)
    ("ipc", "gpu.dispatcher", "thread instructions a cycle"),
    ("thread_instructions", "gpu.dispatcher", "thread instructions"),
    ("kernel_time", "gpu.dispatcher", "time in kernels"),
    ("miss_rate", "gpu.l1[*]", "misses of the L1"),
    ("miss_rate", "gpu.l2[*]", "misses of the L2"),
    ("bandwidth", None, "bandwidth"),
    ("read_latency.mean", None, "read latency, mean"),
)


def render(template, scripts, **values):
    """A page of a template. Its policy names the hash of each of its scripts and of its style: a browser runs no other,
    neither one in an attribute nor that of a `javascript:` address."""
    return (
        _environment()
        .get_template(template)
        .render(
            scripts=scripts, style=text_of("page.css"), policy_of=lambda *texts: " ".join(map(_hash, texts)), **values
        )
    )


def text_of(name):
    """A file of the templates' folder."""
    return (TEMPLATES / name).read_text()


def _hash(text):
    return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"


def _environment():
    try:
        import jinja2
    except ImportError:
        raise Error(
            "pages are made with Python's library Jinja2, which is not here: " "apt-get install python3-jinja2"
        ) from None
    return jinja2.Environment(
        loader=jinja2.FileSystemLoader(TEMPLATES),
        autoescape=True,
        trim_blocks=True,
        lstrip_blocks=True,
        undefined=jinja2.StrictUndefined,
    )


def report(path, runs):
    """The page of the first run, beside the others, as text. `path` is that of their database."""
    try:
        charts = CHARTS.read_text()
    except OSError as e:
        raise Error(f"{CHARTS}: {e.strerror}: pages plot with Chart.js: apt-get install libjs-chart.js") from None
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


def _title(run, label):
    return label if label.startswith(run.info["name"]) else f"{run.info['name']} {label}"


def _layouts(diagram):
    """[{group, text, svg}]: with all groups folded, with each open, with all open if that can be read."""
    made = [dict(group="", text="all folded", svg=_inline(diagram.svg()))]
    for group, members in diagram.groups.items():
        if len(diagram.nodes({group})) <= MOST_NODES:
            made.append(
                dict(group=group, text=f"{diagram.title(group)} × {members}", svg=_inline(diagram.svg({group})))
            )
    if len(diagram.groups) > 1 and len(diagram.nodes(diagram.open_all())) <= MOST_NODES:
        made.append(dict(group="*", text="all open", svg=_inline(diagram.svg(diagram.open_all()))))
    return made


def _inline(svg):
    """Without the prologue of a file."""
    return svg[svg.index("<svg") :]


def _facts(run):
    info = run.info
    ended = info["exit_cause"] or "it has not ended: what is shown was dumped before"
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


def _headlines(run):
    """[(text, heading)] of the statistics that most people look for first."""
    found = []
    for name, group, heading in HEADLINES:
        groups = [group] if group else dict.fromkeys(tables.pattern(v.path) for v in run.values if v.name == name)
        for at in list(groups)[:2]:
            value = run.total(at, name)
            if value is not None:
                unit = next(v.unit for v in run.values if v.name == name and tables.pattern(v.path) == at)
                text = f"{value:.1%}" if name.endswith("rate") and unit == "Ratio" else quantities.quantity(value, unit)
                found.append((text, heading if group else f"{heading} of {_shown(run, at)}"))
    return found[:6]


def _shown(run, group):
    """A group by the path of its object, if it has only one."""
    paths = [path for path in run.objects if tables.pattern(path) == group]
    return paths[0] if len(paths) == 1 else group.removesuffix("[*]")


def _claims(path):
    """The rows of the table `claim`, which only studies make."""
    return [
        row
        | dict(
            stated_in=places().get(row["id"], ""),
            ours=_figure(row["ours"], row),
            paper=stated(row.get("relation"), _figure(row["paper"], row)),
        )
        for row in rows.claims(connect(path), path)
    ]


def _figure(value, claim):
    unit = unit_of(claim.get("relation"), claim.get("unit"))
    return quantities.number(value) + (f" {unit}" if unit and value is not None else "")
