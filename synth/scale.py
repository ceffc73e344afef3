#!/usr/bin/env python3
"""How the device grows: single modules at several sizes, and the straight lines through them.

Usage: scale.py [SERIES...]     without a name all of them; rows of the others stay as they are

Each module of SERIES is mapped to UltraScale+ with all that is below it, at a few values of one parameter; a line y = a + b x is laid
through what was measured, and gives the values that were not. A measured value that is further from its line than TOLERANCE is a
fault: then growth is no line, and all its values have to be measured. Writes synth/reports/scaling.csv and docs/resources.md.
"""
import csv
import os
import re
import sys
import time

import cli
import elaborate
import fpga
import report
import tree

REPORT = f"{report.REPORTS}/scaling.csv"
COLUMNS = ["series", "module", "parameter", "value", "lut", "ff", "bram36", "source", "logic", "levels"]
FIGURES = ("lut", "ff", "bram36")
TOLERANCE, FEW = 0.10, 8  # of the measured value, or so many of anything: a small module has its steps
# Ranks of a ring and ports are H of the paper, messages on their way N; a column is one packet of a message.
SERIES = [
    # name, module, fixed parameters, the one that varies, measured, from the line; what takes longest comes last
    ("ranks, decision", "agg_slot_state", "-GNumPorts=6 -GNumSlots=680", "NumRanks", (2, 6, 16), (3, 4, 8)),
    ("window N", "agg_message_table", "-GNumConns=8", "History", (2, 4, 8, 16), ()),
    ("connections", "agg_conn_table", "-GNumRanks=6 -GNumRings=8", "NumConns", (64, 256, 1024), ()),
    ("columns", "agg_bank", "-GSlotBytes=1024", "NumSlots", (170, 340, 680, 1360, 2720), ()),
    ("payload bytes", "agg_bank", "-GNumSlots=680", "SlotBytes", (256, 512, 1024, 2048, 4096), ()),
    ("ports, half rings", "sat_ring", "-GWideLanes=0", "NumPorts", (4, 8, 16), ()),
    ("ports, engine", "sat_stream", "", "NumPorts", (4, 8, 16), ()),
    # The balanced tree of as many, beside the half rings.
    ("ranks", "agg_reduce", "-GWideLanes=0", "NumRanks", (2, 4, 8, 16), (3, 6)),
    ("ranks, 16-bit lanes", "agg_reduce", "-GWideLanes=1", "NumRanks", (2, 3), (4, 6, 8, 16)),
]
# Whose sources a module is of, if not the aggregator's.
TOPS = {"sat_ring": "weir_tree_node", "sat_stream": "weir_tree_node"}


def elaborated(module, fixed, parameter, value, build):
    """The kinds of a module at one size, and its own kind's name."""
    found = elaborate.kinds(module, fixed.split() + [f"-G{parameter}={value}"] + elaborate.sources(TOPS.get(module, "weir_aggregator")),
                            os.path.join(build, "scale", f"{module}-{parameter}-{value}"))
    return found, next(kind.name for kind in found.values() if "" in kind.places)


def measured(found, own, mapper):
    """LUT, FF and RAMB36 of a module with all that is below it, and its levels from register to register."""
    netlists = {kind.name: mapper.mapped(kind, found)[0] for kind in found.values()}
    top = tree.analyse(own, found, netlists)[0][0]
    return {name: top.total[name] for name in FIGURES}, top.deepest.levels


def line_through(points):
    """Least squares: (a, b) of y = a + b x."""
    mean_x, mean_y = (sum(column) / len(points) for column in zip(*points))
    spread = sum((x - mean_x) ** 2 for x, _ in points)
    slope = sum((x - mean_x) * (y - mean_y) for x, y in points) / spread
    return mean_y - slope * mean_x, slope


def off_line(rows):
    """What of the measured values is too far from its line, as sentences."""
    faults = []
    # A series without a value from its line is measured alone; it may grow as it likes.
    for series in dict.fromkeys(row["series"] for row in rows if row["source"] == "line"):
        mine = [row for row in rows if row["series"] == series and row["source"] == "measured"]
        for figure in FIGURES:
            start, slope = line_through([(float(row["value"]), float(row[figure])) for row in mine])
            for row in mine:
                value, there = float(row[figure]), start + slope * float(row["value"])
                if not near(value, there):
                    faults.append(f"{REPORT}: {row['module']}, {row['parameter']} {row['value']}: {value:g} {figure}, {there:.0f} on the line")
    return faults


