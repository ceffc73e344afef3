"""Whether a mutant of a design is another design at all: both side by side, with the same inputs, from registers that begin at zero, must show
the same outputs of the proved module for runs of any length. Its inputs are any that its contracts allow: what the bench around it ties or assumes does not make two
circuits one. What a stream carries while it is not valid is looked at by nobody."""
import csv
import fnmatch
import functools
import os
import re

import circuit
import drawn
import script


NOTHING = re.compile(r"\blat\s*=\s*0\s+and\s*=\s*0\b")

# What streams carry: X_data_o.
CARRIED = ("data", "beat", "last", "keep", "strb", "user", "id", "rsp", "req", "row", "word", "slot", "frame")
# What a module shows besides streams that are called so: {(module, output): the output that says when somebody looks at it}.
LOOKED_AT = "formal/mutation/looked_at.csv"


@functools.cache
def looked_at():
    with open(LOOKED_AT, encoding="utf-8", newline="") as f:
        return {(row["module"], name): row["valid"] for row in csv.DictReader(f) for name in row["outputs"].split()}


def valid_of(module, name, names):
    """The output among `names`, INSTANCE.OUTPUT, without which nobody looks at the output `name` of a module: X_valid_o for X_o and what a stream X
    carries, or what looked_at.csv says; None: it is always looked at."""
    instance, dot, short = name.rpartition(".")
    known = looked_at().get((module, short))
    if re.search(r"axis_t(data|keep|last|user|id)$", name):
        return name.rpartition("_")[0] + "_tvalid"
    parts = name.removesuffix("_o").split("_")
    streams = ["_".join(parts[:at] + ["valid_o"]) for at in (len(parts), len(parts) - 1) if at and (at == len(parts) or parts[-1] in CARRIED)]
    return f"{instance}{dot}{known}" if known else next((valid for valid in streams if valid in names and valid != name), None)


def commands(task, mutants):
    """Commands of yosys that put both together; in `gate` one of the mutants is switched on."""
    top = os.path.splitext(os.path.basename(task["props"]))[0]
    # What is cut must take the same values on both sides, so it becomes an input.
    lines = [line.replace("cutpoint w:", "expose -cut w:") for line in script.drawing(task, task["files"])]
    instances = drawn.proved(task["props"])
    lines.append("chformal -assume -remove")
    for instance in instances:
        lines += script.inputs([instance]) + [f"select -set given @given w:{instance}.clk*_i %d", "expose -cut @given", "delete -output @given"]
    lines += ["chformal -assert -skip 1"]
    lines += [f"chformal -assert -assert2assume c:{contract}" for contract in task.get("contracts", [])]
    # A module that is wires between others shows what it gives to them.
    to = lambda side: script.inputs(script.parts(task["wires"]["to"]), f"{side}/") + ["select -set shown @shown @given %u"] if "wires" in task else []
    shown = lambda side, command: drawn.outputs(instances, f"{side}/") + to(side) + [f"{command} @shown"]
    if "wires" in task:
        # And nothing is left of what stands behind its cuts.
        lines += [f"delete -output w:{wire}" for wire in task["cuts"]] + ["setattr -unset keep t:$buf"]
    lines += ["chformal -assert -cover -live -fair -remove", f"rename {top} gold"] + shown("gold", "setattr -set keep 1") + ["copy gold gate"]
    return lines + circuit.switched(mutants, "gate") + together(shown("gold", "expose") + shown("gate", "expose"), mutants, task)


def alone(lines, top, mutants):
    """The same of a design without properties, whose module `top` has the outputs. What a black box in it gives is an input, what it gets an output."""
    lines = lines + [f"rename {top} gold", "copy gold gate"] + circuit.switched(mutants, "gate") + ["expose -evert gold gate"]
    return lines + together([], mutants, {})


def together(shown, mutants, task):
    """Commands that make a miter of the modules gold and gate; `shown`: those that make outputs of what is to be the same."""
    # As `prep` and `synth` have it, the address of a memory has no bits above those that its words need.
    return ["wreduce t:$memrd* t:$memwr*",
            f"cd gold; add -input {circuit.INPUT} {circuit.bits(mutants)}; cd ..", "chformal -remove gate", "opt_clean", "memory -nomap", "memory_map -formal",
            "setundef -init -zero"] + shown + [
                "select -assert-min 1 gold/o:*", "miter -equiv -flatten -make_outputs -make_outcmp gold gate miter", "hierarchy -top miter",
                "opt -full"] + circuit.clocked(task)


class Twin:
    """Asks about mutants of a design, made of `lines` that `commands` or `alone` has written."""

    def __init__(self, instances, lines, place, depth):
        """`instances`: {instance: module}; or the module whose outputs the design has."""
        self.circuit, self.depth = circuit.Circuit(lines, place, shown=True), depth
        aig, shown = self.circuit.aig, self.circuit.outputs
        # What an output is called in the module: {name: name in the miter}.
        names = {name.removeprefix("gold_"): name for name in shown if name.startswith("gold_")}
        module = lambda name: instances if isinstance(instances, str) else next(
            (module for instance, module in instances.items() if fnmatch.fnmatch(name.rpartition(".")[0], instance)), "")
        wrong = []
        for name, gold in names.items():
            # Outputs that are constant are not there.
            (same,) = shown.get(gold.replace("gold_", "cmp_", 1), (1,))
            valid = names.get(valid_of(module(name), name, names))
            wrong.append(aig.both(same ^ 1, aig.some(shown[valid])) if valid else same ^ 1)
        aig.bad = [[aig.some(wrong)]]
        self.circuit.names = ["differs"]

    def verdict(self, number, seconds):
        """`equal`; `differs`, within `depth` cycles; or `unknown`. Each of its questions has so many seconds."""
        if not self.circuit.aig.latches:
            # Without registers there is one cycle, and what asks about several refuses it.
            told = self.circuit.ask(number, "sat", seconds)[1]
            return "equal" if "UNSATISFIABLE" in told else "differs" if "SATISFIABLE" in told else "unknown"
        # Most that are equal are found so by induction of their registers alone, which is quick however wide they are, or by simulation and induction of all
        # signals; then nothing is left of it.
        for alike in ("lcorr", "scorr"):
            if NOTHING.search(self.circuit.ask(number, f"{alike}; print_stats", seconds)[1]):
                return "equal" if not self.circuit.ask(number, "bmc3 -F 1", seconds)[0] else "differs"
        if self.circuit.ask(number, f"bmc3 -F {self.depth}", seconds)[0]:
            return "differs"
        different, told = self.circuit.ask(number, "scorr; pdr", seconds)
        return "differs" if different else "equal" if "Property proved" in told else "unknown"
