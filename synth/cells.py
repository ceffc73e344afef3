#!/usr/bin/env python3
"""Standard cells: area and clock of single blocks in a cell library, by Yosys with ABC and OpenSTA.

Usage: cells.py CONFIGURATION...

The library is the Liberty file named by the environment's NANGATE45_LIB (the typical corner of the Nangate 45 nm open cell library,
plain or gzipped); its licence does not let it be a part of this tree. Writes synth/reports/nangate45-CONFIGURATION.csv and
docs/resources.md. A block that has not changed is not mapped again.
"""
import gzip
import hashlib
import json
import os
import re
import subprocess
import sys
import time

import cli
import elaborate
import fpga
import netlist
import report
import tree

# What is mapped by itself, flattened; the words are what the document calls it.
BLOCKS = {"agg_lookup": "look-up", "agg_conn_age": "ageing of connections", "agg_flush": "flush", "agg_slot_state": "slot state",
          "prim_row_widen": "widening of a row", "prim_fp32_reduce": "reduce lane", "prim_row_round": "rounding of a row",
          "roce_ingress": "a port's receive", "roce_parse": "header parser", "roce_icrc_check": "ICRC check",
          "agg_port": "port's control", "agg_align": "aligner of payload", "agg_store": "writer of banks", "agg_emit": "results' control",
          "roce_egress_align": "aligner of results", "roce_icrc_rows": "CRC of rows", "roce_icrc_join": "ICRC of results",
          "roce_icrc_place": "ICRC into its frame", "roce_out": "a port's way out", "weir_counters": "counters", "weir_control": "registers"}
# Of the gather's network interface.
NIC_BLOCKS = {"roce_icrc_check": "ICRC check", "roce_icrc_insert": "ICRC insert", "roce_parse": "header parser",
              "gather_concat": "concatenation", "gather_split": "deconcatenation", "gather_frame": "headers",
              "gather_rig": "RIG unit", "gather_fetch": "its list of indices", "gather_solver": "its destination solver",
              "gather_pending": "its pending table", "gather_return": "its responses", "gather_server": "server", "gather_host": "ports of the host"}
# Of the gather switch: what the network interface has not.
SWITCH_BLOCKS = {"gather_cache_look": "property cache, its tags", "gather_cache_data": "property cache, its segments"}
# Of a tree node: what every half ring is made of, its streaming and low-latency control, and both halves of a connection.
NODE_BLOCKS = {"prim_fp32_reduce": "reduce lane", "roce_icrc_check": "ICRC check", "sat_gather": "gathering of headers", "sat_issue": "rows into the half rings",
               "sat_fall": "replication downwards", "sat_emit": "packets of sums", "llt_decide": "low-latency decisions", "llt_scan": "agreement",
               "llt_locks": "lock cells", "rc_request": "requester", "rc_respond": "responder", "rc_queue": "receive buffer", "rc_send_buffer": "send buffer"}
# GHz that the blocks of each device have to reach: of the aggregator what 400 Gb/s a port are said for (docs/figures/performance.md), of the gather
# devices what NetSparse 8.3 reports at 45 nm. Of a tree node only these have an aim.
AIMED = {"weir_aggregator": 1.25, "weir_gather_switch": 1.5, "weir_gather_nic": 1.5}
AIMED_NODE = {"prim_fp32_reduce": 1.0, "roce_icrc_check": 1.0}
CLOCK = 1.0  # ns, of the constraints; what is told does not depend on it
COLUMNS = ["module", "block", "cells", "area_um2", "ge", "ff", "ram_bits", "fmax_ghz", "aim_ghz", "reg_to_reg_ns", "in_to_reg_ns", "reg_to_out_ns",
           "from", "to", "cells_on_path", "logic"]
# A RAM is a black box: what its macro is taken to need before the clock, and to take behind it.
RAM_SETUP, RAM_ACCESS = 0.10, 0.35
# What one with a register behind its data needs (Latency 2 of prim_ram_1r1w): that of the library's register.
RAM_REGISTER = 0.10
# What is mapped for: the first of these periods, and if a block misses its aim then, one after the other until it does not; shorter ones alone for what has
# to reach FAST. ABC knows no registers and wires, and what it makes of a block does not grow faster with each shorter period.
PERIODS_PS, FAST = (900, 550, 500, 400), 1.5
# Pins of RAMs that a cell drives by itself; ABC, which buffers all else, does not see them.
FAN_OUT = 8
WIRES = "5K_hvratio_1_1"
RUNS = [("reg", "[all_registers -clock_pins]", "[all_registers -data_pins]"), ("in", "[all_inputs]", "[all_registers -data_pins]"),
        ("out", "[all_registers -clock_pins]", "[all_outputs]")]


