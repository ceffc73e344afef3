"""Asks the unit tests of a module about mutants that its proof has not seen. Each test gets the module as a netlist in which a number, read
from the file `mutant` where the test runs, switches one of the mutants on; so one build serves all of them. Assertions of the RTL, which a test
of the sources has as well, are not in it."""
import glob
import os
import re
import subprocess
import sys
import tempfile

import drawn

import script
import sources

DUT = re.compile(r"^//[ /]*DUT:\s*(\w+)((?:\s+-G\S+)*)\s*$", re.M)
# Seconds that a test may take; one that hangs has seen the mutant.
SECONDS = 120
SWITCHED = re.compile(r"^  input \[15:0\] mutant;\n  wire \[15:0\] mutant;\n", re.M)
SWITCH = """  reg [15:0] mutant;
  integer mutant_file, mutant_read;
  initial begin
    mutant = 0;
    mutant_file = $fopen("mutant", "r");
    if (mutant_file != 0) mutant_read = $fscanf(mutant_file, "%d", mutant);
  end
"""
LINT = ("CASEINCOMPLETE", "CMPCONST", "COMBDLY", "DECLFILENAME", "INITIALDLY", "UNDRIVEN", "UNOPTFLAT", "UNSIGNED", "UNUSED", "WIDTH")


def variants(module):
    """What the module's own unit test is linked with: [(top, [NAME=VALUE, ..])]. Top is the module, or one of tb/unit around it."""
    for path in glob.glob(f"tb/unit/**/test_{module}.c", recursive=True):
        with open(path, encoding="utf-8") as f:
            return [(top, [word[2:] for word in given.split()]) for top, given in DUT.findall(f.read())]
    return []


def netlist(top, given, mutants, path, drawn_in):
    """The test's module with these parameters as Verilog, with a switch; and the numbers of the mutants that it can be switched to."""
    known = sources.units() | {os.path.basename(name)[:-3]: name for name in glob.glob("tb/unit/**/*.sv", recursive=True)}
    read = [f"read_slang --max-constexpr-steps 100000000 --top {top} {' '.join(f'-G {word}' for word in given)} {' '.join(sources.cone(known[top], known))}",
            f"hierarchy -top {top}", "proc", "chformal -remove", "delete t:$print"]
    here = drawn.Design(read, path)
    moved = {number: here.moved(mutant, drawn_in) for number, mutant in mutants}
    numbers = [number for number, mutant in moved.items() if mutant]
    with tempfile.TemporaryDirectory() as place:
        drawn.yosys(read + [f"{moved[number]} -ctrl mutant 16 {number + 1}" for number in numbers] +
                    ["memory -nomap", "memory_map", "opt_clean", f"write_verilog -noattr {place}/v.v"])
        with open(f"{place}/v.v", encoding="utf-8") as f:
            text = f.read()
    lint = "".join(f"/* verilator lint_off {name} */\n" for name in LINT)
    head, rest = text.split(");", 1)
    return lint + re.sub(r", mutant\b|\bmutant, ", "", head) + ");" + SWITCHED.sub(SWITCH, rest, count=1), numbers


def ask(module, path, task, rows):
    """`rows` with what the tests have seen of those that survive or are not known."""
    left = [row for row in rows if row["module"] == module and row["verdict"] in ("survives", "unknown")]
    if not left:
        return rows
    drawn_in = drawn.Design(script.drawing(task, task["files"]), path)
    for top, given in variants(module):
        mutants = [(int(row["number"]), row["mutant"]) for row in left if row["verdict"] != "caught"]
        text, numbers = netlist(top, given, mutants, path, drawn_in)
        tag = "-".join([top] + ["drawn"] + [re.sub(r"\W", "_", word) for word in given])
        build = os.environ.get("BUILD", "build")
        os.makedirs(f"{build}/mapped", exist_ok=True)
        with open(f"{build}/mapped/{tag}.v", "w", encoding="utf-8") as f:
            f.write(text)
        program = os.path.abspath(f"{build}/mapped/test_{tag}")
        # A test of a module around this one has its objects under its own name.
        objects = [f"OBJECTS_test_{top}=$(OBJECTS_test_{module})"] if top != module else []
        subprocess.run(["make", "-s", f"MAPPED={tag}", *objects, f"{build}/mapped/test_{tag}"], check=True, stdout=subprocess.DEVNULL)
        if seen(program, 0):
            sys.exit(f"mutate: the unit test of {module} fails on its netlist without a mutant")
        for row in left:
            if int(row["number"]) in numbers and row["verdict"] != "caught" and seen(program, int(row["number"]) + 1):
                row.update(verdict="caught", how="test", by=f"test_{module}")
                print(f"{module} {row['number']}: caught by {row['by']} {row['source']}", flush=True)
    return rows


def seen(program, number):
    """Whether the test fails with this mutant on; 0: none."""
    with tempfile.TemporaryDirectory() as place:
        with open(f"{place}/mutant", "w", encoding="utf-8") as f:
            f.write(str(number))
        try:
            return subprocess.run([program], cwd=place, capture_output=True, timeout=SECONDS, check=False).returncode != 0
        except subprocess.TimeoutExpired:
            return True
