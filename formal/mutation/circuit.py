"""One circuit for all mutants of a module: an input, `drawn`, switches one of them on, so that sources are read once. What asks about a mutant
gets the circuit with that input at a constant, as an AIG in the AIGER format (Biere et al., AIGER 1.9), and hands it to ABC."""
import importlib.util
import json
import os
import re
import resource
import subprocess

import drawn
import jobs
import script

INPUT = "drawn"
LATE = "late"
# As sby makes a circuit for ABC: `design_prep` and `design_aiger` of sby_core.py.
PREPARED = ["scc -select; simplemap; select -clear", "memory_nordff", "async2sync", "chformal -assume -early", "opt_clean",
            "formalff -setundef -clk2ff -ff2anyinit -hierarchy", "chformal -live -fair -remove", "opt_clean", "setundef -undriven -anyseq", "opt -fast"]
BITS = ["delete */t:$print", "hierarchy -simcheck", "formalff -assume", "flatten", "setundef -undriven -anyseq", "setattr -unset keep", "delete -output",
        "opt -full", "techmap", "opt -fast", "memory_map -formal", "formalff -clk2ff -ff2anyinit", "simplemap", "dffunmap", "setundef -zero", "aigmap", "opt_clean"]
# Registers that nobody sets begin at zero: one of the module and one of its properties, alike in all, are one in a proof, and begin alike; here the
# switch stands between.
BEGIN = ["setundef -init -zero"]
# A cover as what fails where it is reached.
COVER = """(* techmap_celltype = "$cover" *) module reached(input A, input EN);
  \\$assert _TECHMAP_REPLACE_ (.A(!A), .EN(EN));
endmodule
"""
# What ABC says of one output, and of all with -a.
FRAME = re.compile(r"Output\s+(\d+) (?:of miter \S+ )?was asserted in frame")


def limited(command, seconds, **how):
    """A program that has come to its end, or to that of so many seconds of processor time, with what it wrote; `how`: as subprocess.run() has it."""
    limit = lambda: resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds + 1))
    # pylint: disable-next=subprocess-popen-preexec-fn
    return subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, check=False, preexec_fn=limit, **how)


def bits(mutants):
    """How wide the input is that names one of the mutants, or none by 0."""
    return max(1, len(mutants).bit_length())


def switched(mutants, module=None, before=0):
    """Commands of yosys that put all mutants in, but those that are None; number N is on where the input is N + 1, and `before` more."""
    move = lambda mutant: re.sub(r"-module \S+ ", f"-module {module} ", mutant) if module else mutant
    wide = bits(before * [None] + mutants)
    return [f"{move(mutant)} -ctrl {INPUT} {wide} {before + number + 1}" for number, mutant in enumerate(mutants) if mutant]


def proving(task, mutants):
    """Commands of yosys that make a task's circuit with all mutants, for its assertions."""
    made = script.elaborating(task, task["files"])[-1]
    return (script.drawing(task, task["files"]) + switched(mutants) + [made] + script.changing(task, "mutant", {}, script.SEARCH) +
            ["chformal -cover -remove"] + BEGIN + clocked(task))


def covering(task, mutants, place):
    """The same for its covers: each is an assertion that fails where it is reached."""
    made = script.elaborating(task, task["files"])[-1]
    with open(f"{place}/cover.v", "w", encoding="utf-8") as f:
        f.write(COVER)
    return (script.drawing(task, task["files"]) + switched(mutants) + [made] + script.changing(task, "cover", None, script.SEARCH) +
            ["chformal -assert -remove"] + BEGIN + clocked(task) + [f"techmap -map {place}/cover.v t:$cover"])


def clocked(task):
    return [{"async2sync": "clk2fflogic"}.get(line, line) if task.get("multiclock") else line for line in PREPARED]