def library(work):
    """The Liberty file, unpacked into `work`, and the first digits of its sum."""
    path = os.environ.get("NANGATE45_LIB", "")
    if not os.path.isfile(path):
        sys.exit("cells.py: NANGATE45_LIB has to name the Liberty file of the Nangate 45 nm open cell library, typical corner")
    with (gzip.open if path.endswith(".gz") else open)(path, "rb") as file:
        data = file.read()
    os.makedirs(work, exist_ok=True)
    unpacked = os.path.abspath(os.path.join(work, "cells.lib"))
    with open(unpacked, "wb") as file:
        file.write(data)
    return unpacked, hashlib.sha256(data).hexdigest()[:16]


def areas(liberty):
    """Area of each cell in square micrometres, and the names of those that are registers."""
    with open(liberty, encoding="utf-8") as file:
        cells = re.split(r"\n\s*cell \((\w+)\)", file.read())
    bodies = dict(zip(cells[1::2], cells[2::2]))
    return ({name: float(re.search(r"\barea\s*:\s*([\d.]+)", body).group(1)) for name, body in bodies.items()},
            {name for name, body in bodies.items() if re.search(r"\n\s*(ff|latch)\s*\(", body)})


def registered(kind):
    """Whether a RAM shows its data in a register of its own."""
    return "gen_output_register" in kind.text


def ram_library(kinds):
    """Liberty of the black boxes: every input is set up before the clock, every output comes behind it."""
    types, cells = {}, []
    for kind in kinds:
        pins = []
        for width, direction, name in elaborate.port_list(kind):
            if name == "clk_i":
                pins.append("pin(clk_i) { direction : input; clock : true; capacitance : 5; }")
                continue
            rising = "rising_edge" if direction == "output" else "setup_rising"
            values = ("cell_rise", "cell_fall", "rise_transition", "fall_transition") if direction == "output" else (
                "rise_constraint", "fall_constraint")
            delay = (RAM_REGISTER if registered(kind) else RAM_ACCESS) if direction == "output" else RAM_SETUP
            tables = " ".join(f'{value}(scalar) {{ values("{0.03 if "transition" in value else delay}"); }}' for value in values)
            timing = f'timing() {{ related_pin : "clk_i"; timing_type : {rising}; {tables} }}'
            load = "" if direction == "output" else "capacitance : 2; "
            if width == 1:
                pins.append(f"pin({name}) {{ direction : {direction}; {load}{timing} }}")
            else:
                types[width] = (f"type(bits{width}) {{ base_type : array; data_type : bit; bit_width : {width}; bit_from : {width - 1}; "
                                "bit_to : 0; downto : true; }")
                pins.append(f"bus({name}) {{ bus_type : bits{width}; direction : {direction}; {load}{timing} }}")
        cells.append(f"cell({elaborate.identifier(kind.name)}) {{ area : 0; " + "\n  ".join(pins) + " }")
    return ('library(rams) { delay_model : table_lookup; time_unit : "1ns"; capacitive_load_unit(1, ff); voltage_unit : "1V"; '
            'current_unit : "1mA"; pulling_resistance_unit : "1kohm"; leakage_power_unit : "1nW"; nom_voltage : 1.1; nom_process : 1; '
            "nom_temperature : 25; slew_derate_from_library : 1; " + " ".join(
                f"{what}_pct_{edge} : {value};" for edge in ("rise", "fall")
                for what, value in (("input_threshold", 50), ("output_threshold", 50), ("slew_lower_threshold", 30), ("slew_upper_threshold", 70)))
            + "\n" + "\n".join([*types.values(), *cells]) + "\n}\n")


def commands(top, stem, liberty, period):
    """Yosys's part: from the elaborated block to a netlist of library cells."""
    return [f"read_rtlil {stem}.il", f"hierarchy -check -top {top}", f"synth -flatten -top {top} -run begin:fine",
            "opt -fast -full", "memory_map", "opt -undriven -fine", "techmap", "opt -fast", f"dfflibmap -liberty {liberty}", "opt",
            f"abc -liberty {liberty} -D {period} -constr {stem}.constr -script {stem}.abc", "hilomap -hicell LOGIC1_X1 Z -locell LOGIC0_X1 Z",
            "setundef -zero", "opt_clean -purge", "rename -enumerate -pattern cell% c:*", f"write_json {stem}.json"]


# Sums of products balanced for depth, mapping for delay, buffers for what drives more than six inputs, then sizes.
ABC = ["strash", "ifraig", "scorr", "if -g -K 6 -C 16", "strash", "dch -f", "map -B 0.9 -D {D}", "topo", "buffer -c -N 6", "upsize -D {D}",
       "dnsize -D {D}", "stime -p"]


def aim(configuration, module):
    """GHz that a block has to reach there, "" if none."""
    return AIMED.get(elaborate.top(configuration)) or AIMED_NODE.get(module, "")


