#!/usr/bin/env python3
"""Are the committed reports of this RTL? Exit 1 with a line for each row that is not.

Usage: check.py [--all] CONFIGURATION...

Nothing is synthesized, unless with --all: then what is out of date in the UltraScale+ reports is mapped, to say how much it has grown, and
the points of the growth report are elaborated too.
"""
import os
import sys

import cells
import cli
import elaborate
import report
import route
import run
import scale


def main(arguments):
    """See above."""
    everything = "--all" in arguments
    chosen = cli.configurations([argument for argument in arguments if argument != "--all"], __doc__)
    build, faults = cli.build(), []
    for name in chosen:
        faults += run.stale(name, build, everything)
        found = elaborate.device(name, build)
        for target, blocks in (("nangate45", cells.BLOCKS), ("ecp5", route.BLOCKS)):
            path = f"{report.REPORTS}/{target}-{name}.csv"
            if os.path.exists(path):
                faults += cli.stale_blocks(path, elaborate.largest(found, blocks))
    if os.path.exists(scale.REPORT):
        rows = report.read(scale.REPORT)
        faults += scale.off_line(rows) + scale.off_device(rows) + (scale.stale(build) if everything else [])
    for fault in faults:
        print(f"synth: {fault}", file=sys.stderr)
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
