"""Fig. 8b of ZnG: how unevenly the planes of the flash are written, on betw-back. The figure has no number that is
stated; IV-C concludes that registers of one plane thrash while others idle.

    build/memsim configs/studies/zng/fig08b.py [--scale small] [--workloads betw-back]
"""

from memsim.systems import zng

args = zng.points.arguments(__doc__, workloads=["betw-back"])
fig = zng.points.Points("fig08b", args)
fig.add("zng-base")
fig.run()

for point in fig.points:
    writes = {}
    for (path, name), value in fig.values(point).items():
        if name.startswith("plane_writes[") and path.startswith("flash.package["):
            writes.setdefault(path, []).append(int(value))
    print(f"{point.name}: lines written to each plane of each channel, 0 to 9 of the most")
    every = [w for planes in writes.values() for w in planes]
    most, mean = max(every), sum(every) / len(every)
    for path in sorted(writes, key=lambda p: int(p[len("flash.package[") : -1])):
        print(f"  {path:18} " + "".join(str(9 * w // most) if most else "0" for w in writes[path]))
    print(
        f"  most {most}, mean {mean:.1f}, planes that get less than half of the mean: "
        f"{sum(w < mean / 2 for w in every) / len(every):.0%}, less than a tenth: "
        f"{sum(w < mean / 10 for w in every) / len(every):.0%}"
    )
fig.close()
