#!/usr/bin/env python3
"""Asks whole devices, replayed against the golden model, about mutants that no proof and no unit test has seen: captures of real hosts, random
frames and commands, hosts in closed loop, trees, uplinks, gathers.

A device is built with all that are left of many modules in it. Each such module is a netlist for each of its parameter sets there, in which a number, read from the
file `mutant` where the run is, switches one on (unit_mutants.py), in all instances alike; the rest is the RTL with its assertions. A mutant is
seen if a run finds a difference, an assertion fails, or it takes three times as long as without. One whose cell is not there with the parameters of
the device, and one of a module that no device has, is not asked about.

Usage: replay.py [--device NAME] [MODULE ..]     Without a module: all that have such mutants. Writes formal/mutation.csv (score.py).
"""
import argparse
import glob
import os
import re
import resource
import shutil
import subprocess
import sys

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))

import drawn  # noqa: E402
import jobs  # noqa: E402
import lock  # noqa: E402
import run  # noqa: E402
import score  # noqa: E402
import sources  # noqa: E402
import unit_mutants  # noqa: E402

BUILD = os.path.abspath(os.environ.get("BUILD", "build"))
# Beside the folder of devices, as deep, because they find what they are compiled with from there.
DEVICES = os.path.join(os.environ.get("BUILD", "build"), "replayed")
CAPTURES = os.path.abspath("sim/captures")
SOAK, WEIR = f"{BUILD}/sim/soak --jobs 1", f"{BUILD}/weir"
LEAVES = '{"children":[{"hosts":2},{"hosts":1}]}'
TREE = '{"children":[{"hosts":2},{"children":[{"hosts":1},{"hosts":2}]},{"hosts":1}]}'
# What each device is asked: {device: {name of a run: command}}. Cheap ones first: what they see, the others are not asked.
RUNS = {
    "tiny": {
        "few": f"{SOAK} --config tiny --seeds 1..4",
        "tenants": f"{SOAK} --config tiny --seeds 1 --tenants 6 --frames 2000 --job-count 6",
        "random": f"{SOAK} --config tiny --seeds 5..25"},
    "paper6": {
        "ring4-two-rings-psn-wrap": f"{WEIR} replay {CAPTURES}/ring4-two-rings-psn-wrap.in.pcapng.gz --config paper6 --stall 0.3",
        "ring4-send-int32": f"{WEIR} replay {CAPTURES}/ring4-send-int32.in.pcapng.gz --config paper6 --pace line",
        "ring4-loss": f"{WEIR} replay {CAPTURES}/ring4-loss.in.pcapng.gz --config paper6 --pace line",
        "ring3-ipv6": f"{WEIR} replay {CAPTURES}/ring3-ipv6.in.pcapng.gz --config paper6 --stall 0.3 --seed 2"},
    "tree4": {
        "two leaves": f"{WEIR} ring --topology {LEAVES} --devices rtl --seed 3 --rings 2 --window 2 --msglen 2 --mtu 256 --short-last --loss 0.02 --dup 0.02 "
                      "--reorder 0.02 --tensor 1000",
        "tree": f"{WEIR} ring --topology {TREE} --devices rtl --seed 1 --rings 2 --window 2 --msglen 3 --mtu 256 --type int32 --verb send-imm --short-last "
                "--loss 0.02 --dup 0.01 --reorder 0.01 --tensor 3000",
        "notices lost": f"{WEIR} ring --topology {TREE} --devices rtl --seed 2 --rings 1 --window 2 --msglen 8 --mtu 256 --hop to-parent --hop from-parent "
                        "--loss 0.05 --tensor 8000"},
    "tiny_ecc": {
        "flips": f"{SOAK} --config tiny_ecc --seeds 1..10 --flips 500"},
    "uplink4": {
        "ring4-two-rings-psn-wrap": f"{WEIR} replay {CAPTURES}/ring4-two-rings-psn-wrap.in.pcapng.gz --device uplink --limit 800 --flowlets 8 --stall 0.3 --seed 2",
        "ring4": f"{WEIR} replay {CAPTURES}/ring4.in.pcapng.gz --device uplink --limit 400 --flowlets 200 --cut --stall 0.2"},
    "node4": {
        "several trees": f"{WEIR} tree --topology fat-tree:2x2 --size 5000 --operations 4 --regroup 1 --groups 2 --devices rtl",
        "frames lost": f"{WEIR} tree --topology fat-tree:2x2 --size 512 --devices rtl --operations 8 --loss 0.02 --seed 1"},
    "rack8": {
        "gather": f"{WEIR} gather --generate power-law --rows 300 --degree 8 --nodes 8 --racks 2 --batch 64 --k 16 --rtl switch"},
    "nic2": {
        "gather": f"{WEIR} gather --generate hot --rows 300 --degree 8 --nodes 4 --racks 2 --batch 64 --k 16 --rtl nic"}}