class Circuit:
    """What yosys makes of `lines`, in the folder `place`. `shown`: with its outputs."""

    def __init__(self, lines, place, shown=False):
        os.makedirs(place, exist_ok=True)
        self.place, base = place, f"{place}/circuit"
        drawn.yosys(lines + [line for line in BITS if not shown or line != "delete -output"] + [
            f"write_aiger -I -B -zinit -no-startoffset -map {base}.aim -ywmap {base}.ywa {base}.aig"])
        self.aig = Aig(f"{base}.aig")
        with open(f"{base}.aim", encoding="utf-8") as f:
            words = [line.split() for line in f]
        # input NUMBER BIT NAME; a miter calls its inputs in_*.
        self.switch = {int(word[2]): int(word[1]) for word in words if word[0] == "input" and word[3] in (INPUT, f"in_{INPUT}")}
        # {name: its literals}
        self.outputs = {}
        for word in words:
            if word[0] == "output":
                self.outputs.setdefault(word[3], []).append(self.aig.outputs[int(word[1])])
        if not self.switch:
            raise RuntimeError(f"no input {INPUT} in {base}.aim")
        with open(f"{base}.ywa", encoding="utf-8") as f:
            self.names = [".".join(part.lstrip("\\") for part in path) for path in json.load(f)["asserts"]]
        self.quick = []   # positions of assertions that are asked about in front of all, if not all are quick

    def ask(self, number, commands, seconds, among=None):
        """What ABC says of the circuit with the mutant of this number on (-1: none) in so many seconds of processor time: (names of outputs that were
        asserted, what it said; LATE if it did not end). `among`: the positions of the outputs that are asked about, all if None."""
        path = f"{self.place}/{INPUT}.aig"
        self.aig.write(path, self.fixed(number), among)
        names = self.names if among is None else [self.names[at] for at in among]
        program = os.path.join(os.path.dirname(importlib.util.find_spec("pyosys").origin), "yosys-abc")
        asked = limited([program, "-c", f"read_aiger {path}; fold; strash; {commands}"], seconds, text=True)
        told = asked.stdout if asked.returncode == 0 else LATE
        return [names[int(at)] for at in dict.fromkeys(FRAME.findall(told))], told

    def possible(self):
        """Whether anything can happen at all: what the task takes for granted may not be so from registers that begin at zero. Then nobody would see a mutant."""
        bad, self.aig.bad = self.aig.bad, [[1]]
        found = self.ask(-1, "bmc3 -F 1", 10, [0])[0]
        self.aig.bad = bad
        return bool(found)

    def weigh(self, depth, seconds):
        """Asks within so many cycles without a mutant: names of what fails. If that takes longer, finds out which assertions are quicker, to ask them first."""
        failed, told = self.ask(-1, f"bmc3 -F {depth}", seconds)
        late = 0
        for at in sorted(range(len(self.names)), key=self.aig.cone) if told == LATE else []:
            found, told = self.ask(-1, f"bmc3 -F {depth}", 1, [at])
            failed += found
            if told == LATE:
                late += 1
            else:
                self.quick.append(at)
            if late == 3:
                break
        return failed

    def fails(self, number, depth, seconds):
        """The names of assertions of which one fails with this mutant on within so many cycles. Those that it cannot reach are not asked about."""
        among = self.aig.reached(self.fixed(number), self.fixed(-1))
        first = [at for at in among if at in self.quick]
        for those in [first, among] if 0 < len(first) < len(among) else [among]:
            found = self.ask(number, f"bmc3 -F {depth}", seconds, those)[0] if those else []
            if found:
                return found
        return []

    def fixed(self, number):
        """What the inputs are that switch the mutant of this number on: {number of an input: bit}."""
        return {at: (number + 1) >> bit & 1 for bit, at in self.switch.items()}


