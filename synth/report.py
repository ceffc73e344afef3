#!/usr/bin/env python3
"""docs/resources.md, its pictures and the README's row from the committed reports: what is in it was measured, and says by what.

Usage: report.py [--check]     with --check nothing is written: exit 1 if a page or a picture is not what the reports make of it.
"""
import csv
import os
import re
import subprocess
import sys
import tempfile

import charts
import elaborate
import fpga
from energy import estimate

REPORTS = "synth/reports"
DOCUMENT = "docs/resources.md"
README, MARKS = "README.md", ("<!-- resources: make synth -->\n", "<!-- end of resources -->\n")
INTRODUCTION, PICTURES = "synth/intro.md", charts.PICTURES
SUMMARY = ["figure", "value", "prototype", "aim"]
# Rows that are not of today's RTL, as check.py --mark found them: the report, and module and where of the row.
STALE, STALE_COLUMNS = f"{REPORTS}/stale.csv", ("report", "module", "where")
# The published prototype (NetReduce 4): six ports of 100 Gb/s, figures behind place and route of a vendor's tool.
PROTOTYPE = {"LUT": 109025, "FF": 167554, "RAMB36": 993}
CELLS = [("module", "module"), ("", "block"), ("GE", "ge"), ("area, µm²", "area_um2"), ("FF", "ff"), ("RAM bits", "ram_bits"), ("clock, GHz", "fmax_ghz"), ("aim", "aim_ghz"),
         ("register to register, ns", "reg_to_reg_ns"), ("in, ns", "in_to_reg_ns"), ("out, ns", "reg_to_out_ns"), ("cells on the path", "cells_on_path")]
ROUTED = [("module", "module"), ("", "block"), ("LUT4", "lut4"), ("FF", "ff"), ("DP16KD", "dp16kd"), ("MULT18", "mult18"), ("clock, MHz", "fmax_mhz"),
          ("slowest", "fmax_min_mhz"), ("fastest", "fmax_max_mhz"), ("placer", "placer"), ("seeds", "seeds"), ("logic, ns", "logic_ns"), ("wires, ns", "routing_ns")]
# LUTs when small functions share one, as a placer packs them: netlist.paired says how.
PAIRED = "LUT, small functions in pairs"
LEVELS = 6
LOOP = 5
# Devices that are to keep to LEVELS.
AIMED = ("weir_aggregator", "weir_tree_node", "weir_uplink", "uplink_port")
# In which module of each device the depth of its own loop is told, and the register that is the loop, where it is one.
LOOPS = {"weir_aggregator": "agg_slot_state", "weir_gather_switch": "gather_concat", "weir_gather_nic": "gather_rig",
         "shell_port": "shell_queues", "weir_tree_node": "rc_request", "uplink_port": "uplink_hold", "uplink_order": "uplink_order", "weir_uplink": "uplink_hold"}
LOOP_REGISTERS = {"agg_slot_state": "rec5_q"}


# Devices that are told of only by what they have more than another one: that one, heading, and what the difference is.
COMPARED = {"leaf6": ("paper6", "What a leaf of a tree costs", "`leaf6` is `paper6` with one of its ports to a parent (docs/relay.md): the same "
                      "ports, ranks, slots, rings and connections, and a bank more for the parent's results"),
            "paper6_ecc": ("paper6", "What corrected memories cost", "`paper6_ecc` is `paper6` with `Ecc` 1: memories that docs/operations.md "
                           "names correct one flipped bit a word and find two"),
            "paper6_128": ("paper6", "What ports of 128 bytes cost", "`paper6_128` is `paper6` with beats, rows and a reduction of 128 bytes")}


def stand(configuration):
    """The commit of the RTL; with a + if the working tree is ahead of it."""
    source = [*elaborate.rooms(elaborate.top(configuration)), elaborate.CONFIGURATIONS, elaborate.RELAYS, elaborate.NODES, elaborate.UPLINKS, elaborate.LEANS, elaborate.BEATS, elaborate.SIZES, "synth/fpga.py", "tools/generate/configgen.py"]
    commit = subprocess.check_output(["git", "log", "-1", "--format=%h", "--"] + source, text=True).strip()
    return commit + ("+" if subprocess.check_output(["git", "status", "--porcelain", "--"] + source, text=True).strip() else "")


