"""A hash of the circuit that a task proves something of: equal for sources that elaborate to the same one.

Of a circuit counts what its assertions, assumptions and covers look at, and by their names they are known. From each of these, in the
order of the names, cells are numbered as they are come to, from input to driver, port by port; a cell is written as its type, its
parameters and the numbers of what drives its inputs. That text has no names, places and order of the sources, and says all that there
is to say: two circuits of one text are one circuit. What is written otherwise for other reasons, say operands the other way round,
counts as another one, which costs a proof and is no mistake.
"""
import hashlib
import json
import os
import subprocess
import sys
import tempfile

import script

HERE = os.path.dirname(os.path.abspath(__file__))
# What writes the circuit that it has by then to `circuit.json`, for hash_of.
WRITE = "write_json -noscopeinfo"

ROOTS = ("$check", "$assert", "$assume", "$cover", "$live", "$fair")
# What simulation prints, and the order in which it does so.
UNSEEN = {"$check": ("FORMAT", "ARGS", "ARGS_WIDTH", "PRIORITY")}
# Memory whose ports were not put together, which its name alone does.
SCATTERED = ("$memrd", "$memrd_v2", "$memwr", "$memwr_v2", "$meminit", "$meminit_v2")


class Circuit:
    """A module of what `write_json` of Yosys writes."""

    def __init__(self, module):
        self.cells, self.driver, self.init = module["cells"], {}, {}
        for name, cell in self.cells.items():
            kind = cell["type"]
            if not kind.startswith("$") or kind in SCATTERED:
                raise ValueError(f"{name} is a {kind}, of which nothing is known here")
            for port, bits in cell["connections"].items():
                if cell["port_directions"][port] == "output":
                    self.driver |= {bit: (name, port, at) for at, bit in enumerate(bits)}
        for name, net in module["netnames"].items():
            if "gclk" in net["attributes"]:
                raise ValueError(f"{name} is a global clock, which is not looked at here")
            value = net["attributes"].get("init", "")
            self.init |= {bit: begins for bit, begins in zip(net["bits"], reversed(value)) if begins != "x"}
        self.numbers, self.free, self.found = {}, {}, []

    def text(self):
        """The lines that say all of it."""
        lines, written = [], 0
        for root in sorted(name for name, cell in self.cells.items() if cell["type"] in ROOTS):
            lines.append(f"{root} is {self.number(root)}")
            # What is found while a cell is written is written behind it.
            while written < len(self.found):
                lines.append(self.cell(self.found[written]))
                written += 1
        return lines

    def number(self, name):
        if name not in self.numbers:
            self.numbers[name] = len(self.found)
            self.found.append(name)
        return self.numbers[name]

    def bit(self, bit):
        """A constant; an output of a cell; or one that nothing drives, which is an input or free."""
        if isinstance(bit, str):
            return bit
        begins = self.init.get(bit, "")
        if bit in self.driver:
            name, port, at = self.driver[bit]
            return f"{self.number(name)}.{port}.{at}{begins and '='}{begins}"
        return f"free {self.free.setdefault(bit, len(self.free))}{begins and '='}{begins}"

    def cell(self, name):
        cell = self.cells[name]
        unseen = UNSEEN.get(cell["type"], ("MEMID",))
        told = [cell["type"]] + [f"{key}={value}" for key, value in sorted(cell["parameters"].items()) if key not in unseen]
        for port, bits in sorted(cell["connections"].items()):
            if cell["port_directions"][port] == "input" and port not in unseen:
                told.append(f"{port}:" + ",".join(map(self.bit, bits)))
        return " ".join(told)


def hash_of(path):
    """The hash of the circuit in a file that WRITE has made."""
    with open(path, encoding="utf-8") as f:
        modules = json.load(f)["modules"]
    if len(modules) != 1:
        raise ValueError(f"{len(modules)} modules are left, must be one")
    return hashlib.sha256("\n".join(Circuit(*modules.values()).text()).encode()).hexdigest()


def elaborated(task, texts):
    """The hash of the circuit that `texts`, {path: text}, make of a task. CalledProcessError if Yosys refuses them."""
    with tempfile.TemporaryDirectory() as place:
        for name, text in texts.items():
            path = os.path.join(place, name)
            os.makedirs(os.path.dirname(path), exist_ok=True)
            with open(path, "w", encoding="utf-8") as f:
                f.write(text)
        with open(os.path.join(place, "run.ys"), "w", encoding="utf-8") as f:
            f.write("\n".join(script.elaborating(task, sorted(texts)) + [f"{WRITE} circuit.json"]) + "\n")
        subprocess.run([sys.executable, os.path.join(HERE, "yosys.py"), "-l", "log", "run.ys"], cwd=place, check=True, capture_output=True)
        return hash_of(os.path.join(place, "circuit.json"))
