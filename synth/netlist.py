"""What a mapped netlist is made of: counts of primitives, and how each of them carries a signal on.

Depth is counted in LUTs. A LUT is one level; so is a read of a RAM or shift register made of LUTs, and a carry chain of any
length, which is entered once. The multiplexers behind the LUTs of a slice (MUXF7 to MUXF9) add none: they are counted apart.
"""
import re

# LUTs a primitive occupies. A LUT6 may hold two small functions; Yosys does not pack them: see `paired`.
# An inverter of its own stands in front of a carry chain or memory, where it takes a LUT.
LUTS = {**{f"LUT{n}": 1 for n in range(1, 7)}, "INV": 1, "SRL16E": 1, "SRLC32E": 1, "RAM32M": 4, "RAM64M": 4, "RAM32M16": 8, "RAM64M8": 8,
        "RAM32X1D": 2, "RAM64X1D": 2, "RAM128X1D": 4, "RAM256X1D": 8, "RAM32X1S": 1, "RAM64X1S": 1, "RAM128X1S": 2,
        "RAM256X1S": 4, "RAM512X1S": 8}
# Inputs that two functions in one LUT6 have together.
LUT6_INPUTS_OF_TWO = 5
FLIP_FLOPS = ("FDRE", "FDSE", "FDCE", "FDPE")
BLOCKS = ("RAMB36E2", "RAMB18E2", "URAM288", "DSP48E2")
# A multiplier that uses none of its registers is logic, as slow as this many LUTs or so.
DSP_REGISTERS = ("AREG", "BREG", "CREG", "DREG", "ADREG", "MREG", "PREG")
DSP_LEVELS = 4
WIDE_MUX = ("MUXF7", "MUXF8", "MUXF9")
CARRY = {"CARRY4": 4, "CARRY8": 8}
LUT_RAM = [name for name in LUTS if name.startswith("RAM")]
COUNTED = ["lut", "ff", "bram36", "uram", "dsp", "carry8", "ramb36", "ramb18", "lut1", "lut2", "lut3", "lut4", "lut5", "lut6",
           "lutram", "srl", "muxf"]


def count(module, children):
    """The resources of a module without its children, by the names of COUNTED."""
    total = dict.fromkeys(COUNTED, 0)
    for cell in module["cells"].values():
        kind = cell["type"]
        if kind in children:
            continue
        total["lut"] += LUTS.get(kind, 0)
        if re.fullmatch("LUT[1-6]|INV", kind):
            total["lut1" if kind == "INV" else kind.lower()] += 1
        elif kind in LUT_RAM:
            total["lutram"] += LUTS[kind]
        elif kind in LUTS:
            total["srl"] += 1
        elif kind in FLIP_FLOPS:
            total["ff"] += 1
        elif kind in CARRY:
            total["carry8"] += CARRY[kind] / 8
        elif kind in WIDE_MUX:
            total["muxf"] += 1
        elif kind in BLOCKS:
            total[{"RAMB36E2": "ramb36", "RAMB18E2": "ramb18", "URAM288": "uram", "DSP48E2": "dsp"}[kind]] += 1
        else:
            raise ValueError(f"a cell of type {kind}, which nobody has told how to count")
    total["bram36"] = total["ramb36"] + total["ramb18"] / 2
    return total


def paired(module):
    """How many LUTs of a module can be the second function of another one: a LUT6 holds two functions of at most five inputs together.

    A matching, not the best one: LUTs with most inputs choose first, and take the largest partner that shares an input with them.
    Functions without a common input are left apart, and so are those in front of a carry chain or of MUXF7, whose second output may
    be needed there. A placer may do better or, for its wires, worse.
    """
    taken = {bit for cell in module["cells"].values() if cell["type"] in CARRY or cell["type"] in WIDE_MUX
             for port in ("S", "DI", "I0", "I1") for bit in cell["connections"].get(port, [])}
    small = [frozenset(bit for port, bits in cell["connections"].items() if port != "O" for bit in bits)
             for cell in module["cells"].values() if re.fullmatch("LUT[1-5]|INV", cell["type"]) and cell["connections"]["O"][0] not in taken]
    free, by_input, found = [True] * len(small), {}, 0
    for at, inputs in enumerate(small):
        for bit in inputs:
            by_input.setdefault(bit, []).append(at)
    for at in sorted(range(len(small)), key=lambda one: -len(small[one])):
        if not free[at]:
            continue
        free[at], best = False, None
        for bit in small[at]:
            by_input[bit] = [other for other in by_input[bit] if free[other]]
            for other in by_input[bit]:
                if len(small[at] | small[other]) <= LUT6_INPUTS_OF_TWO and (best is None or len(small[other]) > len(small[best])):
                    best = other
        if best is not None:
            free[best] = False
            found += 1
    return found