def summary(configuration, top, ultra, pairs, at_ports, loops):
    """The lines of summary-*.csv. `pairs`: LUTs that can be second functions of others; `at_ports`: levels from inputs and to outputs;
    `loops`: the deepest path within the module of LOOPS, then from its loop's register to itself or None."""
    total = top.total
    aim = PROTOTYPE if configuration in ("paper6", "prototype6") else {}
    within = LOOPS[elaborate.top(configuration)]
    aimed = elaborate.top(configuration) in AIMED
    inner, loop = loops
    lines = [{"figure": name, "value": value, "prototype": aim.get(name.split(",")[0], ""), "aim": f"below {aim[name]}" if name in aim else ""}
             for name, value in (("LUT", total["lut"]), (PAIRED, total["lut"] - pairs), ("FF", total["ff"]), ("RAMB36", total["bram36"]), ("URAM", total["uram"]),
                                 ("DSP", total["dsp"]))]
    lines += [{"figure": f"{name}, payload in UltraRAM", "value": ultra[key], "prototype": aim.get(name, ""),
               "aim": f"below {aim[name]}" if name in aim else ""} for name, key in (("LUT", "lut"), ("RAMB36", "bram36"), ("URAM", "uram"))]
    lines += [{"figure": "levels, register to register", "value": top.deepest.levels, "aim": f"at most {LEVELS}" if aimed else ""},
              {"figure": f"levels, within {within}", "value": inner.levels},
              {"figure": "levels, input to register", "value": at_ports[0]}, {"figure": "levels, register to output", "value": at_ports[1]}]
    if loop:
        register = LOOP_REGISTERS[within]
        lines.append({"figure": f"levels, {register} of {within} to itself", "value": loop.levels, "aim": f"at most {LOOP}"})
        lines.append({"figure": f"path, {register} to itself", "value": str(loop)})
    return lines + [{"figure": f"path within {within}", "value": str(inner)}, {"figure": "tool", "value": fpga.VERSION},
                    {"figure": "device", "value": f"UltraScale+ ({fpga.FAMILY}), mapped, not placed or routed"},
                    {"figure": "commit", "value": stand(configuration)}]


def table(columns, lines):
    """A Markdown table."""
    return "\n".join(["| " + " | ".join(columns) + " |", "|" + "---|" * len(columns)]
                     + ["| " + " | ".join(str(cell) for cell in line) + " |" for line in lines]) + "\n"


def read(path):
    """The lines of a CSV file."""
    with open(path, encoding="utf-8") as file:
        return list(csv.DictReader(file))


def write(path, lines, columns):
    """A CSV file."""
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, columns, lineterminator="\n")
        writer.writeheader()
        writer.writerows(lines)


def marks(name):
    """What stands behind the module of a row of report `name`: called with module and where, gives a mark if the row is stale."""
    rows = {(row["module"], row["where"]) for row in (read(STALE) if os.path.exists(STALE) else []) if row["report"] == name}
    return lambda module, where="": " **stale**" if (module, where) in rows else ""


def number(text):
    """A figure with its thousands apart."""
    return f"{float(text):,.1f}".removesuffix(".0") if re.fullmatch(r"\d+(\.\d+)?", text) else text


