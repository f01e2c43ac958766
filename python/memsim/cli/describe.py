"""`memsim describe TYPE`: what a component type declares, or what a name means."""

import argparse

from ..model import schema


def register(parser: argparse.ArgumentParser) -> None:
    parser.description = "What a component type declares, or what a name means that a parameter takes"
    parser.add_argument("TYPE", help="such as mem.Cache (--list-sim-objects lists them), or a policy, a table or a workload: lru, hbm2, z_nand")


def main(args: argparse.Namespace) -> None:
    schema.describe(args.TYPE)
