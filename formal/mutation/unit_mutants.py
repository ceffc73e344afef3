"""Asks unit tests about mutants of a module. A test gets what it tests as a netlist in which a number, read from the file `mutant` where the test
runs, switches one of the mutants on; so one build serves all of them. Assertions of the RTL, which a test of the sources has as well, are
not in it."""
import os
import re
import resource
import signal
import subprocess
import tempfile

import circuit
import drawn
import script
import sources

SWITCHED = re.compile(rf"^  input (?:\[\d+:0\] )?{circuit.INPUT};\n  wire (?:\[\d+:0\] )?{circuit.INPUT};\n", re.M)
SWITCH = f"""  reg [15:0] {circuit.INPUT};
  integer mutant_file, mutant_read;
  initial begin
    {circuit.INPUT} = 0;
    mutant_file = $fopen("mutant", "r");
    if (mutant_file != 0) mutant_read = $fscanf(mutant_file, "%d", {circuit.INPUT});
  end
"""
# Memories as such, of which a word is written whole where no mutant is in its enables; or, where a test sees that as another circuit, with a wire for each
# bit, since Verilator takes a mutant that reads another bit of its wire for a loop; or as registers, too, which for more than some thousand bits are too many
# to build.
KEPT = ["memory_collect", "select -set enables t:$mem* %ci:+[WR_EN] %ci t:$mux %i", "simplemap @enables", "opt_expr -mux_bool", "opt_clean"]
BITS = ["splitnets"]
REGISTERS = ["memory -nomap", "memory_map"] + BITS
LARGE = 3_000_000
# Most tests that see a mutant do so within so many seconds; and how one ends that takes more than it may.
SOON = 1
ENDED = (-signal.SIGXCPU, -signal.SIGKILL)
LINT = ("CASEINCOMPLETE", "CASEOVERLAP", "CMPCONST", "COMBDLY", "DECLFILENAME", "INITIALDLY", "UNDRIVEN", "UNOPTFLAT", "UNSIGNED", "UNUSED", "WIDTH")


def reading(top, given, alone=""):
    """Commands of yosys that read what a test is linked with; or `top` with the module `alone` and those around it, and the others as black boxes."""
    boxes = "".join(f" --blackboxed-module {name}" for name in sources.beside(top, alone)) if alone else ""
    given = "".join(f" -G {word}" for word in given)
    return [f"read_slang --max-constexpr-steps 100000000 --top {top}{given}{boxes} {' '.join(sources.test_files(top))}",
            f"hierarchy -top {top}", "proc", "chformal -remove", "delete t:$print"]


def lines_of(task):
    """Commands of yosys that read the design in which a module's mutants are drawn: of a task, of the (test, module, parameters) of a unit test, or of a
    sources.Apart."""
    return reading(*task[1:]) if isinstance(task, tuple) else script.drawing(task, task["files"])


def moved(test, mutants, path, origin):
    """Mutants {key: mutant} of the module in the file `path` in the design `origin`, as mutants of a test's design; without those that it has no place for."""
    here = drawn.Design(reading(*test[1:]), path)
    found = {key: here.moved(mutant, origin) for key, mutant in mutants.items()}
    return {key: mutant for key, mutant in found.items() if mutant}


class Test:
    """A unit test that is built once for some mutants, {key: mutant of the test's design}."""

    def __init__(self, test, mutants):
        self.name, top, given = test
        lines, self.keys = reading(top, given), list(mutants)
        if not mutants:
            return
        for memories in (KEPT, KEPT + BITS, REGISTERS):
            text = netlist(lines, list(mutants.values()), memories)
            if (memories is not REGISTERS or len(text) < LARGE) and self.passes(text, top, given):
                break
        else:
            raise RuntimeError(f"{self.name} fails on its netlist without a mutant")

    def passes(self, text, top, given):
        """Builds the test with this netlist of a module; whether it passes with no mutant on."""
        tag = "-".join([top, "drawn"] + [re.sub(r"\W", "_", word) for word in given])
        build = os.environ.get("BUILD", "build")
        os.makedirs(f"{build}/mapped", exist_ok=True)
        with open(f"{build}/mapped/{tag}.v", "w", encoding="utf-8") as f:
            f.write(text)
        # A test of a module around this one has its objects under its own name.
        objects = [f"OBJECTS_test_{top}=$(OBJECTS_{self.name})"] if self.name != f"test_{top}" else []
        subprocess.run(["make", "-s", f"MAPPED={tag}", *objects, f"{build}/mapped/test_{tag}"], check=True, stdout=subprocess.DEVNULL)
        self.program = os.path.abspath(f"{build}/mapped/test_{tag}")
        failed, self.seconds = first(self.fails, 0)
        return not failed

    def sees(self, key):
        """Whether the test fails with this mutant on."""
        return key in self.keys and self.fails(self.keys.index(key) + 1, self.seconds)

    def sees_soon(self, key):
        """The same within SOON seconds; None if it has not come to its end by then."""
        code = self.run(self.keys.index(key) + 1, SOON) if key in self.keys else 0
        return None if code in ENDED else code != 0

    def fails(self, value, seconds):
        return self.run(value, seconds) != 0

    def run(self, value, seconds):
        # It ends with the first thing that is wrong, and does not look for memory that is not given back.
        return run([self.program], value, seconds, {"CMOCKA_TEST_ABORT": "1", "ASAN_OPTIONS": "detect_leaks=0"})


def run(command, number, seconds, environment):
    """How a program ends that reads the file `mutant` where it runs, with the mutant of this number on (0: none): by 0 if it finds nothing wrong, by one of ENDED
    if it takes more than so many seconds of processor time."""
    with tempfile.TemporaryDirectory() as place:
        with open(f"{place}/mutant", "w", encoding="utf-8") as f:
            f.write(str(number))
        return circuit.limited(command, seconds, cwd=place, env=os.environ | environment).returncode


def first(run, *asked):
    """What `run(*asked, seconds)` says without a mutant, and in how many seconds of processor time it has to end with one; if it does not, it has seen it."""
    began = spent(resource.RUSAGE_CHILDREN)
    said = run(*asked, 600)
    return said, 2 + 3 * int(spent(resource.RUSAGE_CHILDREN) - began)


def spent(*whose):
    """Seconds of processor time so far: of this program (resource.RUSAGE_SELF), of all that it has waited for (RUSAGE_CHILDREN), or of both."""
    return sum(used.ru_utime + used.ru_stime for used in map(resource.getrusage, whose))


def netlist(lines, mutants, memories, before=0):
    """What yosys makes of `lines` as Verilog, with a switch for the mutants (circuit.switched); `memories`: commands for them."""
    with tempfile.TemporaryDirectory() as place:
        drawn.yosys(lines + circuit.switched(mutants, before=before) + memories + ["simplemap t:$bwmux", "opt_clean", f"write_verilog -noattr {place}/v.v"])
        with open(f"{place}/v.v", encoding="utf-8") as f:
            text = f.read()
    lint = "".join(f"/* verilator lint_off {name} */\n" for name in LINT)
    head, rest = text.split(");", 1)
    return lint + re.sub(rf", {circuit.INPUT}\b|\b{circuit.INPUT}, ", "", head) + ");" + SWITCHED.sub(SWITCH, rest, count=1)