def section(configuration, reports):
    """What the document says of a configuration."""
    figures = {line["figure"]: line for line in read(f"{reports}/summary/{configuration}.csv")}
    rows = read(f"{reports}/xcup/{configuration}.csv")
    value, mark = lambda name: figures[name]["value"], marks(f"xcup-{configuration}")
    old = sum(bool(mark(row["module"], row["where"])) for row in rows)
    text = [f"## {configuration}\n", f"{value('tool')}, {value('device')}, RTL of commit {value('commit')}"
            + (f"; {old} of {len(rows)} rows are **stale**: their RTL has changed since" if old else "") + ".\n"]
    text.append(table(["", "this device", "prototype", "aim"],
                      [(name, number(line["value"]), number(line["prototype"]), line["aim"]) for name, line in figures.items()
                       if name.startswith(("levels", "LUT", "FF", "RAMB36", "URAM", "DSP"))]))
    if configuration == "paper6":
        text.append("![Resources beside the prototype's](pictures/resources/compare.svg)\n")
    size = float(rows[0]["lut"])
    text.append("### What costs what\n\nEach module's own share of the device, all its instances together, without what is below it. "
                "These rows add up to the device.\n")
    text.append(f"![LUTs by module](pictures/resources/share-{configuration}.svg)\n")
    own = {}
    for row in rows:
        mine = own.setdefault(row["module"], [0, 0.0, 0.0, 0.0])
        for at, name in enumerate(("instances", "all_own_lut", "all_own_ff", "all_own_bram36")):
            mine[at] += float(row[name])
    text.append(table(["module", "instances", "LUT", "share", "FF", "RAMB36"],
                      [(f"`{module}`", int(mine[0]), number(str(mine[1])), f"{100 * mine[1] / size:.1f} %", number(str(mine[2])),
                        number(str(mine[3]))) for module, mine in sorted(own.items(), key=lambda item: -item[1][1])]))
    text.append("### Each module, with all that is below it\n\nOne instance each. `levels`: the deepest path from register to register that runs "
                "through logic of the module or below.\n")
    text.append(table(["module", "at", "instances", "LUT", "FF", "RAMB36", "URAM", "DSP", "levels"],
                      [(f"`{row['module']}`" + mark(row["module"], row["where"]), row["where"] or "the top", row["instances"], number(row["lut"]), number(row["ff"]),
                        number(row["bram36"]), row["uram"], row["dsp"], row["levels"]) for row in rows]))
    text.append(f"### Deepest paths\n\nThe deepest through each module's own logic, where it is deeper than {LEVELS}: from register to register, "
                "and how many levels are spent in which module.\n")
    text.append(deepest(rows))
    return "\n".join(text)


def deepest(rows):
    """A table of the paths deeper than LEVELS through modules' own logic."""
    paths = {}
    for row in rows:
        # A parent's path that a child has as well is the child's.
        if int(row["own_levels"]) > LEVELS:
            paths.setdefault(row["own_path"], (row["module"], row["own_levels"], row["own_path"]))
    return table(["through", "levels", "path"], sorted(paths.values(), key=lambda line: (-int(line[1]), line[0])))


def compared(configuration, reports):
    """A section on what a device has more than another one of its size, module by module."""
    other, heading, words = COMPARED[configuration]
    stood, beside = ({line["figure"]: line["value"] for line in read(f"{reports}/summary/{name}.csv")} for name in (configuration, other))
    depth = "levels, register to register"
    figures = ("all_own_lut", "all_own_ff", "all_own_bram36")

    def own(name):
        sums = {}
        for row in read(f"{reports}/xcup/{name}.csv"):
            mine = sums.setdefault(row["module"], [0.0] * len(figures))
            for at, figure in enumerate(figures):
                mine[at] += float(row[figure])
        return sums

    mine, its = own(configuration), own(other)
    nothing = [0.0] * len(figures)
    more = {module: [a - b for a, b in zip(mine.get(module, nothing), its.get(module, nothing))] for module in mine | its}
    lines = [(f"`{module}`", *(f"{value:+,g}" for value in one)) for module, one in sorted(more.items(), key=lambda item: -item[1][0]) if any(one)]
    for name, sums in ((configuration, mine), (other, its)):
        lines.append((f"`{name}` in all", *(f"{sum(column):,g}" for column in zip(*sums.values()))))
    text = [f"## {heading}\n\n{stood['tool']}, {stood['device']}, RTL of commit {stood['commit']}. {words}. Modules that are alike are left out.\n",
            table(["module", "LUT more", "FF more", "RAMB36 more"], lines),
            f"Deepest path from register to register: {stood[depth]} levels, in `{other}` {beside[depth]}.\n"]
    if int(stood[depth]) > LEVELS:
        text += [f"The deepest through each module's own logic, where it is deeper than {LEVELS}:\n", deepest(read(f"{reports}/xcup/{configuration}.csv"))]
    return "\n".join(text)


def made(path):
    """One line: what made a report."""
    return ", ".join(line["value"] if line["what"] != "commit" else f"RTL of commit {line['value']}" for line in read(path)) + ".\n"


