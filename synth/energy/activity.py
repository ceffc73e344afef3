"""How often each net of a mapped block changes, as it is driven by what its ports and memories did in a simulation of the RTL around it.

The block's netlist is stepped through a record (waves of `weir gather --rtl nic --wave`): in each cycle its inputs and what its memories show are
those of the record, all else it works out itself, and each of its outputs and each input of a memory has to be what it was in the RTL.
"""
import array
import dataclasses
import os
import subprocess

import pywellen

from energy import liberty

CYCLE, BEFORE = 4, 1   # steps of the waves that a cycle takes; where in it all is settled, before the clock rises
SEGMENT = 1024         # cycles that are counted together
IDLE = 4               # segments at the start that do not count
# Segments until all places of all queues were in use: before that their outputs may show what registers without a reset hold by chance, and of two that synthesis has
# made one, one chance.
CHANCE = 6


@dataclasses.dataclass
class Netlist:
    """A mapped block: nets are numbered, 0 and 1 are the constants."""
    nets: int
    given: list      # (net, signal of the waves, its bit): inputs, and what memories show
    seen: list       # the same of outputs and of inputs of memories
    flops: list      # (net of D, net of Q, kind)
    gates: list      # (net, [nets], truth table, kind, output pin)
    sinks: dict      # net to [fF of a pin]
    memories: dict   # instance: where in the waves
    clocks: int      # pins of registers at the clock
    first: dict      # net of Q: [(signal, bit)], the names that it has in the RTL


PORT_LOAD, MEMORY_LOAD = 5.0, 2.0   # fF at an output, and at a pin of a memory: as for timing (cells.py)


def netlist(module, cells):
    """From Yosys's JSON of a mapped block, and the library's cells."""
    numbers = {"0": 0, "1": 1, "x": 0}
    made = Netlist(0, [], [], [], [], {}, {}, 0, {})

    def net(bit):
        return numbers.setdefault(bit, len(numbers) - 1)

    def load(bit, capacitance):
        made.sinks.setdefault(net(bit), []).append(capacitance)

    for name, port in module["ports"].items():
        if name != "clk_i":
            for place, bit in enumerate(port["bits"]):
                (made.given if port["direction"] == "input" else made.seen).append((net(bit), name, place))
                if port["direction"] == "output":
                    load(bit, PORT_LOAD)
    for name, one in module["cells"].items():
        kind, pins = one["type"], one["connections"]
        if kind not in cells:
            made.memories[name] = kind
            for pin, bits in pins.items():
                out = one["port_directions"][pin] == "output"
                for place, bit in enumerate(bits):
                    if pin != "clk_i":
                        (made.given if out else made.seen).append((net(bit), f"{name}.{pin}", place))
                        if not out:
                            load(bit, MEMORY_LOAD)
            continue
        cell = cells[kind]
        for pin, capacitance in cell.inputs.items():
            if pin != cell.clock:
                load(pins[pin][0], capacitance)
        if cell.clock:
            made.clocks += 1
            # Where only the inverted output is used, the register's net has no name of its own.
            state = net(pins["Q"][0]) if pins.get("Q") else net(("state", name))
            made.flops.append((net(pins["D"][0]), state, kind))
            if pins.get("QN"):
                made.gates.append((net(pins["QN"][0]), [state], 1, kind, "QN"))
            continue
        for pin, function in cell.outputs.items():
            if pins.get(pin):
                made.gates.append((net(pins[pin][0]), [net(pins[one_pin][0]) for one_pin in cell.inputs], liberty.table(function, list(cell.inputs)), kind, pin))
    states = {q for _, q, _ in made.flops}
    for name, known in module["netnames"].items():
        for place, bit in enumerate(known["bits"]):
            if numbers.get(bit) in states:
                made.first.setdefault(numbers[bit], []).append((name, place + known.get("offset", 0)))
    made.nets = len(numbers) - 1
    made.gates = ordered(made)
    return made


def ordered(block):
    """Gates, each behind those that drive it."""
    ready = {0, 1} | {net for net, _, _ in block.given} | {q for _, q, _ in block.flops}
    readers, waits, order = {}, [], []
    for n, (_, inputs, *_) in enumerate(block.gates):
        missing = {one for one in inputs if one not in ready}
        waits.append(len(missing))
        for one in missing:
            readers.setdefault(one, []).append(n)
        if not missing:
            order.append(n)
    for n in order:
        for reader in readers.get(block.gates[n][0], ()):
            waits[reader] -= 1
            if waits[reader] == 0:
                order.append(reader)
    if len(order) != len(block.gates):
        raise ValueError("the netlist has a loop of gates, or a net that nothing drives")
    return [block.gates[n] for n in order]


