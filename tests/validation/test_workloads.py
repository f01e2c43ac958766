"""The papers' workload tables can be made of a graph of any size."""

from validation import workload_tables


def test_the_tables_of_a_small_graph(capsys):
    workload_tables.main(["--size", "8", "--jobs", "1"])
    rows = [line.split("|")[1:-1] for line in capsys.readouterr().out.splitlines() if line.startswith("| ")]
    named = [row[0].strip() for row in rows]
    for name in ("betw", "bfs6", "FDT", "bfstopo", "pagerank", "saxpy", "mri"):
        assert name in named
    ratios = {row[0].strip(): row for row in rows[1:17]}
    assert ratios["deg"][2].strip() == "1.00"  # all of its atomics read
