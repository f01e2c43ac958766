"""A decode step of a language model on a share of an H100 over one way to a larger memory.

    build/memsim configs/across.py [--way hbf-beside] [--ratio 8] [--scale quick]

`memsim across` runs it for all ways and ratios. Parts and sizes: docs/models/across.md.
"""

from memsim.across import page, runs
from memsim.across.machine import Assumed
from memsim.across.points import SCALES, Point
from memsim.across.ways import KNOWN
from memsim.options import script_parser, whole

DEFAULT = Assumed()

parser = script_parser(__doc__)
parser.add_argument("--way", default="hbf-beside", choices=KNOWN, metavar="WAY", help="such as hbf-beside, cxl+cmd")
parser.add_argument("--ratio", type=whole(1), default=8, help="footprint over local memory")
parser.add_argument("--scale", default="quick", choices=SCALES)
for name, value in vars(DEFAULT).items():
    parser.add_argument(f"--{name.replace('_', '-')}", type=type(value), default=value, help="an assumption")
args = parser.parse_args()

assumed = Assumed(**{name: getattr(args, name) for name in vars(DEFAULT)})
print(page.HEADING)
print(page.line(runs.run_here(Point(args.way, args.ratio, args.scale, assumed))))
