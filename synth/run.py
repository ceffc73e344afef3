#!/usr/bin/env python3
"""Synthesis for UltraScale+: how large each module of the device is, and how deep its logic.

Usage: run.py CONFIGURATION...

Writes synth/reports/xcup/CONFIGURATION.csv and memories/CONFIGURATION.csv; docs/resources.md comes from them all. A module
that has not changed is not synthesized again. Exit 1 if a memory is not where it was expected.
"""
import csv
import os

import cli
import elaborate
import fpga
import netlist
import report
import tree

REPORTS = report.REPORTS
# By more than this share no block grows without its row being called so.
GROWTH = 0.10
# From this size on a memory is also tried in UltraRAM, which has 288 Kbit a block.
ULTRA_BITS = 1 << 20


def synthesize(configuration, build):
    """Maps what is not in the cache, writes the reports; what is wrong, as sentences."""
    found = elaborate.device(configuration, build)
    mapper, netlists, spent = fpga.Mapper(os.path.join(build, "cache")), {}, 0.0
    # Small ones first: what is wrong with the flow shows early.
    for at, kind in enumerate(sorted(found.values(), key=lambda kind: len(kind.text))):
        netlists[kind.name], seconds = mapper.mapped(kind, found)
        spent += seconds
        if seconds:
            print(f"{configuration}: {at + 1} of {len(found)}, {kind.module} in {seconds:.0f} s", flush=True)
    top = next(name for name, kind in found.items() if kind.module == elaborate.top(configuration))
    made, held, joined = tree.analyse(top, found, netlists)
    lines = [row.line() for row in made]
    report.write(f"{REPORTS}/xcup/{configuration}.csv", lines, tree.COLUMNS)
    report.write(f"{REPORTS}/memories/{configuration}.csv", held, list(held[0]))
    arriving, leaving = joined.at_ports()
    within = report.LOOPS[elaborate.top(configuration)]
    register = report.LOOP_REGISTERS.get(within)
    loops = joined.deepest_within(within), joined.deepest_within(within, register) if register else None
    ultra = with_ultra_ram(found, netlists, made[0].total, os.path.join(build, "cache"))
    pairs = sum(netlist.paired(netlists[name]) * len(kind.places) for name, kind in found.items())
    report.write(f"{REPORTS}/summary/{configuration}.csv", report.summary(configuration, made[0], ultra, pairs, (arriving, leaving), loops),
          report.SUMMARY)
    cli.unmark(f"xcup-{configuration}")
    faults = [f"{configuration}: {line['where']}: {line['width']} x {line['words']}: {line['fault']}" for line in held if line["fault"]]
    if not made[0].total["bram36"] and not made[0].total["uram"]:
        faults.append(f"{configuration}: not a single block RAM; something is wrong with the synthesis")
    print(f"{configuration}: {lines[0]['lut']} LUT ({made[0].total['lut'] - pairs} in pairs), {lines[0]['ff']} FF, {lines[0]['bram36']} RAMB36, {lines[0]['levels']} levels; "
          f"{len(found)} modules, {spent:.0f} s of synthesis")
    return faults


def with_ultra_ram(found, netlists, total, cache):
    """The device's figures with its largest memories in UltraRAM instead of block RAM."""
    mapper, figures = fpga.Mapper(cache, "-uram"), dict(total)
    for kind in found.values():
        if tree.memory_bits(kind) >= ULTRA_BITS:
            more = netlist.count(mapper.mapped(kind, found)[0], {child for _, child in kind.children})
            less = netlist.count(netlists[kind.name], {child for _, child in kind.children})
            tree.add(figures, more, len(kind.places))
            tree.add(figures, less, -len(kind.places))
    return figures


def stale(configuration, build, measure):
    """The rows of a committed report that are not of this RTL: (module, where, what is wrong). `measure`: with what has become of them."""
    path = f"{REPORTS}/xcup/{configuration}.csv"
    if not os.path.exists(path):
        return [("", "", f"{path} is missing")]
    with open(path, encoding="utf-8") as file:
        committed = {(line["module"], line["where"]): line for line in csv.DictReader(file)}
    found, faults = elaborate.device(configuration, build), []
    groups = dict(tree.groups(found))
    mapper = fpga.Mapper(os.path.join(build, "cache")) if measure else None
    for (module, where), kinds in groups.items():
        row = committed.get((module, where))
        if row is None:
            faults.append((module, where, f"{path}: {module} at {where} is missing"))
        elif row["logic"] != tree.logic(kinds):
            # A row whose own logic is the same is only out of date by what is below it.
            more = grown(row, kinds, found, mapper) if mapper else ""
            faults.append((module, where, f"{path}: {module} at {where or 'the top'} is out of date{more}"))
    return faults + [(module, where, f"{path}: {module} at {where} is not in the device") for module, where in committed if (module, where) not in groups]


def grown(row, kinds, found, mapper):
    """How a module's own figures differ from those of its row, in words."""
    own = [netlist.count(mapper.mapped(kind, found)[0], {child for _, child in kind.children}) for kind in kinds]
    now, words = max(own, key=lambda one: one["lut"]), []
    for name in tree.FIGURES:
        was = float(row[f"own_{name}"])
        if now[name] != was:
            much = f", more than {GROWTH:.0%}" if now[name] > was * (1 + GROWTH) else ""
            words.append(f"{name} {was:g} -> {now[name]:g} ({(now[name] - was) / was if was else 1:+.0%}{much})")
    return ": own " + ", ".join(words) if words else ": own figures the same"


if __name__ == "__main__":
    cli.main(__doc__, synthesize)