def blocks(configuration):
    """What of a configuration is mapped, with the words for it."""
    return {"weir_gather_switch": SWITCH_BLOCKS, "weir_gather_nic": NIC_BLOCKS, "weir_tree_node": NODE_BLOCKS}.get(elaborate.top(configuration), BLOCKS)


def rams(found, name):
    """How many RAMs a block has."""
    return found[name].module.startswith("prim_ram_") + sum(rams(found, child) for _, child in found[name].children)


def ram_bits(found, name):
    """Bits of all RAMs of a block."""
    own = tree.memory_bits(found[name]) if found[name].module.startswith("prim_ram_") else 0
    return own + sum(ram_bits(found, child) for _, child in found[name].children)


def fan_out(stem, top):
    """Puts trees of buffers between a cell and the pins of RAMs that it drives, if they are many."""
    with open(stem + ".json", encoding="utf-8") as file:
        design = json.load(file)
    module = design["modules"][top]
    sinks, highest = {}, max(bit for net in module["netnames"].values() for bit in net["bits"] if isinstance(bit, int))
    for cell in module["cells"].values():
        if cell["type"].startswith("prim_ram_"):
            for pin, bits in cell["connections"].items():
                if cell["port_directions"][pin] == "input" and pin != "clk_i":
                    for place, bit in enumerate(bits):
                        sinks.setdefault(bit, []).append((bits, place))
    for source, driven in list(sinks.items()):
        while isinstance(source, int) and len(driven) > FAN_OUT:
            above = []
            for begin in range(0, len(driven), FAN_OUT):
                highest += 1
                for bits, place in driven[begin:begin + FAN_OUT]:
                    bits[place] = highest
                ends = {"A": [source], "Z": [highest]}
                module["cells"][f"fan{highest}"] = {"hide_name": 0, "type": "BUF_X4", "parameters": {}, "attributes": {},
                                                    "port_directions": {"A": "input", "Z": "output"}, "connections": ends}
                above.append((ends["A"], 0))
            driven = above
    with open(stem + ".json", "w", encoding="utf-8") as file:
        json.dump(design, file)


def timing(top, stem, liberty):
    """OpenSTA's part."""
    script = [f"read_liberty {liberty}", f"read_liberty {stem}.rams.lib", f"read_verilog {stem}.v", f"link_design {top}",
              f"create_clock -name clk -period {CLOCK} [get_ports clk_i]", f"set_wire_load_model -name {WIRES}", "set_wire_load_mode top",
              "set_input_delay 0 -clock clk [all_inputs]", "set_output_delay 0 -clock clk [all_outputs]",
              "set_driving_cell -lib_cell BUF_X4 [all_inputs]", "set_load 5 [all_outputs]"]
    for run, start, end in RUNS:
        script += [f'puts "## {run}"', f"report_checks -path_delay max -from {start} -to {end} -digits 4"]
    return script + ["exit"]


def map_block(found, name, work, liberty, digest, period):
    """Maps a block for a period of so many ps, and times it; where its netlist and reports lie, without their endings."""
    black = [below for below in elaborate.cone(found, name) if found[below].module.startswith("prim_ram_")]
    many = rams(found, name) > FAN_OUT
    shown = [RAM_REGISTER] if any(registered(found[below]) for below in black) else []
    top, recipe = elaborate.identifier(name), [*commands("", "", "", period), *([FAN_OUT] if many else []), *shown, *ABC, *timing("", "", ""), fpga.VERSION, digest, RAM_SETUP, RAM_ACCESS]
    stem = os.path.abspath(os.path.join(work, f"{top}.{hashlib.sha256(str(recipe).encode()).hexdigest()[:8]}"))
    if os.path.exists(stem + ".sta"):
        return stem, top, black
    for ending, text in ((".il", elaborate.together(found, name, black)), (".constr", "set_driving_cell BUF_X4\nset_load 5\n"),
                         (".abc", "\n".join(ABC).format(D=period) + "\n"), (".rams.lib", ram_library([found[below] for below in black])),
                         (".tcl", "\n".join(timing(top, stem, liberty)) + "\n")):
        with open(stem + ending, "w", encoding="utf-8") as file:
            file.write(text)
    elaborate.yosys(commands(top, stem, liberty, period), work, os.path.basename(stem))
    if many:
        fan_out(stem, top)
    # OpenSTA's reader knows no assignment to several nets at once.
    elaborate.yosys([f"read_json {stem}.json", "splitnets -ports", f"write_verilog -noattr -noexpr -nodec {stem}.v"], work,
                    os.path.basename(stem) + ".split")
    timed = subprocess.run(["sta", "-no_splash", "-exit", stem + ".tcl"], capture_output=True, text=True)
    said = timed.stdout + timed.stderr
    # OpenSTA goes on behind an error, with what it has read by then.
    path = stem + (".sta.failed" if "Error" in said else ".sta")
    with open(path, "w", encoding="utf-8") as file:
        file.write(said)
    if path.endswith("failed"):
        sys.exit(f"cells.py: OpenSTA could not read {found[name].module}; see {path}")
    return stem, top, black