# In the wrapper of a module, what says which parameter sets a device has.
SHOWN = " %0d'h%0h"
FOUND = re.compile(r" drawn (\w+)((?: \d+'h[0-9a-f]+)*)$", re.M)
INSTANCE = re.compile(r"^  (\w+) #\(\n(.*?)\n  \) ", re.M | re.S)
PARAMETER = re.compile(r"^  parameter (type )?[^=;,]*?\b(\w+)(?: = [^;]*?)?,?\n", re.M)


class Left:
    """A mutant that nobody has seen: its row; `origin`, the design that it was drawn in; its number in a device."""

    def __init__(self, row, origin, number):
        self.row, self.origin, self.number, self.there = row, origin, number, False


def left_of(modules, tasks):
    """{module: [Left]} of what nobody has seen, of these modules or of all; not those of older sources."""
    rows, found = score.read_rows(), {}
    today = score.of_today(rows, tasks)
    origins = {}
    for row in rows:
        module = row["module"]
        task = today.get((row["task"], row["inputs"]))
        if row["verdict"] in ("caught", "equal") or not task or (modules and module not in modules):
            continue
        if module not in origins:
            origins[module] = drawn.Design(unit_mutants.lines_of(task), sources.units()[module])
        found.setdefault(module, []).append(Left(row, origins[module], 0))
    return found


def alone(row):
    """Whether a mutant was drawn in a device, in which what its module instantiates is left as it is."""
    return "/" in row["task"]


def layers(left):
    """Groups of modules {module: [Left]}, of which none is inside a netlist of its group, where it would be as it is in the RTL."""
    known, groups = sources.units(), []
    inside = {module: {known[module]} if alone(mutants[0].row) else set(sources.cone(known[module], known)) for module, mutants in left.items()}
    for module in left:
        apart = lambda other, module=module: known[other] not in inside[module] and known[module] not in inside[other]
        group = next((group for group in groups if all(map(apart, group))), None)
        if group is None:
            groups.append([module])
        else:
            group.append(module)
    return groups


def head(module, text):
    """A module's parameters and ports, as its source has them."""
    return re.search(rf"^module {module}\b.*?^ *\);\n", text, re.M | re.S).group(0)


def parameters(module, text):
    """The names of a module's parameters; None if one is a type, which Yosys cannot be given."""
    found = PARAMETER.findall(head(module, text))
    return None if any(kind for kind, _ in found) else [name for _, name in found]


def given_alone(text):
    """A netlist whose instances of modules get those of their parameters alone that others may give; yosys writes down all that they have."""
    def given(match):
        module, values = match.group(1), match.group(2).split(",\n")
        path = sources.units().get(module)
        if path:
            with open(path, encoding="utf-8") as f:
                names = parameters(module, f.read())
            values = [value for value in values if re.match(r"\s*\.(\w+)", value).group(1) in names]
        return f"  {module} #(\n" + ",\n".join(values) + "\n  ) " if values else f"  {module} "
    return INSTANCE.sub(given, text)