def blocks(stem, introduction, columns):
    """A section with one row a block. `columns`: heading and column of the report."""
    with open(introduction, encoding="utf-8") as file:
        text = [file.read().rstrip() + "\n", made(f"{stem}-made.csv")]
    rows, mark = read(f"{stem}.csv"), marks(os.path.basename(stem))
    text.append(table([heading for heading, _ in columns],
                      [[f"`{row[column]}`" + mark(row[column]) if column == "module" else row[column] if "." in row[column] else number(row[column])
                        for _, column in columns] for row in rows]))
    missed = [f"`{row['module']}` reaches {row['fmax_ghz']} GHz of {row['aim_ghz']}" for row in rows
              if row.get("aim_ghz") and float(row["fmax_ghz"]) < float(row["aim_ghz"])]
    if missed:
        text.append(f"The aim is missed: {'; '.join(missed)}.\n")
    text.append("Longest paths, from register to register:\n")
    text.append(table(["module", "from", "to"], [(f"`{row['module']}`", f"`{row['from']}`", f"`{row['to']}`") for row in rows]))
    return "\n".join(text)


WHOLE = [("LUT4", "lut4"), ("of them carries", "carry"), ("of them RAM", "lutram"), ("FF", "ff"), ("DP16KD", "dp16kd"), ("MULT18", "mult18"), ("clock, MHz", "fmax_mhz"),
         ("logic, ns", "logic_ns"), ("wires, ns", "routing_ns"), ("from", "from"), ("to", "to")]


def whole(stem):
    """The section on devices that were mapped to an ECP5 as a whole, and placed if they fit."""
    with open("synth/intro-route-whole.md", encoding="utf-8") as file:
        text = file.read().rstrip() + "\n\n" + made(f"{stem}-made.csv")
    mark = marks(os.path.basename(stem))
    return text + "\n" + table(["device", "which is", *(heading for heading, _ in WHOLE)],
                              [(f"`{row['device']}`" + mark(row["device"]), row["has"], *(number(row[column]) if column != "fmax_mhz" else row[column] or "not placed"
                                                                                       for _, column in WHOLE)) for row in read(f"{stem}.csv")])


# Structures of a RIG unit as NetSparse's Table 9 has them, with its shares, and the modules that are the same here.
STRUCTURES = (("list of indices (Idx Buffer)", 12, ("gather_fetch",)), ("pending table (Pend. PR Table)", 53, ("gather_pending",)),
              ("properties that are served (Prop. Buffer)", 12, ("gather_server",)), ("responses on their way to memory (LSQ)", 10, ("gather_return",)))
# Square micrometres that a bit of a memory is taken to need in an array at 45 nm.
BIT_UM2 = 0.5


def shares(rows):
    """Area of a RIG unit by structure, beside the published one. There each unit can serve; here one server does for all of a network interface's units, so each has its part of it."""
    area = {row["module"]: float(row["area_um2"]) + BIT_UM2 * float(row["ram_bits"]) for row in rows}
    area["gather_server"] /= estimate.UNITS
    total = area["gather_rig"] + area["gather_server"]
    lines = [(name, sum(area[module] for module in modules), published) for name, published, modules in STRUCTURES]
    lines.append(("rest: destination solver, filter look-ups, control", total - sum(line[1] for line in lines), 13))
    return (f"Area of a RIG unit by structure, memories at {BIT_UM2} µm² a bit; each structure as it is mapped by itself, the rest by difference. Of the server, which is one for all, a unit has "
            f"1/{estimate.UNITS}, as the published network interface has {estimate.UNITS} units that ask:\n\n"
            + table(["structure", "µm²", "share", "NetSparse Table 9"],
                    [(name, number(f"{um2:.0f}"), f"{100 * um2 / total:.0f} %", f"{published} %") for name, um2, published in lines]))


# What an area at 45 nm is at 10 nm, by the table of Stillmaker and Baas (Integration 58, 2017), which NetSparse 8.3 scales by, too.
TO_10_NM = 0.10
# Of the published system: middle pipes of a switch, bytes of all memories of a network interface, most of which are caches of its RIG units, the like of
# which there is none here, and of storage for concatenation in a pipe; square millimetres at 10 nm (NetSparse Table 5 and 9.5).
PIPES, NIC_BYTES, STORE_BYTES, NIC_MM2, CACHES_MM2, CONCATENATION_MM2 = estimate.PIPES, 3.5e6, 512 << 10, 1.43, 21.3, 1.5
PIPE = estimate.PIPE


