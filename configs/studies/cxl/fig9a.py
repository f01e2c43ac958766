"""Fig. 9a of CXL-GPU: execution times with endpoints of DRAM, of UVM and GDS, and of prototypes' controllers.

    build/memsim configs/studies/cxl/fig9a.py [--scale small] [--workloads vadd bfs]
"""

from memsim.systems import cxl_gpu

fig = cxl_gpu.points.Points("fig9a", cxl_gpu.points.arguments(__doc__))
fig.add("gpu-dram", "uvm", "cxl")
fig.add("gds", media="z-nand")
fig.add("uvm", arguments=("--fault", "25us"), name="25us")
for controller in ("smt", "tpp"):
    fig.add("cxl", arguments=("--controller", controller), name=controller)
fig.run()
fig.show("time", relative_to="gpu-dram")

fig.judge("cxl-01", "cxl-02", "cxl-05", "cxl-06", "cxl-07", "cxl-08", "cxl-09", "cxl-36")
fig.close()