class Waves:
    """A record; `place` is where in it the device is."""

    def __init__(self, path, place):
        self.signals = {var.full_name.replace(".[", "["): var for var in pywellen.Waveform(path).all_vars()}
        self.place = place

    def signal(self, name):
        """A signal by its name below `place`."""
        return self.signals[f"{self.place}.{name}"].signal

    def start(self, names):
        """What a register holds at first, by any of the `names` ((signal, bit)) that it has; None if the record has none of them."""
        for name, bit in names:
            if f"{self.place}.{name}" in self.signals:
                return self.value(name, 0) >> bit & 1
        return None

    def value(self, name, cycle):
        """What a signal is in a cycle, as a number."""
        return self.signal(name).value_at(cycle * CYCLE + BEFORE) or 0

    def columns(self, wanted, cycles):
        """The bits `wanted` ((net, signal, bit), all of a signal together and in their order) in each cycle, in bytes."""
        names = list(dict.fromkeys(name for _, name, _ in wanted))
        widths = {name: [bit for _, other, bit in wanted if other == name] for name in names}
        if any(bits != list(range(len(bits))) for bits in widths.values()) or [(n, b) for _, n, b in wanted] != [(n, b) for n in names for b in widths[n]]:
            raise ValueError("bits of a signal are not together")
        signals = [(self.signal(name), (1 << len(widths[name])) - 1, len(widths[name])) for name in names]
        size, rows = (len(wanted) + 7) // 8, []
        for cycle in range(cycles):
            row, place = 0, 0
            for signal, mask, width in signals:
                row |= ((signal.value_at(cycle * CYCLE + BEFORE) or 0) & mask) << place
                place += width
            rows.append(row.to_bytes(size, "little"))
        return rows


def compiled(work):
    """The program that steps a netlist."""
    source, program = os.path.join(os.path.dirname(__file__), "gates.c"), os.path.join(work, "gates")
    if not os.path.exists(program) or os.path.getmtime(program) < os.path.getmtime(source):
        subprocess.run([os.environ.get("CC", "gcc"), "-O2", "-std=c17", "-Wall", "-Wextra", "-Werror", "-o", program, source], check=True)
    return program


def changes(block, waves, cycles, work, stem):
    """Of each SEGMENT of `cycles`, but for the first IDLE, how often each net changed. Raises ValueError if the netlist did anything else than the RTL."""
    cycles -= cycles % SEGMENT
    sizes = [block.nets, len(block.given), len(block.flops), len(block.gates), len(block.seen), cycles, SEGMENT, CHANCE * SEGMENT]
    words = array.array("I", sizes + [net for net, _, _ in block.given] + [net for d, q, _ in block.flops for net in (d, q)])
    for net, inputs, truth, *_ in block.gates:
        words.extend([net, len(inputs), *inputs, *[0] * (6 - len(inputs)), truth & 0xFFFFFFFF, truth >> 32])
    words.extend(net for net, _, _ in block.seen)
    # What registers without a reset hold at first is chance in the RTL; an address within a register of a memory has no name there.
    words.extend(waves.start(block.first.get(q, ())) or 0 for _, q, _ in block.flops)
    path, counts = (os.path.join(work, f"{stem}.{ending}") for ending in ("gates", "counts"))
    with open(path, "wb") as file:
        words.tofile(file)
        for given, seen in zip(waves.columns(block.given, cycles), waves.columns(block.seen, cycles)):
            file.write(given + seen)
    subprocess.run([compiled(work), path, counts], check=True)
    found = array.array("I")
    with open(counts, "rb") as file:
        found.frombytes(file.read())
    wrong, cycle, place = found[-3:]
    if wrong:
        _, name, bit = block.seen[place]
        raise ValueError(f"the netlist is not the RTL: {wrong} bits of its outputs differ, first {name}[{bit}] in cycle {cycle}")
    return [found[n * block.nets:(n + 1) * block.nets] for n in range(IDLE, cycles // SEGMENT)]