def overheads(nic, switch):
    """Area of network interface and switch in the published size, beside the published one: rows of both reports of cells."""
    rows = {row["module"]: row for row in nic + switch}

    def cells(*modules):
        return sum(float(rows[module]["area_um2"]) for module in modules)

    caches = ("gather_cache_look", "gather_cache_data")
    parts = ((f"network interface: {estimate.UNITS} RIG units, server, ports of the host, concatenation, deconcatenation, headers; published 3.5 MB",
              estimate.UNITS * cells("gather_rig") + cells("gather_server", "gather_host", *PIPE), 8 * NIC_BYTES, NIC_MM2),
             (f"switch: property caches of {PIPES} pipes, 32 MB and their tags", PIPES * cells(*caches),
              PIPES * sum(float(rows[module]["ram_bits"]) for module in caches), CACHES_MM2),
             (f"switch: concatenation, deconcatenation, headers of {PIPES} pipes; published 512 KB each", PIPES * cells(*PIPE), PIPES * 8 * STORE_BYTES,
              CONCATENATION_MM2))
    scaled = [(name, area * TO_10_NM / 1e6, bits * BIT_UM2 * TO_10_NM / 1e6, published) for name, area, bits, published in parts]
    return (f"Area in the size of the published system, scaled to 10 nm by {TO_10_NM:.2f}, memories at {BIT_UM2} µm² a bit at 45 nm. An estimate: no wires, "
            "no macros' edges.\n\n" + table(["part", "cells, mm²", "memories, mm²", "together", "NetSparse 9.5, mm²"],
                                           [(name, f"{area:.2f}", f"{memories:.2f}", f"{area + memories:.2f}", f"{published}")
                                            for name, area, memories, published in scaled]))


def power(reports, extension):
    """The section on power: what blocks were measured to take at 45 nm, then all in the published size. What both devices have was measured in the network interface."""
    name = extension.configuration
    with open(f"synth/energy/intro-{'nic' if extension is estimate.NIC else 'switch'}.md", encoding="utf-8") as file:
        text = [file.read()]
    made, rows = read(f"{reports}/power-{name}-made.csv"), read(f"{reports}/power-{name}.csv")
    at = estimate.CLOCK_45 / 1e3   # pJ a cycle at so many GHz are so many mW
    text.append(f"Single blocks at 45 nm and {estimate.CLOCK_45} GHz, without memories; RTL of commit {made[0]['value']}.\n")
    text.append(table(["module", "cells", "FF", "leakage, mW", "clock of registers, mW", "mean, mW", "at most, mW", "clock, of all at most"],
                      [(f"`{row['module']}`", number(row["cells"]), number(row["ff"]), f"{float(row['leakage_nw']) / 1e6:.2f}",
                        *(f"{float(row[name]) / 1e3 * at * 1e3:.1f}" for name in ("clock_fj", "mean_fj", "most_fj")),
                        f"{100 * float(row['clock_fj']) / (float(row['clock_fj']) + float(row['most_fj'])):.0f} %") for row in rows]))
    text.append(f"All in the published size, at 10 nm and {extension.clock} GHz:\n")
    return "\n".join(text + [table(estimate.HEAD, estimate.table_rows(powers(reports), extension))])


def powers(reports=REPORTS):
    """Rows of all reports of power that there are."""
    return [row for extension in (estimate.NIC, estimate.SWITCH) if os.path.exists(f"{reports}/power-{extension.configuration}.csv")
            for row in read(f"{reports}/power-{extension.configuration}.csv")]


def growth(reports):
    """The section on growth."""
    with open("synth/intro-growth.md", encoding="utf-8") as file:
        text = [file.read(), "![Growth of single modules](pictures/resources/growth.svg)\n"]
    rows, mark = read(f"{reports}/scaling.csv"), marks("scaling")
    return "\n".join(text + [table(["module", "series", "parameter", "value", "LUT", "FF", "RAMB36", "levels", "from"],
                                   [(f"`{row['module']}`" + mark(row["module"], f"{row['series']} {row['value']}"), row["series"], row["parameter"], row["value"], number(row["lut"]), number(row["ff"]),
                                     number(row["bram36"]), row["levels"], row["source"]) for row in rows])])


def functions(reports):
    """The section on functions that can be left out."""
    with open("synth/intro-features.md", encoding="utf-8") as file:
        text = file.read()
    mark = marks("features")
    return text + table(["function", "LUT", "FF", "RAMB36", "the device is then"],
                        [(f"`{row['feature']}`" + mark(row["feature"]), number(row["lut"]), number(row["ff"]), number(row["bram36"]),
                          f"{number(row['device_lut'])} LUT, {number(row['device_ff'])} FF, {number(row['device_bram36'])} RAMB36")
                         for row in read(f"{reports}/features.csv")])


