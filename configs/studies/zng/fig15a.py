"""Fig. 15a of ZnG: what 1 to 8 copies of a workload gain over one, on ZnG and with DRAM for everything.

    build/memsim configs/studies/zng/fig15a.py [--scale small] [--workloads betw back] [--copies 1 2 4 8]

All on the machine of the largest number of copies, or it would grow with them. zng-39 is read as what ZnG
gains with most copies, of what DRAM gains.
"""

from memsim.systems import zng


def copies(parser):
    parser.add_argument("--copies", type=int, nargs="+", default=[1, 2, 4, 8])


args = zng.points.arguments(__doc__, workloads=("betw", "back"), more=copies)
names, most = [n.split("-")[0] for n in args.workloads], max(args.copies)
args.workloads = [f"{name}*{n}" for name in names for n in args.copies]
fig = zng.points.Points("fig15a", args)
for name in names:
    fig.add("zng", "ideal", workloads=[f"{name}*{n}" for n in args.copies], arguments=["--sized-for", f"{name}*{most}"])
fig.run()
fig.show("ipc")


def gain(platform, name):
    ipc = fig.frame["ipc"].loc[platform]
    return ipc[f"{name}*{most}"] / ipc[f"{name}*{min(args.copies)}"] - 1


def share(name):
    return 100 * gain("zng", name) / gain("ideal", name) if gain("ideal", name) else 0.0


for name in names:
    print(
        f"{most} copies of {name} gain {gain('zng', name):.1%} on zng, {gain('ideal', name):.1%} on ideal: "
        f"{share(name):.0f} %"
    )

if most > min(args.copies):
    fig.claim("zng-39", fig.over_seeds(lambda: share(names[0])))
else:
    fig.not_modelled("zng-39")
fig.close()