class Aig:
    """An AIG as `write_aiger -B` of yosys writes it: inputs, latches, what is bad, what is always so, and gates."""

    def __init__(self, path):
        with open(path, "rb") as f:
            data = f.read()
        at = data.index(b"\n") + 1
        _, _, self.inputs, latches, outputs, gates, bad, constraints = [int(word) if word.isdigit() else 0 for word in (data[:at].split() + [b"0"] * 2)[:8]]
        lines = []
        for _ in range(latches + outputs + bad + constraints):
            end = data.index(b"\n", at)
            lines.append([int(word) for word in data[at:end].split()])
            at = end + 1
        self.latches, self.outputs = lines[:latches], [literal for literal, in lines[latches:][:outputs]]
        self.bad, self.constraints = lines[latches + outputs:][:bad], lines[latches + outputs + bad:]
        self.gates, left = [], 2 * (self.inputs + latches)
        for _ in range(gates):
            left += 2
            first, at = self.number(data, at)
            second, at = self.number(data, at)
            self.gates.append((left - first, left - first - second))

    def both(self, first, second):
        """The literal of a new gate."""
        self.gates.append((max(first, second), min(first, second)))
        return 2 * (self.inputs + len(self.latches) + len(self.gates))

    def some(self, literals):
        """The literal of what is 1 if one of these is."""
        none = 1
        for literal in literals:
            none = self.both(none, literal ^ 1)
        return none ^ 1

    @staticmethod
    def number(data, at):
        """The number that begins at a place of the binary part, and where the next one begins."""
        value = shift = 0
        while data[at] & 128:
            value |= (data[at] & 127) << shift
            shift += 7
            at += 1
        return value | data[at] << shift, at + 1

    def folded(self, fixed, known):
        """The literal that each variable is worth with some inputs, {their number: bit}, at constants; two that have the same one are the same function.
        `known`: {(literal, literal): literal} of gates that are there; new ones are added."""
        base = self.inputs + len(self.latches)
        value = list(range(0, 2 * (base + len(self.gates) + 1), 2))
        for at, bit in fixed.items():
            value[at + 1] = bit
        for at, (first, second) in enumerate(self.gates, base + 1):
            first, second = value[first >> 1] ^ (first & 1), value[second >> 1] ^ (second & 1)
            if first < second:
                first, second = second, first
            if second == 0 or first == second ^ 1:
                value[at] = 0
            elif second == 1 or first == second:
                value[at] = first
            else:
                value[at] = known.setdefault((first, second), 2 * (base + 1 + len(known)))
        return value

    def reached(self, fixed, before):
        """The positions of those of `bad` that are not the same functions of the same registers with inputs at the constants `fixed` as at `before`; all, if
        one of the constraints is not."""
        known = {}
        was, value = self.folded(before, known), self.folded(fixed, known)
        changed, left = set(), []   # literals of what is worth something else, by itself or through a register
        users = {}
        for (first, second), made in known.items():
            users.setdefault(first >> 1, []).append(made >> 1)
            users.setdefault(second >> 1, []).append(made >> 1)
        worth = lambda literal: value[literal >> 1] >> 1
        differs = lambda literal: value[literal >> 1] != was[literal >> 1] or worth(literal) in changed
        todo = list(enumerate(self.latches, self.inputs + 1))
        while True:
            found = [variable for variable, line in todo if differs(line[0])]
            todo = [(variable, line) for variable, line in todo if not differs(line[0])]
            if not found:
                break
            left += found
            while left:
                variable = left.pop()
                if variable not in changed:
                    changed.add(variable)
                    left += users.get(variable, ())
        some = any(differs(line[0]) for line in self.constraints)
        return [at for at, line in enumerate(self.bad) if some or differs(line[0])]

    def cone(self, position):
        """How many inputs, registers and gates `bad` depends on there."""
        base, found, left = self.inputs + len(self.latches), set(), [self.bad[position][0]]
        while left:
            variable = left.pop() >> 1
            if variable not in found:
                found.add(variable)
                left += self.gates[variable - base - 1] if variable > base else self.latches[variable - self.inputs - 1][:1] if variable > self.inputs else ()
        return len(found)

    def write(self, path, fixed, among=None):
        """Writes it with some inputs, {their number: bit}, at constants, what these make constant left out, and of `bad` those at the positions `among`, all
        if None."""
        base, known = self.inputs + len(self.latches), {}
        value, kept = self.folded(fixed, known), list(known)
        bad = self.bad if among is None else [self.bad[at] for at in among]
        text = [f"aig {base + len(kept)} {self.inputs} {len(self.latches)} 0 {len(kept)} {len(bad)} {len(self.constraints)}"]
        for line in self.latches + bad + self.constraints:
            text.append(" ".join([str(value[line[0] >> 1] ^ (line[0] & 1))] + [str(word) for word in line[1:]]))
        out = bytearray(("\n".join(text) + "\n").encode())
        for at, (first, second) in enumerate(kept):
            for number in (2 * (base + 1 + at) - first, first - second):
                while number > 127:
                    out.append(number & 127 | 128)
                    number >>= 7
                out.append(number)
        with open(path, "wb") as f:
            f.write(out)