def paths(stem):
    """Of each run: the least period in ns, where the path begins and ends, how many cells are on it."""
    with open(stem + ".sta", encoding="utf-8") as file:
        parts = dict(re.findall(r"^## (\w+)\n(.*?)(?=^## |\Z)", file.read(), re.M | re.S))
    timed = {}
    for run, _, _ in RUNS:
        text = parts.get(run, "")
        slack = re.search(r"(-?[\d.]+)\s+slack", text)
        if not slack:
            sys.exit(f"cells.py: OpenSTA found no path of the kind '{run}'; see {stem}.sta")
        ends = re.findall(r"^(?:Startpoint|Endpoint): (\S+)", text, re.M)
        timed[run] = (CLOCK - float(slack.group(1)), *ends, len(re.findall(r"/(?:Z|ZN|S|CO) \(", text)))
    return timed


def register(module, name):
    """What the designer calls the register or black box that is cell `name` of the netlist."""
    cell = module["cells"].get(name.replace("\\", ""), {"connections": {}})
    bits = next((bits for port, bits in cell["connections"].items() if port in ("Q", "QN", "rdata_o")), [])
    return netlist.names(module).get(bits[0], name) if bits else name


def fastest(found, name, work, library_read, ghz):
    """What map_block gives for the longest period with which the block reaches `ghz` ("": no aim), or of all of them the fastest."""
    best = None
    for period in PERIODS_PS[1:] if ghz and ghz >= FAST else PERIODS_PS:
        made = map_block(found, name, work, *library_read, period)
        took = paths(made[0])["reg"][0]
        if best is None or took < best[0]:
            best = took, made
        if not ghz or took * ghz <= 1:
            break
    return best[1]


def measure(found, name, work, library_read, sizes, words, ghz):
    """A line of the report; `words` are for the block, which has to reach `ghz`."""
    stem, top, black = fastest(found, name, work, library_read, ghz)
    with open(stem + ".json", encoding="utf-8") as file:
        module = json.load(file)["modules"][top]
    area, registers = sizes
    used = [cell["type"] for cell in module["cells"].values() if cell["type"] in area]
    other = {cell["type"] for cell in module["cells"].values()} - set(area) - {elaborate.identifier(one) for one in black}
    if other:
        sys.exit(f"cells.py: {found[name].module}: cells that are not of the library: {', '.join(sorted(other))}")
    total, timed = sum(area[kind] for kind in used), paths(stem)
    first, last = (register(module, place) for place in timed["reg"][1:3])
    return {"module": found[name].module, "block": words, "cells": len(used), "area_um2": f"{total:.0f}",
            "ge": f"{total / area['NAND2_X1']:.0f}", "ff": sum(kind in registers for kind in used), "ram_bits": ram_bits(found, name),
            "fmax_ghz": f"{1 / timed['reg'][0]:.3f}", "aim_ghz": ghz, "reg_to_reg_ns": f"{timed['reg'][0]:.3f}", "in_to_reg_ns": f"{timed['in'][0]:.3f}",
            "reg_to_out_ns": f"{timed['out'][0]:.3f}", "from": first, "to": last, "cells_on_path": timed["reg"][3],
            "logic": elaborate.logic(name)}


def synthesize(configuration, build):
    """Maps and times all blocks, writes the report."""
    work = os.path.join(build, "cells")
    found = elaborate.device(configuration, build)
    named = blocks(configuration)
    names = elaborate.largest(found, named)
    liberty, digest = library(work)
    sizes, lines = areas(liberty), []
    for module, name in names.items():
        started = time.monotonic()
        lines.append(measure(found, name, work, (liberty, digest), sizes, named[module], aim(configuration, module)))
        print(f"{configuration}: {module}: {lines[-1]['ge']} GE, {lines[-1]['fmax_ghz']} GHz, {time.monotonic() - started:.0f} s", flush=True)
    report.write(f"{report.REPORTS}/nangate45-{configuration}.csv", lines, COLUMNS)
    cli.unmark(f"nangate45-{configuration}")
    sta = subprocess.run(["sta", "-version"], capture_output=True, text=True).stdout.strip()
    report.write(f"{report.REPORTS}/nangate45-{configuration}-made.csv", [
        {"what": "tools", "value": f"{fpga.VERSION} with its ABC, OpenSTA {sta}"}, {"what": "library", "value": f"cell library with the SHA-256 {digest}.."},
        {"what": "commit", "value": report.stand(configuration)}], ["what", "value"])
    return []


if __name__ == "__main__":
    cli.main(__doc__, synthesize)
