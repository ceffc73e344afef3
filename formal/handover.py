"""Where two proofs meet: whether what one of them takes for granted is the very expression that the other one shows, of the same wires.

A line of formal/ledger.csv that says `same` is not left to its readers. It is one of two things:

- A contract, an assertion of an RTL module about its user: both circuits have that module, and the one assertion of it.
- A condition that a module of its own works out (`X_given`: what the proof of X takes for granted), with what it must remember. The bench of X assumes
  an output of it, the bench of X's neighbour asserts that output. Its inputs are ports of X, or fields of them: in the neighbour's bench the ports of the X inside
  it, or what RTL connects to them wherever it has both, from module to module.

The text of benches and of the RTL is compared; nothing is elaborated. RTL may have a module in more places than the neighbour is in: of those nothing is shown,
and the line of the ledger has to say why that is no matter (`elsewhere`). What a bench ties to a constant, both sides leave to their readers."""
import functools
import re

import sources

# A label with its statement, whose condition is one name.
STATED = r"\b{}\s*:\s*{}\s*\(\s*(\w+)\s*\)"
# Conditions under which an assumption and an assertion may stand: outside reset.
GUARDS = {"", "rst_ni"}
# A wire, or a part of one.
NAME = re.compile(r"[A-Za-z_][\w.\[\]']*")
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


def modules_at(bench, path):
    """The files of the modules that `path`, names of instances, may lead to from a bench: two, if two blocks have an instance of the name. Names of
    blocks are passed over."""
    places = {bench}
    for name in path:
        inside = {units()[module] for where in places for module, instance, _, _ in instances(where) if instance == re.sub(r"\[.*", "", name)}
        places = inside or places
    return places - {bench}


def module_at(bench, path):
    """The file of the module that `path` leads to; None if it is not one module."""
    found = modules_at(bench, path)
    return found.pop() if len(found) == 1 else None


def is_port(path, name):
    """Whether a module has a port of this name, as far as its text shows."""
    return re.search(r"\b(input|output)\b[^;()]*?\b" + re.escape(name) + r"\b\s*[,)\n]", read(path)) is not None


def wires(bench, expression):
    """{(file of a module, its port, or a field of it)} of which an expression of a bench is the wire."""
    found = {(units()[module], port + expression[len(wire):]) for module, _, _, ports in instances(bench) if units()[module].startswith("rtl/")
             for port, wire in ports.items() if expression == wire or NAME.fullmatch(wire) and expression.startswith((wire + ".", wire + "["))}
    *path, port = expression.split(".")
    where = module_at(bench, path) if path else None
    return found | ({(where, port)} if where and is_port(where, port) else set())


@functools.cache
def users(module):
    """[(file, connections)] of the instances that RTL has of a module."""
    return [(path, ports) for path in sorted({path for path in units().values() if path.startswith("rtl/")}) if module in read(path)
            for name, _, _, ports in instances(path) if name == module]


@functools.cache
def outside(place, wire):
    """{file of a module: what the wire of a module, a port of it or a field of one, is called there}: there, wherever RTL has the module, in those that
    have these, and so on. A name of None: it is connected to nothing, or to more than a wire."""
    found = {place: {wire}}
    port, field = re.match(r"(\w*)(.*)", wire).groups()
    if is_port(place, port):
        for path, ports in users(place.split("/")[-1].removesuffix(".sv")):
            outer = ports.get(port)
            if outer is None or field and not NAME.fullmatch(outer):
                found.setdefault(path, set()).add(None)
                continue
            for where, names in outside(path, outer + field).items():
                found[where] = found.get(where, set()) | names
    return found


def joined(here, there):
    """Whether two wires of modules, (file, name) each, are one: the same, or of one name wherever RTL has both modules."""
    if here == there:
        return True
    ours, theirs = outside(*here), outside(*there)
    both = ours.keys() & theirs.keys()
    return bool(both) and all(len(ours[place] | theirs[place]) == 1 and None not in ours[place] for place in both)


def homes(place, wire):
    """The files of RTL in which a wire of a module, a port of it or a field of one, is no port any more: between whom it runs is said there."""
    return {path for path, names in outside(place, wire).items() if any(name is None or not is_port(path, re.match(r"\w*", name).group(0)) for name in names)}


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
    """(module, its parameters, its connections, output, conditions under which it holds) of the instance whose output the assertion or assumption `label` of a
    bench is; a sentence if it is something else."""
    text = read(bench)
    match = re.search(STATED.format(re.escape(label), kind), text)
    if not match:
        return f"{label} of {bench} is not the output of a module of conditions alone"
    holds = guards(text, match.start())
    if not holds <= GUARDS:
        return f"{label} of {bench} holds under conditions of its own"
    for module, _, given, ports in instances(bench):
        for port, wire in ports.items():
            if wire == match.group(1) and units()[module].startswith("formal/") and port.endswith("_o"):
                return module, given, ports, port, holds
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
        found = [where for where in modules_at(path, way) if label in sources.labels(where, "a_")]
        if len(found) != 1:
            return f"no module of which {full} is an assertion"
        sides.append((found[0], label))
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
    (condition, given, ports, output, holds), (condition2, given2, ports2, output2, holds2) = sides
    if (condition, output) != (condition2, output2):
        return f"{output} of {condition} is not {output2} of {condition2}"
    if not holds2 <= holds:
        return f"{name} of {bench} is taken for granted in reset as well"
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


def elsewhere_contract(shower, shown):
    """As elsewhere(), of a contract: the module has other users than the one in the other proof, or that one has, and so on up to what the proof is of."""
    *way, _ = shown.split(".")
    inside = [{path for path in modules_at(shower, way[:at]) if path.startswith("rtl/")} for at in range(1, len(way) + 1)]
    return {user for outer, inner in zip(inside, inside[1:]) if outer and outer != inner for path in inner
            for user, _ in users(path.split("/")[-1].removesuffix(".sv"))} - set().union(*inside)


def elsewhere(tasks, module, name, other, shown):
    """Files of RTL that have a module, of a line that differs() finds nothing wrong with, without the neighbour that shows what its proofs take for granted."""
    bench, shower = tasks[module][0]["props"], tasks[other][0]["props"]
    if not name.startswith("e_"):
        return elsewhere_contract(shower, shown)
    ports, ports2 = stated(bench, name, "assume")[2], stated(shower, shown, "assert")[2]
    found = set()
    for port in ports:
        if port.endswith("_o") or port in ("clk_i", "rst_ni"):
            continue
        theirs = wires(shower, ports2[port])
        found |= set.intersection(*({path for path in homes(*one) if path not in outside(*another)} for one in wires(bench, ports[port])
                                    for another in theirs if joined(another, one)))
    return found
