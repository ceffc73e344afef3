"""Of a cell library in Liberty's format what a power estimate needs: functions, capacitances, leakage, and energies of the cells' insides.

Units are those of the library, which has to say fF, V, nW and ns: then an energy in its tables is in fJ (fF times V squared).
"""
import dataclasses
import re

UNITS = {"capacitive_load_unit": "(1,ff)", "voltage_unit": "1V", "leakage_power_unit": "1nW", "time_unit": "1ns"}
SLEW = 0.02  # ns, of all signals: a gate behind a short wire; from 0.01 to 0.05 ns energies change by a few of a hundred


@dataclasses.dataclass
class Cell:
    """A cell of the library; energies in fJ."""
    inputs: dict        # pin to fF
    outputs: dict       # pin to its function, "" if it is a register's
    leakage: float      # nW, the mean over its states
    inside: dict        # output pin to [(fF, fJ)]: of a change, the mean of both directions and of the inputs that cause it
    clock: str = ""     # a register's clock pin
    held: float = 0.0   # fJ of a clock cycle in which a register keeps its value,
    taken: float = 0.0  # and of one in which it takes another, without its output's
    data: float = 0.0   # fJ of a change at its data pin


def group(text, start):
    """What is between the brace at `start` and the one that closes it."""
    depth = 0
    for place in range(start, len(text)):
        depth += {"{": 1, "}": -1}.get(text[place], 0)
        if depth == 0:
            return text[start + 1:place]
    raise ValueError("a group of the library has no end")


def groups(text, kind):
    """(argument, body) of each group of a kind, however deep it is."""
    return [(match.group(1).strip(), group(text, match.end() - 1)) for match in re.finditer(rf"\b{kind}\s*\(([^)]*)\)\s*\{{", text)]


def attribute(text, name, default=None):
    """The value of an attribute of a group, or of one in it."""
    found = re.search(rf'\b{name}\s*:\s*"?([^";]+)"?\s*;', text)
    return found.group(1).strip() if found else default


def numbers(text, name):
    """Those in quotes behind a name: [[row]]."""
    found = re.search(rf"\b{name}\s*\(([^)]*)\)", text)
    return [[float(one) for one in row.split(",")] for row in re.findall(r'"([^"]*)"', found.group(1))] if found else []


def between(places, values, where):
    """On the broken line through (place, value), and on its first and last part beyond them; of one point its value."""
    if len(places) == 1:
        return values[0]
    above = next((n for n in range(1, len(places)) if places[n] >= where), len(places) - 1)
    low, high = places[above - 1], places[above]
    return values[above - 1] + (values[above] - values[above - 1]) * (where - low) / (high - low)


def energy(table):
    """[(load in fF, fJ)] of a table at SLEW; one without load has one entry."""
    slews, loads, values = numbers(table, "index_1"), numbers(table, "index_2"), numbers(table, "values")
    if not slews:
        return [(0.0, values[0][0])]
    if not loads:
        return [(0.0, between(slews[0], values[0], SLEW))]
    return [(load, between(slews[0], [row[n] for row in values], SLEW)) for n, load in enumerate(loads[0])]


def mean(lists):
    """Of several energies by load their mean, by load."""
    longest = max(lists, key=len)
    return [(load, sum(one[min(n, len(one) - 1)][1] for one in lists) / len(lists)) for n, (load, _) in enumerate(longest)]


def directions(body):
    """Energies of both directions of a group internal_power: [falling, rising]."""
    return [energy(table) for kind in ("fall_power", "rise_power") for _, table in groups(body, kind)]


def cell(body):
    """A cell."""
    pins, power = groups(body, "pin"), {}
    inputs, outputs = {}, {}
    for name, pin in pins:
        if attribute(pin, "direction") == "input":
            inputs[name] = float(attribute(pin, "capacitance", "0"))
        else:
            outputs[name] = attribute(pin, "function", "")
        power[name] = groups(pin, "internal_power")
    register = groups(body, "ff")
    inside = {name: mean([one for _, own in power[name] for one in directions(own)]) if power[name] else [(0.0, 0.0)] for name in outputs}
    made = Cell(inputs, dict.fromkeys(outputs, "") if register else outputs, float(attribute(body, "cell_leakage_power", "0")), inside)
    if register:
        made.clock = attribute(register[0][1], "clocked_on", "")
        kept, taken = [], []
        for _, own in power.get(made.clock, []):
            state = attribute(own, "when", "")
            same = re.search(r"!D\b", state) is not None, re.search(r"!Q\b", state) is not None
            # The falling edge comes in the cycle, too; the rising one of a cycle that takes a value is told at the output.
            (kept if same[0] == same[1] else taken).append(sum(one[0][1] for one in directions(own)))
        made.held, made.taken = (sum(which) / len(which) if which else 0.0 for which in (kept, taken))
        data = [one[0][1] for _, own in power.get("D", []) for one in directions(own)]
        made.data = sum(data) / len(data) if data else 0.0
    return made


def wire(text, name):
    """fF of a net by the number of its sinks, from a wire-load model."""
    body = next(body for argument, body in groups(text, "wire_load") if argument.strip('"') == name)
    lengths = {int(n): float(length) for n, length in re.findall(r"fanout_length\(\s*(\d+),\s*([\d.]+)", body)}
    each, slope, most = float(attribute(body, "capacitance")), float(attribute(body, "slope")), max(lengths)

    def load(sinks):
        if sinks == 0:
            return 0.0
        length = lengths[most] + slope * (sinks - most) if sinks > most else between(sorted(lengths), [lengths[n] for n in sorted(lengths)], sinks)
        return each * length
    return load


def read(path, wanted, wires):
    """(cells by name, those of `wanted`; volts; fF of a net by its sinks) of a library."""
    with open(path, encoding="utf-8") as file:
        text = re.sub(r"/\*.*?\*/", "", file.read(), flags=re.S).replace("\\\n", " ")
    for name, unit in UNITS.items():
        if re.sub(r"\s", "", unit) not in re.sub(r"\s", "", re.search(rf"\b{name}\b[^;]*;", text).group(0)):
            raise ValueError(f"{path}: {name} is not {unit}")
    starts = {match.group(1): match.end() - 1 for match in re.finditer(r"\bcell\s*\((\w+)\)\s*\{", text)}
    return ({name: cell(group(text, starts[name])) for name in wanted}, float(attribute(text, "nom_voltage")), wire(text, wires))


def table(function, inputs):
    """Truth table of a function of `inputs`: bit n is its value where input k is bit k of n."""
    code = compile(function.replace("!", "~"), "function", "eval")
    return sum((eval(code, {"__builtins__": {}}, {name: n >> k & 1 for k, name in enumerate(inputs)}) & 1) << n  # noqa: S307
               for n in range(1 << len(inputs)))
