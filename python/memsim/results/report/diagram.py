"""A machine as a diagram, laid out by Graphviz: objects, and connections with their rates."""
from collections.abc import Collection, Iterable
from typing import Any

from ...errors import Error, legible
from . import quantities
from .groups import INDEX, closure, groups, pattern, shown
from .run_data import RunData

# Folder of src/ -> colours of its components: (fill, line).
COLOURS = {
    "gpu": ("#e6eef8", "#5b7fae"),
    "mem": ("#e5f2ec", "#4f9178"),
    "flash": ("#fbeee0", "#b98545"),
    "xpoint": ("#efe9f6", "#8468a8"),
    "ohm": ("#efe9f6", "#8468a8"),
    "zng": ("#fbeee0", "#b98545"),
    "cmd": ("#e5f2ec", "#4f9178"),
    "cxl": ("#fae9ea", "#b36a70"),
    "cxl_gpu": ("#fae9ea", "#b36a70"),
    "link": ("#fae9ea", "#b36a70"),
    "host": ("#f7f3dd", "#9a8b3f"),
    "sap": ("#f7f3dd", "#9a8b3f"),
}
OTHER = ("#f1f2f4", "#7b828c")
FONT = "Helvetica,Arial,sans-serif"


class Diagram:
    """The diagram of one run's machine. `opened` are the groups whose objects are drawn one by one."""

    def __init__(self, run: RunData) -> None:
        linked = {end for pair in run.connections for end in pair}
        self._run = run
        self.paths = [path for path in run.objects if path in linked]
        self.alone = [path for path in run.objects if path not in linked and path != "stages"]
        self.groups = groups(self.paths)

    def open_all(self) -> set[str]:
        """All groups, as `opened`."""
        return set(self.groups)

    def nodes(self, opened: Iterable[str]) -> dict[str, list[str]]:
        """{name of a node: its objects}. A list whose group is not open is one node."""
        opened = closure(opened) | {g for g in self.groups_of_one()}
        found: dict[str, list[str]] = {}
        for path in self.paths:
            found.setdefault(shown(path, opened), []).append(path)
        return found

    def groups_of_one(self) -> set[str]:
        """The lists of one element, which are shown as the element."""
        return {p for path in self.paths for p in closure({pattern(path)})} - set(self.groups)

    def title(self, group: str) -> str:
        """The displayed name of a group: 'port[0].dram' rather than 'port[*].dram[*]' if there is one port."""
        return next(
            shown(path[: index.end()], self.groups_of_one()).removesuffix("[*]")
            for path in self.paths
            for index in INDEX.finditer(path)
            if pattern(path[: index.end()]) == group
        )

    def svg(self, opened: Collection[str] = ()) -> str:
        """The diagram as the text of an SVG file. Raises Error if Graphviz is missing or fails."""
        try:
            return str(self.graph(opened).pipe("svg", encoding="utf-8"))
        except _graphviz().ExecutableNotFound:
            raise Error(
                "diagrams require Graphviz, whose program `dot` is not installed: apt-get install graphviz"
            ) from None
        except _graphviz().CalledProcessError as e:
            raise Error(
                f"Graphviz cannot lay out the machine of run {self._run.id} (exit code {e.returncode})"
            ) from None

    def graph(self, opened: Collection[str] = ()) -> Any:
        """The diagram as a graphviz.Digraph."""
        nodes = self.nodes(opened)
        graph = _graphviz().Digraph(
            "machine",
            graph_attr=dict(
                rankdir="TB",
                bgcolor="transparent",
                fontname=FONT,
                fontsize="11",
                fontcolor="#6b7280",
                nodesep="0.25",
                ranksep="0.4",
                pad="0.1",
            ),
            node_attr=dict(
                shape="box",
                style="rounded,filled",
                fontname=FONT,
                fontsize="11",
                fontcolor="#1f2933",
                margin="0.14,0.08",
                height="0.4",
            ),
            edge_attr=dict(fontname=FONT, fontsize="9", fontcolor="#52606d", color="#8a94a0", arrowsize="0.6"),
        )
        self._add_nodes(graph, nodes)
        self._add_edges(graph, {path: name for name, paths in nodes.items() for path in paths})
        return graph

    def _add_nodes(self, graph: Any, nodes: dict[str, list[str]]) -> None:
        """Adds nodes; those of a container (`gpu`, `memory`, `port[0].medium`) are drawn in its box."""
        tree: dict[str, Any] = {}  # name of a node -> its objects; name of a container -> such a dict
        for name, paths in nodes.items():
            *containers, own = name.split(".")
            at = tree
            for container in containers:
                at = at.setdefault(container + ".", {})
            at[own] = paths
        self._add_box(graph, tree, "")

    def _add_box(self, graph: Any, tree: dict[str, Any], container: str) -> None:
        for own, inside in tree.items():
            if own.endswith("."):
                path = container + own
                box = _graphviz().Digraph(
                    f"cluster_{_key(path)}",
                    graph_attr=dict(
                        label=_text(own[:-1].replace("[*]", "")),
                        tooltip=_text(path[:-1]),
                        labeljust="l",
                        style="rounded",
                        color="#d5dae0",
                    ),
                )
                self._add_box(box, inside, path)
                graph.subgraph(box)
            else:
                self._add_node(graph, container + own, own, inside)

    def _add_node(self, graph: Any, name: str, own: str, paths: list[str]) -> None:
        kind = self._run.objects[paths[0]]
        fill, line = COLOURS.get(kind.partition(".")[0], OTHER)
        many = f" × {len(paths)}" if len(paths) > 1 else ""
        label = [own.replace("[*]", "") + many, kind, *self._figures(paths[0])]
        graph.node(
            _key(name),
            label=_text(*label),
            fillcolor=fill,
            color=line,
            peripheries="2" if many else "1",
            id=_text(f"node:{name}"),
            tooltip=_text(name),
        )

    def _figures(self, path: str) -> list[str]:
        """The sizes, clock and bandwidths of an object, from its parameters."""
        own = [p for p in self._run.parameters if p.path == path and p.value]
        sizes = [p.text for p in own if p.unit == "B" and p.name in ("size", "capacity")]
        clocks = [p.text for p in own if p.name == "clock"]
        rates = [f"{p.name} {quantities.rate(p.value)}" for p in own if p.unit == "B/s"]
        width, lanes = (next((p.value for p in own if p.name == name), None) for name in ("width", "lane_rate"))
        if width and lanes:
            rates.append(f"channel {quantities.rate(width * lanes / 8)}")
        return [line for line in [", ".join(sizes + clocks), *rates[:3]] if line]

    def _add_edges(self, graph: Any, node_of: dict[str, str]) -> None:
        """Adds one edge for all connections between two nodes, with their number and the limit of their rate."""
        rates = {(link.sender, link.receiver): link.rate for link in self._run.links}
        edges: dict[tuple[str, str], list[tuple[str, str]]] = {}
        for source, target in self._run.connections:
            edges.setdefault((node_of[source], node_of[target]), []).append((source, target))
        for (source, target), pairs in edges.items():
            first, second = pairs[0]
            there, back = rates.get((first, second)), rates.get((second, first))
            label = [f" × {len(pairs)}"] if len(pairs) > 1 else []
            label += [f" {arrow} {quantities.rate(rate)}" for arrow, rate in (("↓", there), ("↑", back)) if rate]
            # A workload is drawn above the component that requests its work.
            upward = self._run.objects[second].startswith("workload.")
            ends = (target, source) if upward else (source, target)
            graph.edge(
                *map(_key, ends),
                id=_text(f"edge:{source}:{target}"),
                label="\\l".join([*label, ""]),
                tooltip=_text(f"{source} → {target}"),
                dir="back" if upward else "forward",
                penwidth=f"{1 + min(2.0, len(pairs) ** 0.5 / 3):.1f}",
            )


def _key(name: str) -> str:
    """A node's name for Graphviz, without characters that it would interpret as ports, HTML or escapes."""
    return f"n{name.encode().hex()}"


def _text(*lines: str) -> Any:
    """Lines that Graphviz shows literally: '<...>' would be HTML, and could contain links."""
    return _graphviz().escape("\n".join(legible(line, keep="") for line in lines))


def _graphviz() -> Any:
    try:
        import graphviz
    except ImportError:
        raise Error(
            "diagrams require Python's library graphviz, which is not installed: apt-get install python3-graphviz"
        ) from None
    return graphviz
