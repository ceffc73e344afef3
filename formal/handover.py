"""Where two proofs meet: whether what one of them takes for granted is the very expression that the other one shows, of the same wires.

A line of formal/ledger.csv that says `same` is not left to its readers. It is one of two things:

- A contract, an assertion of an RTL module about its user: both circuits have that module, and the one assertion of it.
- A condition that a module of its own works out (`X_given`: what the proof of X takes for granted), with what it must remember. The bench of X assumes
  an output of it, the bench of X's neighbour asserts that output. Its inputs are ports of X: in the neighbour's bench the ports of the X inside it, or
  what RTL connects to them wherever it has both.

The text of benches and of the RTL is compared; nothing is elaborated."""
import functools
import re

import sources

# A label with its statement, whose condition is one name.
STATED = r"\b{}\s*:\s*{}\s*\(\s*(\w+)\s*\)"
# Conditions under which an assumption and an assertion may stand: outside reset.
GUARDS = {"", "rst_ni"}
BLOCK = re.compile(r"\bif\s*\(|\bbegin\b|\bend\b|\belse\b|\bcase\b|\bfor\b|;")


@functools.cache
def read(path):
    """A source without comments."""
    with open(path, encoding="utf-8") as f:
        return sources.COMMENT.sub(" ", f.read())


@functools.cache
def units():
    """{module or package: its file}."""
    return sources.units()


def closing(text, at):
    """The place behind the bracket that closes the one at `at`."""
    depth = 0
    for place in range(at, len(text)):
        depth += (text[place] in "([{") - (text[place] in ")]}")
        if depth == 0:
            return place + 1
    return len(text)


def parts(text):
    """{port or parameter: expression} of what stands in the brackets of an instance. `.clk_i` alone connects what has its name."""
    found, at = {}, 0
    for match in re.finditer(r"\.(\w+)\s*(\()?", text):
        if match.start() < at:
            continue
        at = closing(text, match.end() - 1) if match.group(2) else match.end()
        found[match.group(1)] = "".join(text[match.end():at - 1].split()) if match.group(2) else match.group(1)
    return found


@functools.cache
def instances(path):
    """[(module, name, parameters, connections)] of the instances that stand in a file."""
    text, found = read(path), []
    for match in re.finditer(r"\b(\w+)\s*(?=#\s*\(|\s\w+\s*\()", text):
        if match.group(1) not in units():
            continue
        at, given = match.end(), ""
        if text[at] == "#":
            begin = text.index("(", at)
            at = closing(text, begin)
            given = text[begin + 1:at - 1]
        name = re.compile(r"\s*(\w+)\s*\(").match(text, at)
        if name:
            end = closing(text, name.end() - 1)
            found.append((match.group(1), name.group(1), parts(given), parts(text[name.end():end - 1])))
    return found


def module_at(bench, path):
    """The module of the instance that `path`, names with dots, leads to from a bench; names of blocks are passed over. None if it is not one module."""
    where = bench
    for name in path:
        modules = {module for module, instance, _, _ in instances(where) if instance == re.sub(r"\[.*", "", name)}
        if len(modules) > 1:
            return None
        if modules:
            where = units()[modules.pop()]
    return where if where != bench else None


def is_port(path, name):
    """Whether a module has a port of this name, as far as its text shows."""
    return re.search(r"\b(input|output)\b[^;()]*?\b" + re.escape(name) + r"\b\s*[,)\n]", read(path)) is not None


def wires(bench, expression):
    """{(file of a module, its port)} of which an expression of a bench is the wire."""
    found = {(units()[module], port) for module, _, _, ports in instances(bench) if units()[module].startswith("rtl/")
             for port, wire in ports.items() if wire == expression}
    *path, port = expression.split(".")
    where = module_at(bench, path) if path else None
    return found | ({(where, port)} if where and is_port(where, port) else set())


@functools.cache
def meetings(one, other):
    """[(connections of `one`, connections of `other`)] wherever RTL has instances of both files' modules in one module."""
    names = [path.split("/")[-1].removesuffix(".sv") for path in (one, other)]
    found = []
    for path in sorted({path for path in units().values() if path.startswith("rtl/")}):
        if not all(name in read(path) for name in names):
            continue
        sides = [[ports for module, _, _, ports in instances(path) if module == name] for name in names]
        found += [(left, right) for left in sides[0] for right in sides[1]]
    return found


