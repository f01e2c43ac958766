"""CMD's gain under each assumption alone: what every claim hangs on.

    build/memsim configs/studies/cmd/sensitivity.py [--scale small] [--only bandwidth "hash interval"]
"""

from memsim.systems import cmd

args = cmd.points.arguments(
    __doc__,
    more=lambda parser: parser.add_argument(
        "--only", nargs="+", default=cmd.assumptions.NAMES, metavar="NAME", help="assumptions"
    ),
)
fig = cmd.points.Points("sensitivity", args)
fig.add("baseline", "cmd")
chosen = [a for a in cmd.assumptions.chosen(args.only) if a.applies("", "cmd")]
for a in chosen:
    for platform in ("baseline", "cmd"):
        if a.applies("", platform):
            fig.add(platform, arguments=a.arguments, options=a.options, name=platform + a.variant)
fig.run()
fig.show("ipc", relative_to="baseline")
print(f"\n{'assumption':48}gain of CMD")
for variant in ("", *(a.variant for a in chosen)):
    base = "baseline" + variant if ("baseline" + variant) in fig.frame.index.get_level_values(0) else "baseline"
    gain = (fig.frame.ipc.loc["cmd" + variant] / fig.frame.ipc.loc[base]).mean() - 1
    print(f"{variant or ' none':48}{100 * gain:+.1f} %")
fig.close()
