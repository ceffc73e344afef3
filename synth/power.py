#!/usr/bin/env python3
"""Power of single blocks of a gather NIC or switch: energy of their mapped netlists, driven by what a simulation did at their ports.

Usage: power.py nic|switch WAVES.fst

The waves are of a NIC of gather_nic4's size or a switch of gather_switch8's at work, as synth/energy/record.sh makes them. The blocks are mapped as for cells.py, which wants the library in
NANGATE45_LIB; each netlist is stepped through the record and has to do what the RTL did (energy/activity.py). What is counted is a net's load and a cell's inside
whenever the net changes, the clock's pins and the registers' insides in each cycle, and leakage. Not counted are glitches, and a clock tree: there is none in the netlist.
Writes synth/reports/power-gather_nic4.csv or power-gather_switch8.csv, and docs/resources.md. Exit code 1 if a netlist does anything else than the RTL.
"""
import json
import os
import sys

import cells
import cli
import elaborate
import report
import tree
from energy import activity, estimate, liberty

EXTENSIONS = {"nic": estimate.NIC, "switch": estimate.SWITCH}
SEGMENTS = 26   # of activity.SEGMENT cycles, that are looked at
COLUMNS = ["module", "cells", "ff", "leakage_nw", "clock_fj", "mean_fj", "most_fj", "memory_bits", "mean_bits", "most_bits", "mean_accesses", "most_accesses", "logic"]
# What a unit asks the host for, each once through the caches: bits of `host_i` (gather_pkg's host_out_t) for data, a write's end and a bit of the filter. What goes in
# and out of the concatenation's store: a beat of a PR, and one of a packet.
ACCESSES = {"gather_rig": (("host_i", 518), ("host_i", 4), ("host_i", 2)), "gather_concat": (("pr_valid_i", 0), ("data_valid_o", 0))}


def energies(block, library, volts, wire):
    """fJ of a change of each net; of a cycle's clock if no register changes; and nW of leakage."""
    change, clock, leak = [0.0] * block.nets, 0.0, 0.0
    load = {net: sum(pins) + wire(len(pins)) for net, pins in block.sinks.items()}
    for net, farads in load.items():
        change[net] += farads * volts ** 2 / 2
    for net, _, _, kind, pin in block.gates:
        change[net] += liberty.between(*zip(*library[kind].inside[pin]), load.get(net, 0.0))
        # An inverted output is the register's own, whose leakage and clock are counted below.
        leak += library[kind].leakage if not library[kind].clock else 0.0
    for data, state, kind in block.flops:
        cell = library[kind]
        change[state] += liberty.between(*zip(*cell.inside["Q"]), load.get(state, 0.0)) + cell.taken - cell.held
        change[data] += cell.data
        clock += cell.held + (cell.inputs[cell.clock] + wire(1)) * volts ** 2
        leak += cell.leakage
    return change, clock, leak


def often(counts):
    """Mean and most of what was counted in segments, a cycle."""
    each = [count / activity.SEGMENT for count in counts]
    return sum(each) / len(each), max(each)


def ones(waves, wanted):
    """How often each of the bits ((signal, bit)) is set, by segments; those of several added."""
    signals = [(waves.signal(name), bit) for name, bit in wanted]
    return [sum((signal.value_at(cycle * activity.CYCLE + activity.BEFORE) or 0) >> bit & 1 for signal, bit in signals
                for cycle in range(n * activity.SEGMENT, (n + 1) * activity.SEGMENT)) for n in range(activity.IDLE, SEGMENTS)]


def memory(found, waves, block):
    """Bits of a block's memories, and bits that are read and written, by segments."""
    bits, moved = 0, [0.0] * (SEGMENTS - activity.IDLE)
    for instance, kind in block.memories.items():
        name = next(one for one in found if elaborate.identifier(one) == kind)
        bits += tree.memory_bits(found[name])
        width = next(width for width, _, port in elaborate.port_list(found[name]) if port == "rdata_o")
        for n, count in enumerate(ones(waves, [(f"{instance}.we_i", 0), (f"{instance}.re_i", 0)])):
            moved[n] += count * width
    return bits, moved


def measure(configuration, found, name, path, work, library_read):
    """A row of the report."""
    module = found[name].module
    stem, top, _ = cells.fastest(found, name, os.path.join(os.path.dirname(work), "cells"), library_read, cells.aim(configuration, module))
    with open(stem + ".json", encoding="utf-8") as file:
        netlist = json.load(file)["modules"][top]
    area, _ = cells.areas(library_read[0])
    library, volts, wire = liberty.read(library_read[0], {cell["type"] for cell in netlist["cells"].values()} & set(area), cells.WIRES)
    block = activity.netlist(netlist, library)
    waves = activity.Waves(path, f"weir.{elaborate.top(configuration)}.{found[name].places[0]}")
    change, clock, leak = energies(block, library, volts, wire)
    segments = activity.changes(block, waves, SEGMENTS * activity.SEGMENT, work, module)
    switched = [sum(count * each for count, each in zip(counts, change)) for counts in segments]
    bits, moved = memory(found, waves, block)
    row = {"module": module, "cells": len(block.gates) + len(block.flops), "ff": len(block.flops), "leakage_nw": f"{leak:.0f}", "clock_fj": f"{clock:.0f}", "memory_bits": bits,
           "logic": elaborate.logic(name)}
    for what, counts, digits in (("fj", switched, 0), ("bits", moved, 1), ("accesses", ones(waves, ACCESSES.get(module, ())), 4)):
        row |= {f"{which}_{what}": f"{value:.{digits}f}" for which, value in zip(("mean", "most"), often(counts))}
    return row


def main(arguments):
    """See above."""
    if len(arguments) != 2 or arguments[0] not in EXTENSIONS:
        print(__doc__, file=sys.stderr)
        return 2
    work = os.path.join(cli.build(), "power")
    os.makedirs(work, exist_ok=True)
    extension = EXTENSIONS[arguments[0]]
    configuration = extension.configuration
    found = elaborate.device(configuration, cli.build())
    library_read, rows = cells.library(os.path.join(cli.build(), "cells")), []
    for module, name in elaborate.largest(found, extension.measured).items():
        try:
            rows.append(measure(configuration, found, name, arguments[1], work, library_read))
        except ValueError as wrong:
            print(f"power.py: {module}: {wrong}", file=sys.stderr)
            return 1
        print(f"{module}: {float(rows[-1]['clock_fj']) / 1e3:.1f} pJ a cycle of clock, {float(rows[-1]['mean_fj']) / 1e3:.1f} and at most {float(rows[-1]['most_fj']) / 1e3:.1f} of all else",
              flush=True)
    report.write(f"{report.REPORTS}/power-{configuration}.csv", rows, COLUMNS)
    report.write(f"{report.REPORTS}/power-{configuration}-made.csv", [{"what": "commit", "value": report.stand(configuration)}], ["what", "value"])
    report.document()
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
