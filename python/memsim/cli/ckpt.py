"""`memsim ckpt info|show|verify`: the contents of a checkpoint, and a test that a script's checkpoints restore the same
run."""

import argparse
import json
import time

from .. import _memsim
from ..errors import Error, legible
from ..run import checkpoints
from .restoring import verify


def register(parser: argparse.ArgumentParser) -> None:
    parser.description = "Show a checkpoint, or verify a script's"
    actions = parser.add_subparsers(dest="action", required=True)
    info = actions.add_parser("info", help="its run, script and time", allow_abbrev=False)
    info.add_argument("FILE", help="OUTDIR/*.ckpt")
    show = actions.add_parser("show", help="the components, or the state of one as JSON", allow_abbrev=False)
    show.add_argument("FILE", help="OUTDIR/*.ckpt")
    show.add_argument("PATH", nargs="?", help="such as gpu.sm[0]; without it the paths are listed")
    check = actions.add_parser(
        "verify", help="save a script's run at random ticks, restore and compare", allow_abbrev=False
    )
    verify.register(check)


def main(args: argparse.Namespace) -> int:
    if args.action == "verify":
        return verify.main(args)
    args.FILE = checkpoints.find(args.FILE)
    if args.action == "info":
        _print_info(args.FILE)
        return 0
    saved = _memsim.read_checkpoint(args.FILE)
    if args.PATH is None:
        for path, kind, _ in saved.configuration["objects"]:
            print(legible(f"{path:24} {kind}", keep=""))
        return 0
    try:
        state = saved.show(args.PATH)
    except Error as e:
        raise Error(f"{args.FILE}: {e}; memsim ckpt show {args.FILE} lists them") from None
    print(json.dumps(json.loads(state), indent=2))
    return 0


def _print_info(file: str) -> None:
    i = _memsim.checkpoint_info(file)
    rows = {
        "script": " ".join([i["script"] or "(none)", *i["argv"]]),
        "time": _memsim.show_ticks(i["now"]),
        "run": i["run"],
        "configuration": i["configuration"],
        "components": f"{i['objects']}, {i['events']} events pending",
        "size": f"{i['bytes']} B, {i['bytes_unpacked']} B unpacked",
        "written": f"{time.strftime('%Y-%m-%d %H:%M:%S', time.gmtime(i['written']))} UTC",
        "version": i["version"],
    }
    for name, text in rows.items():
        print(f"{name:14} {legible(text, keep='')}")