class Device:
    """A device in which other modules stand instead of some of its own."""

    def __init__(self, name, modules):
        self.name, self.instead, known = name, f"{DEVICES}/{name}-instead", sources.units()
        self.texts, self.left, self.seconds = {}, [], {}
        for module in modules:
            with open(known[module], encoding="utf-8") as f:
                self.texts[module] = f.read()
        # What Yosys cannot be given parameters of is left out.
        self.names = {module: names for module, names in ((module, parameters(module, text)) for module, text in self.texts.items()) if names is not None}
        self.sets = self.elaborate()

    def make(self, what):
        """Makes a file of it, with what stands in the folder `instead`."""
        given = f"INSTEAD=-Wno-fatal -Wno-lint -Wno-style -y {self.instead}"
        made = subprocess.run(["make", "-s", f"DEVICE={DEVICES}", given, f"{DEVICES}/{self.name}.{what}"], check=False, capture_output=True, text=True)
        if made.returncode:
            raise RuntimeError(f"{self.name}: {made.stderr[-2000:]}")

    def elaborate(self):
        """{module: its parameter sets in the device, as tuples of literals}, of those that it has."""
        self.clear()
        for module, names in self.names.items():
            values = "".join(f", $bits({name}), {name}" for name in names)
            said = f"$info(\"drawn {module}{len(names) * SHOWN}\"{values});"
            self.put(module, re.sub(r"^endmodule", f"  {said}\nendmodule", self.texts[module], flags=re.M))
        self.make("elaborated")
        with open(f"{DEVICES}/{self.name}.elaborated", encoding="utf-8") as f:
            found = {}
            for module, values in dict.fromkeys(FOUND.findall(f.read())):
                found.setdefault(module, []).append(tuple(values.split()))
        return found

    def build(self, left):
        """Builds it with the mutants of some modules, {module: [Left]}, each of which gets a number from 1 on. They are `left` of it, if they are there."""
        self.clear()
        self.left, before = [], 0
        for module, mutants in left.items():
            for at, mutant in enumerate(mutants):
                mutant.number, mutant.there = before + at + 1, False
            self.write(module, mutants, before)
            self.left += [mutant for mutant in mutants if mutant.there]
            before += len(mutants)
        if not self.left:
            return
        self.make("so")
        # It says how to build it anew, without what stands in it instead.
        os.remove(f"{DEVICES}/make.args")
        for what in RUNS[self.name]:
            failed, self.seconds[what] = unit_mutants.first(self.fails, what, 0)
            if failed:
                raise RuntimeError(f"{self.name}: {what} fails without a mutant")

    def clear(self):
        """Nothing of it is built, and nothing stands in it instead."""
        for path in glob.glob(f"{DEVICES}/{self.name}.*"):
            os.remove(path)
        for path in (self.instead, f"{DEVICES}/{self.name}"):
            shutil.rmtree(path, ignore_errors=True)
        os.makedirs(self.instead)

    def put(self, module, text):
        with open(f"{self.instead}/{module}.sv", "w", encoding="utf-8") as f:
            f.write(text)

    def write(self, module, mutants, before):
        """Puts a module with its mutants into the device: a netlist for each of its parameter sets, and the RTL where none of them has a place."""
        path, text, parts, netlists = sources.units()[module], self.texts[module], [], []
        for values in self.sets[module]:
            given = [f"{name}={value}" for name, value in zip(self.names[module], values)]
            lines = unit_mutants.reading(module, given, module if alone(mutants[0].row) else "")
            here = drawn.Design(lines, path)
            moved = [here.moved(mutant.row["mutant"], mutant.origin) for mutant in mutants]
            for mutant, there in zip(mutants, moved):
                mutant.there = mutant.there or bool(there)
            if any(moved):
                own = f"{module}__{len(netlists)}"
                netlist = given_alone(unit_mutants.netlist(lines, moved, unit_mutants.KEPT, before))
                netlists.append(re.sub(rf"^module {module}\(", f"module {own}(", netlist, count=1, flags=re.M))
                same = " && ".join(f"{name} == {value}" for name, value in zip(self.names[module], values)) or "1"
                parts.append(f"if ({same}) begin : gen_{len(parts)}\n  {own} u_drawn (.*);\nend")
        if parts:
            given = ", ".join(f".{name}({name})" for name in self.names[module])
            parts.append(f"begin : gen_whole\n  {module}__whole {f'#({given}) ' if given else ''}u_whole (.*);\nend")
            whole = re.sub(rf"^module {module}\b", f"module {module}__whole", text, flags=re.M)
            self.put(module, head(module, text) + "\nelse ".join(parts) + "\nendmodule\n" + "".join(netlists) + whole)

    def fails(self, what, number, seconds):
        """Whether a run finds something wrong with this mutant on (0: none), or takes longer than that."""
        return unit_mutants.run(RUNS[self.name][what].split(), number, seconds, {"WEIR_DEVICES": os.path.abspath(DEVICES)}) != 0

    def seen(self, mutant):
        """The first run that sees a mutant; None if there is none."""
        return next((what for what in RUNS[self.name] if self.fails(what, mutant.number, self.seconds[what])), None)


def write(mutant, by):
    """A row says by now that a run has seen its mutant, unless somebody else did meanwhile."""
    with lock.writing(score.PATH):
        rows = score.read_rows()
        for row in rows:
            if all(row[key] == mutant.row[key] for key in ("module", "task", "mutant", "inputs", "verdict")):
                row |= {"verdict": "caught", "how": "replay", "by": by}
                row["row"] = score.digest(row)
        score.write_rows(rows)


def ask(name, left):
    """Asks a device about what is left, and takes what it sees from there. How many builds of it could not be asked."""
    device, bad = Device(name, [module for module, mutants in left.items() if mutants]), 0
    for group in layers({module: left[module] for module in device.sets}):
        began, known, count = unit_mutants.spent(resource.RUSAGE_CHILDREN), sum(len(left[module]) for module in group), 0
        try:
            device.build({module: left[module] for module in group})
        except (RuntimeError, subprocess.CalledProcessError) as wrong:
            print(f"{', '.join(group)}: {wrong}", flush=True)
            bad += 1
            continue
        for mutant in device.left:
            what = device.seen(mutant)
            if what:
                write(mutant, f"{name}:{what}")
                left[mutant.row["module"]].remove(mutant)
                count += 1
        print(f"{name}: {', '.join(group)}: of {known} left {len(device.left)} have their place there, {count} are seen, "
              f"{unit_mutants.spent(resource.RUSAGE_CHILDREN) - began:.0f} s", flush=True)
    return bad


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--device", choices=sorted(RUNS), help="only this one")
    parser.add_argument("module", nargs="*")
    options = parser.parse_args()
    os.chdir(os.path.dirname(jobs.HERE))
    left = left_of(options.module, run.load())
    for module in options.module:
        if module not in left:
            print(f"{module}: no mutants that nobody has seen; or its rows are of older sources, or it has none (mutate.py {module})")
    return 1 if sum([ask(name, left) for name in RUNS if name == (options.device or name)]) else 0


if __name__ == "__main__":
    sys.exit(main())
