"""Figures of a mapped device, a row a module, rolled up over what is below it."""
import dataclasses
import hashlib
import re

import depth
import netlist

FIGURES = ["lut", "ff", "bram36", "uram", "dsp"]
# The columns everybody reads first; then what they are made of.
COLUMNS = (["module"] + FIGURES + ["levels", "where", "instances"] + [f"own_{name}" for name in FIGURES] + ["own_levels"]
           + [f"all_own_{name}" for name in FIGURES] + netlist.COUNTED[len(FIGURES):] + ["path", "own_path", "logic"])
# From this depth and size on a memory has to be in block RAM or UltraRAM; smaller ones may be in LUTs, none in flip-flops.
BLOCK_WORDS, BLOCK_BITS = 65, 4096
# Up to so many bits may be registers: a LUT RAM for them would be larger.
FEW_BITS = 8
CAPACITY = {"RAMB36E2": 36864, "RAMB18E2": 18432, "URAM288": 294912, "RAM64M8": 448, "RAM32M16": 448, "RAM64M": 192, "RAM32M": 192,
            "RAM32X1D": 32, "RAM64X1D": 64, "RAM128X1D": 128, "RAM256X1D": 256}
MEMORY = re.compile(r"^  memory (?:width (\d+) )?size (\d+) (\S+)", re.M)
READ = re.compile(r"^  cell \$memrd\w* .*?^  end$", re.M | re.S)
WIRE = re.compile(r"^  wire .*$", re.M)


@dataclasses.dataclass
class Row:
    """One kind of module, or several that differ only by which of several equal places they are at."""
    module: str
    where: str
    kinds: list
    own: dict
    total: dict
    all_own: dict
    instances: int
    path: object = None
    deepest: object = None

    def line(self):
        """Column to value."""
        line = {"module": self.module, "where": self.where, "instances": self.instances}
        line |= {name: self.total[name] for name in netlist.COUNTED}
        line |= {f"own_{name}": self.own[name] for name in FIGURES} | {f"all_own_{name}": self.all_own[name] for name in FIGURES}
        line["levels"] = self.deepest.levels if self.deepest else 0
        line["own_levels"] = self.path.levels if self.path else 0
        line["path"] = str(self.deepest) if self.deepest else ""
        line["own_path"] = str(self.path) if self.path else ""
        line["logic"] = logic(self.kinds)
        return {name: plain(line[name]) for name in COLUMNS}


def logic(kinds):
    """Stands for the logic of some kinds and of all below them: another value, another netlist."""
    return hashlib.sha256(" ".join(sorted(kind.name for kind in kinds)).encode()).hexdigest()[:12]


def plain(value):
    """A half RAMB36 or CARRY8 stays one; whole numbers have no point."""
    return int(value) if isinstance(value, float) and value == int(value) else value


def add(total, more, times=1):
    """Adds figures."""
    for name, value in more.items():
        total[name] = total.get(name, 0) + value * times


def groups(found):
    """Kinds by module and by place, the numbers of generate loops taken out; a row each. The top comes first."""
    chosen = {}
    for kind in found.values():
        where = re.sub(r"\[\d+\]", "[*]", min(kind.places, key=lambda path: (len(path), path)))
        chosen.setdefault((kind.module, where), []).append(kind)
    return sorted(chosen.items(), key=lambda item: (item[0][1] != "", item[0]))


def rows(found, own, device):
    """The rows, and what each kind has with everything below it."""
    totals = {}

    def total(name):
        if name not in totals:
            mine = dict(own[name])
            for _, child in found[name].children:
                add(mine, total(child))
            totals[name] = mine
        return totals[name]

    below = {}

    def cone(name):
        if name not in below:
            below[name] = {name}.union(*(cone(child) for _, child in found[name].children))
        return below[name]

    best = device.deepest()
    made = []
    for (module, where), kinds in groups(found):
        largest = max(kinds, key=lambda kind: (total(kind.name)["lut"], kind.name))
        all_own = {}
        for kind in kinds:
            add(all_own, own[kind.name], len(kind.places))
        paths = [best[kind.name] for kind in kinds if kind.name in best]
        under = [best[name] for kind in kinds for name in sorted(cone(kind.name)) if name in best]
        made.append(Row(module, where, kinds, own[largest.name], total(largest.name), all_own,
                        sum(len(kind.places) for kind in kinds), deepest_of(paths), deepest_of(under)))
    return made


def deepest_of(paths):
    """The deepest of some paths, None of none."""
    return max(paths, key=lambda path: path.levels, default=None)


def memory_shapes(kind):
    """(bits of a word, words) of each memory of a RAM or queue."""
    return [(int(width or 1), int(words)) for width, words, _ in MEMORY.findall(kind.text)]


def bits_read(text, memory, width):
    """Those of a word of `width` bits that anything in the RTLIL of a module reads of a memory; the others need no memory."""
    read = set()
    for cell in READ.findall(text):
        if f'parameter \\MEMID "\\{memory}"' not in cell:
            continue
        data = re.search(r"connect \\DATA (\$\S+)$", cell, re.M)
        if data is None:   # straight to a wire that has a name
            return set(range(width))
        for high, low in re.findall(re.escape(data[1]) + r"(?![\w$])(?: \[(\d+)(?::(\d+))?\])?", WIRE.sub("", text.replace(cell, ""))):
            read.update(range(int(low or high), int(high) + 1) if high else range(width))
    return read


def memory_bits(kind):
    """Bits in the memories of a RAM or queue that are ever read; 0 for anything else."""
    if not kind.module.startswith(("prim_ram", "prim_fifo", "shell_ram")):
        return 0
    return sum(len(bits_read(kind.text, name, int(width or 1))) * int(words) for width, words, name in MEMORY.findall(kind.text))


def memories(found, netlists):
    """A line for each kind of RAM or queue: its shape, what it was mapped to, and what is wrong with that (or nothing)."""
    lines = []
    for kind in found.values():
        shapes, bits = memory_shapes(kind), memory_bits(kind)
        if not bits:
            continue
        used = {}
        for cell in netlists[kind.name]["cells"].values():
            if cell["type"] in CAPACITY:
                used[cell["type"]] = used.get(cell["type"], 0) + 1
        block = any(words >= BLOCK_WORDS and width * words >= BLOCK_BITS for width, words in shapes)
        held = sum(CAPACITY[name] * count for name, count in used.items() if not block or name in ("RAMB36E2", "RAMB18E2", "URAM288"))
        anywhere = bits <= FEW_BITS or all(words == 1 for _, words in shapes)   # one word is a register
        where = re.sub(r"\[\d+\]", "[*]", kind.places[0])
        lines.append({"module": kind.module, "where": where, "instances": len(kind.places), "width": shapes[0][0], "words": shapes[0][1],
                      "expected": "block" if block else "any" if anywhere else "block or LUT", "primitives": " ".join(f"{n} {c}" for n, c in sorted(used.items())),
                      "fault": "" if held >= bits or anywhere else f"{bits} bits expected, {held} found"})
    return sorted(lines, key=lambda line: (line["module"], line["where"]))


def analyse(top, found, netlists):
    """Rows, memories and the joined device of what was mapped."""
    kinds_of = {name: {child for _, child in kind.children} for name, kind in found.items()}
    own = {name: netlist.count(module, kinds_of[name]) for name, module in netlists.items()}
    device = depth.Device(top, {name: netlist.Graph(module, kinds_of[name]) for name, module in netlists.items()})
    return rows(found, own, device), memories(found, netlists), device