def headline(figures, root):
    """Puts the device's row beside the prototype's into the README."""
    with open(README, encoding="utf-8") as file:
        before, rest = file.read().split(MARKS[0])
    names = list(PROTOTYPE)
    ultra = [number(figures[f"{name}, payload in UltraRAM"]["value"]) if f"{name}, payload in UltraRAM" in figures else number(figures[name]["value"])
             for name in names]
    lines = [("published prototype", *(f"{PROTOTYPE[name]:,}" for name in names), ""),
             ("this device", *(number(figures[name]["value"]) for name in names), figures["levels, register to register"]["value"]),
             ("this device, small LUTs in pairs", number(figures[PAIRED]["value"]), *(number(figures[name]["value"]) for name in names[1:]), ""),
             ("this device, payload in UltraRAM", *ultra[:-1], f"{ultra[-1]} and {figures['URAM, payload in UltraRAM']['value']} URAM", "")]
    with open(os.path.join(root, README), "w", encoding="utf-8") as file:
        file.write(before + MARKS[0] + "\n" + table(["six ports of 100 Gb/s", *names, "LUT levels"], lines) + "\n" + MARKS[1] + rest.split(MARKS[1])[1])


def document(reports=REPORTS, root="."):
    """Writes docs/resources.md, its pictures and the README's rows below `root`: introductions by hand, the rest from the reports that there are."""
    charts.PICTURES = os.path.join(root, PICTURES)
    os.makedirs(charts.PICTURES, exist_ok=True)
    with open(INTRODUCTION, encoding="utf-8") as file:
        text = [file.read()]
    names = [name for name in elaborate.sizes() if os.path.exists(f"{reports}/xcup/{name}.csv")]
    for name in names:
        if name in COMPARED:
            continue
        charts.share(name, read(f"{reports}/xcup/{name}.csv"))
        text.append(section(name, reports))
    if os.path.exists(f"{reports}/features.csv"):
        text.append(functions(reports))
    text += [compared(name, reports) for name in names if name in COMPARED and COMPARED[name][0] in names]
    for target, columns in (("nangate45", CELLS), ("ecp5", ROUTED)):
        for name in elaborate.sizes():
            stem, device = f"{reports}/{target}-{name}", elaborate.top(name)
            if not os.path.exists(f"{stem}-made.csv"):
                continue
            of_device = {"weir_aggregator": "", "weir_gather_switch": "-switch", "weir_tree_node": "-node"}.get(device, "-gather")
            text.append(blocks(stem, f"synth/intro-{'cells' if target == 'nangate45' else 'route'}{of_device}.md", columns))
            if device == "weir_gather_nic":
                text.append(shares(read(f"{stem}.csv")))
            if device == "weir_gather_switch":
                text.append(overheads(read(f"{reports}/{target}-gather_nic4.csv"), read(f"{stem}.csv")))
            text += [power(reports, one) for one in (estimate.NIC, estimate.SWITCH) if one.configuration == name and target == "nangate45" and os.path.exists(f"{reports}/power-{name}.csv")]
    if os.path.exists(f"{reports}/ecp5-whole-made.csv"):
        text.append(whole(f"{reports}/ecp5-whole"))
    if "paper6" in names:
        figures = {line["figure"]: line for line in read(f"{reports}/summary/paper6.csv")}
        charts.compare(figures)
        headline(figures, root)
    if os.path.exists(f"{reports}/scaling.csv"):
        charts.growth(read(f"{reports}/scaling.csv"))
        text.append(growth(reports))
    with open(os.path.join(root, DOCUMENT), "w", encoding="utf-8") as file:
        file.write("<!-- Made by the programs in synth/ from synth/intro*.md, synth/energy/intro*.md and synth/reports; edit those. -->\n" + "\n".join(text))


def differing():
    """Which of the committed pages and pictures are not what the reports make of them."""
    with tempfile.TemporaryDirectory() as root:
        document(root=root)
        made = [os.path.relpath(os.path.join(folder, name), root) for folder, _, names in os.walk(root) for name in names]
        return [name for name in sorted(made) if open(name, "rb").read() != open(os.path.join(root, name), "rb").read()]


def main(arguments):
    """See above."""
    if arguments != ["--check"]:
        document()
        return 0
    wrong = differing()
    for name in wrong:
        print(f"synth: {name} is not what the reports make of it; make synth-docs makes it anew", file=sys.stderr)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
