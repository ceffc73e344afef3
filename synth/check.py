#!/usr/bin/env python3
"""Which rows of the committed reports are not of this RTL, and which contradict each other? A line for each.

Usage: check.py [--all] [--mark] [--strict] CONFIGURATION...

Exit 1 if figures contradict each other; with --strict also if a row is stale. Nothing is synthesized, unless with --all: then what is out of date in the UltraScale+ reports is mapped, to say how much it has grown.
--mark writes the rows into synth/reports/stale.csv, from which docs/resources.md calls them stale; the points of the growth report are
elaborated then, too, as with --all.
"""
import os
import sys

import cells
import cli
import elaborate
import features
import report
import route
import run
import scale


def stale_rows(chosen, everything, growth):
    """(report, module, where, sentence) of each row that is not of this RTL."""
    build, rows = cli.build(), []
    for name in chosen:
        rows += [(f"xcup-{name}", *row) for row in run.stale(name, build, everything)]
        found = elaborate.device(name, build)
        for target, blocks in (("nangate45", cells.blocks(name)), ("ecp5", route.BLOCKS)):
            path = f"{report.REPORTS}/{target}-{name}.csv"
            if os.path.exists(path):
                rows += [(f"{target}-{name}", *row) for row in cli.stale_blocks(path, elaborate.largest(found, blocks))]
    if growth:
        rows += [("features", *row) for row in features.stale(build)]
        rows += [("ecp5-whole", *row) for row in route.stale_whole(build)]
    if growth and os.path.exists(scale.REPORT):
        rows += [("scaling", *row) for row in scale.stale(build)]
    return rows


def main(arguments):
    """See above."""
    switches = {argument for argument in arguments if argument in ("--all", "--mark", "--strict")}
    chosen = cli.configurations([argument for argument in arguments if argument not in switches], __doc__)
    rows = stale_rows(chosen, "--all" in switches, bool(switches))
    growth = report.read(scale.REPORT) if os.path.exists(scale.REPORT) else []
    faults = scale.off_line(growth) + scale.off_device(growth)
    if "--mark" in switches:
        report.write(report.STALE, [dict(zip(report.STALE_COLUMNS, row)) for row in rows], report.STALE_COLUMNS)
        report.document()
    for row in rows:
        print(f"stale: {row[-1]}")
    for fault in faults:
        print(f"synth: {fault}", file=sys.stderr)
    return 1 if faults or (rows and "--strict" in switches) else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