class Graph:
    """The logic of a module without its children, on its own net numbers.

    `arcs` are (to, from, levels); `starts` are nets that a register or memory drives, `ends` are those it takes, with the name
    of what they end in. The carries inside a chain are nets of their own, with negative numbers.
    """

    def __init__(self, module, children):
        self.arcs, self.starts, self.ends, self.children = [], set(), {}, []
        self.hidden = 0
        self.names = names(module)
        self.chained = {bit for cell in module["cells"].values() if cell["type"] in CARRY
                        for bit in cell["connections"].get("CO", [])}
        for name, cell in module["cells"].items():
            kind, ports = cell["type"], cell["connections"]
            if kind in children:
                self.children.append((name, kind, ports))
            elif re.fullmatch("LUT[1-6]|INV", kind):
                self.join(ports["O"], [bit for port, bits in ports.items() if port != "O" for bit in bits], 1)
            elif kind in WIDE_MUX:
                self.join(ports["O"], ports["I0"] + ports["I1"] + ports["S"], 0)
            elif kind in CARRY:
                self.carry(ports, CARRY[kind])
            elif kind in LUT_RAM or kind.startswith("SRL"):
                self.lut_memory(name, ports)
            elif kind == "DSP48E2" and not any(int(value, 2) for name, value in cell["parameters"].items() if name in DSP_REGISTERS):
                self.join(ports["P"], [bit for port, bits in ports.items() if cell["port_directions"][port] == "input"
                                       and "CLK" not in port for bit in bits], DSP_LEVELS)
            elif kind in FLIP_FLOPS or kind in BLOCKS:
                self.register(name, kind, cell["port_directions"], ports)
            else:
                raise ValueError(f"a cell of type {kind}, whose way for a signal nobody has told")
        self.ports = {name: port["bits"] for name, port in module["ports"].items()}
        self.input_ports = {name for name, port in module["ports"].items() if port["direction"] == "input"}
        self.inputs = {bit for port in module["ports"].values() if port["direction"] == "input" for bit in port["bits"]}
        self.outputs = {bit for port in module["ports"].values() if port["direction"] == "output" for bit in port["bits"]}

    def join(self, outputs, inputs, levels):
        """Every input reaches every output."""
        self.arcs += [(to, bit, int(levels)) for to in outputs if isinstance(to, int) for bit in inputs if isinstance(bit, int)]

    def carry(self, ports, width):
        """A stage's sum and carry depend on what enters at it and on the carry from below, not on what enters above."""
        below = [(bit, 0 if bit in self.chained else 1) for port in ("CI", "CYINIT") for bit in ports.get(port, [])[:1]]
        for stage in range(width):
            entering = [(ports[port][stage], 1) for port in ("S", "DI")]
            self.hidden -= 1
            for to in [self.hidden, *ports.get("O", [])[stage:stage + 1], *ports.get("CO", [])[stage:stage + 1]]:
                for bit, levels in entering + below:
                    self.join([to], [bit], levels)
            below = [(self.hidden, 0)]

    def lut_memory(self, name, ports):
        """Written by the clock, read at once: from address to data is a level, and what is stored starts a path."""
        reads = {"Q": "A", "Q31": None, "DPO": "DPRA", "SPO": "A", "O": "A"}
        for port, bits in ports.items():
            if port in reads or port.startswith("DO"):
                self.starts.update(bit for bit in bits if isinstance(bit, int))
                address = "ADDR" + port[2:] if port.startswith("DO") else reads[port]
                for other, inputs in ports.items():
                    # Addresses of single bits carry their number behind the letter.
                    if address and re.fullmatch(address + r"\d*", other):
                        self.join(bits, inputs, 1)
            elif port not in ("CLK", "WCLK"):
                self.end(f"memory {name.split('.')[0]}", bits)

    def register(self, name, kind, directions, ports):
        """Everything ends here and begins anew."""
        known = self.names.get(ports["Q"][0], "a register") if kind in FLIP_FLOPS else f"memory {name.split('.')[0]}"
        control = {"CE": " (enable)", "R": " (reset)", "S": " (reset)"} if kind in FLIP_FLOPS else {}
        for port, bits in ports.items():
            if "CLK" in port or port == "C":
                continue
            if directions[port] == "output":
                self.starts.update(bit for bit in bits if isinstance(bit, int))
            else:
                self.end(known + control.get(port, ""), bits)

    def end(self, label, bits):
        """Nets that are taken by what `label` names."""
        for bit in bits:
            if isinstance(bit, int):
                self.ends.setdefault(bit, label)


def names(module):
    """Net number to the name a reader knows it by: the shortest that is the designer's own."""
    best = {}
    for name, net in module["netnames"].items():
        if net.get("hide_name"):
            continue
        for at, bit in enumerate(net["bits"]):
            text = f"{name}[{at}]" if len(net["bits"]) > 1 else name
            if isinstance(bit, int) and (bit not in best or len(text) < len(best[bit])):
                best[bit] = text
    return best
