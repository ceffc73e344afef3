#!/usr/bin/env python3
"""What each function that a device may be built without costs: paper6 without it, with corrected memories, and the difference.

Usage: features.py [NAME...]     without a name all of them; rows of the others stay as they are

A name is one of rtl/roce/roce_pkg.sv's `Without`, in the spelling of the register CAP_WITHOUT, or `ecc`. The device is elaborated without it,
modules that differ are mapped to UltraScale+ and counted. Writes synth/reports/features.csv and docs/resources.md.
"""
import os
import re
import sys
import time

import cli
import elaborate
import fpga
import netlist
import report
import tree

REPORT, DEVICE = f"{report.REPORTS}/features.csv", "paper6"
FIGURES = ("lut", "ff", "bram36")
COLUMNS = ["feature", *FIGURES, *(f"device_{name}" for name in FIGURES), "modules", "logic"]
PACKAGE = "rtl/roce/roce_pkg.sv"
# Several at once: what one of them alone does not show, because others need the same logic.
TOGETHER = {"fp16+bf16": ("fp16", "bf16"), "fp16+bf16+int32+min_max": ("fp16", "bf16", "int32", "min_max"), "ipv6+vlan": ("ipv6", "vlan")}


def bits():
    """Name to bit of what can be left out, in their order."""
    with open(PACKAGE, encoding="utf-8") as file:
        found = re.findall(r"localparam int unsigned Without(\w+) = (\d+);", file.read())
    return {re.sub(r"(?<!^)([A-Z])", r"_\1", name).lower(): int(bit) for name, bit in found}


def features():
    """Name to the parameter that makes the device differ."""
    known = bits()
    chosen = {name: f"-GWithout={1 << bit}" for name, bit in known.items()}
    chosen |= {name: f"-GWithout={sum(1 << known[one] for one in parts)}" for name, parts in TOGETHER.items()}
    return chosen | {"ecc": "-GEcc=1"}


def kinds(more, build):
    """The kinds of the device with one more parameter, and its top's name."""
    top = elaborate.top(DEVICE)
    found = elaborate.kinds(top, elaborate.parameters(DEVICE) + more + elaborate.sources(top), os.path.join(build, "features", more[0] if more else "all"))
    return found, next(kind.name for kind in found.values() if kind.module == top)


def counted(found, mapper):
    """Figures of the device: all kinds, each as often as it stands there."""
    total = {}
    for kind in sorted(found.values(), key=lambda kind: len(kind.text)):
        tree.add(total, netlist.count(mapper.mapped(kind, found)[0], {child for _, child in kind.children}), len(kind.places))
    return {name: total.get(name, 0) for name in FIGURES}


def row(name, parameter, whole, whole_found, mapper, build):
    """The line of a feature: what the device has more with it."""
    found, top = kinds([parameter], build)
    figures = counted(found, mapper)
    locals_of = lambda all_of: {kind.local for kind in all_of.values()}
    changed = {one.split(".")[0] for one in locals_of(whole_found) ^ locals_of(found)}
    sign = -1 if name == "ecc" else 1   # a device has that only if it is asked for
    line = {"feature": name, "modules": " ".join(sorted(changed)), "logic": elaborate.logic(top)}
    line |= {figure: tree.plain(sign * (whole[figure] - figures[figure])) for figure in FIGURES}
    return line | {f"device_{figure}": tree.plain(figures[figure]) for figure in FIGURES}


def stale(build):
    """The rows that are not of this RTL: (module, where, sentence)."""
    if not os.path.exists(REPORT):
        return []
    committed, chosen = {line["feature"]: line["logic"] for line in report.read(REPORT)}, features()
    faults = [(name, "", f"{REPORT}: {name} is {'out of date' if name in committed else 'missing'}") for name, parameter in chosen.items()
              if committed.get(name) != elaborate.logic(kinds([parameter], build)[1])]
    return faults + [(name, "", f"{REPORT}: {name} is no feature") for name in committed if name not in chosen]


def main(arguments):
    """See above."""
    chosen, started, build = features(), time.monotonic(), cli.build()
    unknown = [name for name in arguments if name not in chosen]
    if unknown:
        print(f"synth: there is no feature {unknown[0]}; there are {', '.join(chosen)}", file=sys.stderr)
        return 2
    mapper = fpga.Mapper(os.path.join(build, "cache"))
    found, _ = kinds([], build)
    whole = counted(found, mapper)
    lines = {line["feature"]: line for line in report.read(REPORT)} if os.path.exists(REPORT) else {}
    for name in arguments or chosen:
        lines[name] = row(name, chosen[name], whole, found, mapper, build)
        print(f"{name}: " + ", ".join(f"{lines[name][figure]} {figure}" for figure in FIGURES), flush=True)
        report.write(REPORT, [lines[one] for one in chosen if one in lines], COLUMNS)
        cli.unmark("features", lambda row, name=name: row["module"] == name)
    report.document()
    print(f"{time.monotonic() - started:.0f} s")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
