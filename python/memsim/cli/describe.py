"""`memsim describe TYPE`: what a component type declares."""

import argparse

from ..model import schema


def register(parser: argparse.ArgumentParser) -> None:
    parser.description = "What a component type declares"
    parser.add_argument("TYPE", help="such as mem.Cache; --list-sim-objects lists them")


def main(args: argparse.Namespace) -> None:
    schema.describe(args.TYPE)
