#!/usr/bin/env python3
"""What synthesis made of a module, for those who want to see that it still does the same.

Usage: mapped.py netlist [--broken] MODULE[-PARAMETER_VALUE..] FILE.v
       mapped.py prove [--broken] MODULE[-PARAMETER_VALUE..]

`netlist` maps the module to UltraScale+ and writes it back as Verilog of the same name and ports, each cell replaced by what it does,
so that the module's unit test can run on it. `prove` compares it with the RTL by SAT, register by register, for all inputs: exit 1
if they differ or the proof does not come through. --broken inverts one LUT: both have to notice.
"""
import json
import os
import sys

import elaborate
import fpga

CELLS = ["read_verilog -lib -specify +/xilinx/cells_sim.v", "read_verilog -lib +/xilinx/cells_xtra.v"]


def rtl(tag):
    """The module's name, and the commands that read it from the sources."""
    module, *given = tag.split("-")
    parameters = " ".join("-G{}={}".format(*one.rsplit("_", 1)) for one in given)
    return module, [f"read_slang --max-constexpr-steps 100000000 --ignore-assertions --top {module} {parameters} "
                    + " ".join(elaborate.sources())]


def break_one(path):
    """Inverts one LUT of a netlist: of the widest, the one in the middle."""
    with open(path, encoding="utf-8") as file:
        design = json.load(file)
    cells = [cell for module in design["modules"].values() if not int(module["attributes"].get("blackbox", "0"), 2)
             for _, cell in sorted(module["cells"].items()) if cell["type"].startswith("LUT")]
    widest = [cell for cell in cells if cell["type"] == max(one["type"] for one in cells)]
    table = widest[len(widest) // 2]["parameters"]
    table["INIT"] = "".join("1" if bit == "0" else "0" for bit in table["INIT"])
    with open(path, "w", encoding="utf-8") as file:
        json.dump(design, file)


def mapped(tag, work, stem, broken):
    """Maps, in files that begin with `stem`; the module's name, and the commands that read what came of it, flat and without a cell of the family."""
    module, read = rtl(tag)
    path = os.path.join(work, stem + ".json")
    synth = f"synth_xilinx -family {fpga.FAMILY} -flatten -noiopad -noclkbuf -top {module}"
    steps = [f"{synth} -run prepare:"]
    if module in fpga.PARITIES:
        steps = [f"{synth} -run prepare:fine", *fpga.parities(), f"{synth} -run fine:"]
    elaborate.yosys(CELLS + read + steps + [f"select -module {module}", f"write_json -selected {path}"], work, stem + ".map")
    if broken:
        break_one(path)
    return module, [f"read_json {path}", "read_verilog +/xilinx/cells_sim.v", f"hierarchy -check -top {module}", "proc", "flatten",
                    "opt_clean -purge"]


def netlist(tag, path, broken):
    """Writes the netlist."""
    work, stem = os.path.dirname(path), os.path.basename(path).removesuffix(".v")
    os.makedirs(work, exist_ok=True)
    _, read = mapped(tag, work, stem, broken)
    # The flat cells' names are in Yosys's own style; Verilator's opinion on style is for what people write.
    elaborate.yosys(read + [f"write_verilog -noattr {path}.part"], work, stem + ".write")
    with open(path + ".part", encoding="utf-8") as file, open(path, "w", encoding="utf-8") as out:
        out.write("// Made by synth/mapped.py from the RTL.\n/* verilator lint_off WIDTH */\n/* verilator lint_off UNUSEDSIGNAL */\n"
                  "/* verilator lint_off DECLFILENAME */\n/* verilator lint_off UNOPTFLAT */\n/* verilator lint_off UNDRIVEN */\n" + file.read())
    os.remove(path + ".part")


def prove(tag, work, broken):
    """True if RTL and netlist are the same."""
    os.makedirs(work, exist_ok=True)
    stem = f"prove-{'broken-' if broken else ''}{tag}"
    module, read = mapped(tag, work, stem, broken)
    script = [*rtl(tag)[1], "proc", "flatten", "memory_map", "opt_clean -purge", f"rename {module} gold", "design -stash gold", *read, "memory_map",
              "async2sync", f"rename {module} gate", "design -stash gate", "design -copy-from gold -as gold gold", "design -copy-from gate -as gate gate",
              "equiv_make gold gate equiv", "hierarchy -top equiv", "opt_clean", "equiv_simple", "equiv_induct", "equiv_status -assert"]
    try:
        elaborate.yosys(script, work, stem)
    except SystemExit as failure:
        print(failure, file=sys.stderr)
        return False
    return True


def main(arguments):
    """See above."""
    broken = "--broken" in arguments
    arguments = [argument for argument in arguments if argument != "--broken"]
    if len(arguments) == 3 and arguments[0] == "netlist":
        netlist(arguments[1], arguments[2], broken)
        return 0
    if len(arguments) == 2 and arguments[0] == "prove":
        return 0 if prove(arguments[1], os.path.join(os.environ.get("BUILD", "build"), "mapped"), broken) else 1
    print(__doc__, file=sys.stderr)
    return 2


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