def joined(here, there):
    """Whether two ports, (file, name) each, are one wire: the same port, or connected wherever RTL has both modules."""
    if here == there:
        return True
    places = meetings(here[0], there[0])
    return bool(places) and all(left.get(here[1]) == right.get(there[1]) is not None for left, right in places)


def guards(text, at):
    """The conditions of the blocks in which the place `at` of a text stands, from its `always_ff` on."""
    begin = text.rfind("always_ff", 0, at)
    stack, waits, place = [], "", begin
    while match := BLOCK.search(text, place, at):
        word, place = match.group(0), match.end()
        if word.startswith("if"):
            place = closing(text, match.end() - 1)
            waits = "".join(text[match.end():place - 1].split())
        elif word == "begin":
            stack.append(waits)
            waits = ""
        elif word == "end":
            stack.pop()
        else:
            waits = "" if word == ";" else word
    return set(stack + [waits])


def stated(bench, label, kind):
    """(module, its parameters, its connections, output) of the instance whose output the assertion or assumption `label` of a bench is; a sentence if
    it is something else."""
    text = read(bench)
    match = re.search(STATED.format(re.escape(label), kind), text)
    if not match:
        return f"{label} of {bench} is not the output of a module of conditions alone"
    if not guards(text, match.start()) <= GUARDS:
        return f"{label} of {bench} holds under conditions of its own"
    for module, _, given, ports in instances(bench):
        for port, wire in ports.items():
            if wire == match.group(1) and units()[module].startswith("formal/") and port.endswith("_o"):
                return module, given, ports, port
    return f"{label} of {bench} is not the output of a module of conditions"


def values(bench, task, given):
    """The parameters of an instance, with the numbers of a task."""
    known = dict(re.findall(r"\b(?:localparam|parameter)\s[^=;,]*?\b(\w+)\s*=\s*(\d+)\b", read(bench)))
    known |= dict(text.split("=") for text in task.get("parameters", []))
    return {name: known.get(value, value) for name, value in given.items()}


def differs_contract(bench, name, shower, shown):
    """Why a contract is not the assertion that another proof has; None if it is."""
    sides = []
    for path, full in ((bench, name), (shower, shown)):
        *way, label = full.split(".")
        where = module_at(path, way)
        if where is None or label not in sources.labels(where, "a_"):
            return f"no module of which {full} is an assertion"
        sides.append((where, label))
    return None if sides[0] == sides[1] else f"{sides[0][1]} of {sides[0][0]} is not {sides[1][1]} of {sides[1][0]}"


def differs(tasks, module, name, other, shown):
    """Why what a module's proofs take for granted is not the very expression that `shown` of `other` is, of the same wires, as a sentence; None if it is.
    `tasks`: {module: its tasks}."""
    if other not in tasks:
        return f"no proof of {other}"
    bench, shower = tasks[module][0]["props"], tasks[other][0]["props"]
    if not name.startswith("e_"):
        return differs_contract(bench, name, shower, shown)
    sides = stated(bench, name, "assume"), stated(shower, shown, "assert")
    for side in sides:
        if isinstance(side, str):
            return side
    (condition, given, ports, output), (condition2, given2, ports2, output2) = sides
    if (condition, output) != (condition2, output2):
        return f"{output} of {condition} is not {output2} of {condition2}"
    here = [values(bench, task, given) for task in tasks[module]]
    there = [values(shower, task, given2) for task in tasks[other]]
    if not all(one in there and "".join(one.values() or "0").isdigit() for one in here):
        return f"{condition} has other parameters in the proofs of {other}"
    for port in ports:
        if port.endswith("_o") or port in ("clk_i", "rst_ni"):
            continue
        ours, theirs = wires(bench, ports[port]), wires(shower, ports2.get(port, ""))
        if not any(joined(theirs_one, ours_one) for ours_one in ours for theirs_one in theirs):
            return f"{port} of {condition}: {ports[port]} of {bench} and {ports2.get(port)} of {shower} are not one wire"
    return None