def off_device(rows):
    """What of the values for a measured configuration's own size is too far from what that was measured to have, as sentences."""
    with open("rtl/top/configs.csv", encoding="utf-8") as file:
        sizes = list(csv.DictReader(line for line in file if not line.startswith("#")))
    return [fault for size in sizes if os.path.exists(f"{report.REPORTS}/xcup/{size['name']}.csv") for fault in off_configuration(rows, size)]


def off_configuration(rows, size):
    """The same for one of them, whose row of configs.csv is `size`."""
    device = {row["module"]: row for row in report.read(f"{report.REPORTS}/xcup/{size['name']}.csv")}
    faults = []
    for name, module, fixed, parameter, _, _ in SERIES:
        given = dict(re.findall(r"-G(\w+)=(\w+)", fixed))
        if module not in device or parameter not in size or any(size[key] != value for key, value in given.items()):
            continue
        for row in rows:
            if row["series"] == name and str(row["value"]) == size[parameter]:
                faults += [f"{REPORT}: {module}, {parameter} {row['value']}: {row[figure]} {figure}, in {size['name']} {device[module][figure]}"
                           for figure in FIGURES if not near(float(row[figure]), float(device[module][figure]))]
    return faults


def near(value, other):
    """Two figures that may pass for the same."""
    return abs(value - other) <= max(TOLERANCE * value, FEW)


def lines(series, build, mapper):
    """The rows of one series: measured ones, then those of the line."""
    name, module, fixed, parameter, measure, derive = series
    rows = []
    for value in measure:
        started = time.monotonic()
        found, own = elaborated(module, fixed, parameter, value, build)
        total, levels = measured(found, own, mapper)
        rows.append({"series": name, "module": module, "parameter": parameter, "value": value, "source": "measured", "levels": levels,
                     "logic": elaborate.logic(own), **{figure: f"{total[figure]:g}" if figure == "bram36" else total[figure] for figure in FIGURES}})
        print(f"{module}, {parameter} {value}: {total['lut']} LUT, {levels} levels, {time.monotonic() - started:.0f} s", flush=True)
    laws = {figure: line_through([(row["value"], float(row[figure])) for row in rows]) for figure in FIGURES}
    for value in derive:
        rows.append({"series": name, "module": module, "parameter": parameter, "value": value, "source": "line", "logic": "", "levels": "",
                     **{figure: f"{max(0, start + slope * value):.0f}" for figure, (start, slope) in laws.items()}})
    return rows


def stale(build):
    """The measured values of the committed report that are not of this RTL: (module, series and value, sentence)."""
    committed = {(row["series"], row["value"]): row["logic"] for row in report.read(REPORT) if row["source"] == "measured"}
    return [(module, f"{name} {value}", f"{REPORT}: {module}, {parameter} {value} is {'out of date' if (name, str(value)) in committed else 'missing'}")
            for name, module, fixed, parameter, values, _ in SERIES for value in values
            if committed.get((name, str(value))) != elaborate.logic(elaborated(module, fixed, parameter, value, build)[1])]


def main(arguments):
    """See above."""
    if any(name not in [series[0] for series in SERIES] for name in arguments):
        print(__doc__, file=sys.stderr)
        return 2
    build = cli.build()
    mapper = fpga.Mapper(os.path.join(build, "cache"))
    committed, rows = report.read(REPORT) if os.path.exists(REPORT) else [], []
    for series in SERIES:
        kept = [row for row in committed if row["series"] == series[0]]
        chosen = not arguments or series[0] in arguments
        rows += lines(series, build, mapper) if chosen else kept
        if chosen:
            cli.unmark("scaling", lambda row, name=series[0]: row["where"].rsplit(" ", 1)[0] == name)
        # Each series that is done stays, whenever this is ended.
        waiting = [other[0] for other in SERIES[SERIES.index(series) + 1:]]
        report.write(REPORT, rows + [row for row in committed if row["series"] in waiting], COLUMNS)
    report.document()
    faults = off_line(rows) + off_device(rows)
    for fault in faults:
        print(f"synth: {fault}", file=sys.stderr)
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
