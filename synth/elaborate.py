"""The elaborated device, cut into its modules: one of each kind, with the parameters its instances have.

Instances whose elaborated text is the same are one kind, however they are reached; line numbers, comments and generated
names do not count. So a kind's key changes with its logic, and with that of nothing above it.
"""
import csv
import dataclasses
import functools
import glob
import hashlib
import importlib.metadata
import os
import pathlib
import re
import shutil
import subprocess
import sys

# A memory with `ram_style = "block"`, as read_slang says it: a string is its bits.
IN_BLOCK_RAM = ["attribute", "\\ram_style", "40'" + "".join(f"{byte:08b}" for byte in b"block")]
GENERATED = re.compile(r"\$[^\s\\]+")
PORT = re.compile(r"\s*wire (?:width (\d+) )?.*?(input|output) \d+ (?:signed )?\\(\S+)")
# Each device's own rooms, beside those that all of them use.
TOPS = {"weir_aggregator": ("rtl/aggregate/", "rtl/relay/", "rtl/csr/weir_"), "weir_gather_switch": ("rtl/gather/", "rtl/csr/gather_"),
        "weir_gather_nic": ("rtl/gather/", "rtl/csr/gather_"), "shell_port": ("rtl/shell/",),
        "uplink_port": ("rtl/shell/", "rtl/fabric/"), "uplink_order": ("rtl/shell/", "rtl/fabric/"),
        "weir_uplink": ("rtl/shell/", "rtl/fabric/", "rtl/csr/uplink_"),
        "weir_tree_node": ("rtl/tree/", "rtl/csr/tree_")}
# Sizes are the configurations of the aggregator, of it in a tree, of tree nodes, of uplinks, and those that are for synthesis only.
CONFIGURATIONS, RELAYS, NODES, SIZES = "rtl/top/configs.csv", "rtl/top/relay_configs.csv", "rtl/top/tree_configs.csv", "synth/sizes.csv"
UPLINKS, LEANS, BEATS = "rtl/top/uplink_configs.csv", "rtl/top/lean_configs.csv", "rtl/top/beat_configs.csv"
PACKAGES_FIRST = ["rtl/roce/roce_pkg.sv", "rtl/aggregate/agg_pkg.sv", "rtl/relay/relay_pkg.sv", "rtl/tree/transport/rc_pkg.sv",
                  "rtl/tree/sat/sat_pkg.sv", "rtl/shell/shell_pkg.sv", "rtl/fabric/uplink_route_pkg.sv"]


@dataclasses.dataclass
class Kind:
    """A module with its parameters bound."""
    module: str      # as in the source
    name: str        # module and key: unique
    local: str       # module and key of its own logic, whatever is inside its children
    text: str        # its RTLIL under the name `local`, children under `inside`
    children: list   # (instance, kind's unique name), in the order of the text
    inside: dict     # a child's name in `text` to its unique name
    ports: str       # of its RTLIL the ports alone
    places: list = dataclasses.field(default_factory=list)  # instance paths in the device


def rooms(device_top):
    """The folders and files that a device is made of."""
    return ("rtl/prim/", "rtl/roce/", *TOPS[device_top], f"rtl/top/{device_top}.sv")


def sources(device_top="weir_aggregator"):
    """A device's: packages in the order of their use, then everything else."""
    files = sorted(path for path in glob.glob("rtl/**/*.sv", recursive=True) if path.startswith(rooms(device_top)))
    packages = [path for path in PACKAGES_FIRST if path in files]
    packages += [path for path in files if path.endswith("_pkg.sv") and path not in packages]
    return packages + [path for path in files if path not in packages]


def table(path):
    """The rows of a CSV file with comments."""
    with open(path, encoding="utf-8") as file:
        return list(csv.DictReader(line for line in file if line.strip() and not line.startswith("#")))


@functools.cache
def sizes():
    """Name to top of all that can be synthesized, those of the aggregator first."""
    return ({row["name"]: "weir_aggregator" for row in table(CONFIGURATIONS) + table(LEANS) + table(BEATS) + table(RELAYS)}
            | {row["name"]: "weir_tree_node" for row in table(NODES)}
            | {row["name"]: "weir_uplink" for row in table(UPLINKS)} | {row["name"]: row["top"] for row in table(SIZES)})


def top(configuration):
    """The module that is synthesized under a name."""
    return sizes()[configuration]


def parameters(configuration):
    """The -G and -D options of a name."""
    for row in table(SIZES):
        if row["name"] == configuration:
            return [f"-G{one}" for one in row["parameters"].split()]
    return subprocess.run([sys.executable, "tools/generate/configgen.py", "parameters", configuration],
                          check=True, capture_output=True, text=True).stdout.split()


def yosys(commands, directory, stem):
    """Runs `commands`; the script and what Yosys says stay beside each other in `directory`."""
    os.makedirs(directory, exist_ok=True)
    script, log = (os.path.join(directory, stem + ending) for ending in (".ys", ".log"))
    with open(script, "w", encoding="utf-8") as file:
        file.write("\n".join(commands) + "\n")
    run = subprocess.run([sys.executable, "formal/yosys.py", "-l", log, script], capture_output=True, text=True)
    if run.returncode != 0:
        sys.exit(f"synth: {stem} failed; the last lines of {log}:\n{run.stderr}"
                 + "".join(open(log, encoding="utf-8").readlines()[-5:]))


def read(path):
    """Module name to (header attributes dropped) lines of an RTLIL file."""
    modules, lines = {}, None
    with open(path, encoding="utf-8") as file:
        for line in file:
            if line.startswith("module "):
                lines = modules[line.split()[1]] = []
            elif line.startswith("end"):
                lines = None
            elif lines is not None:
                lines.append(line)
    return modules


def canonical(lines):
    """`lines` without attributes (but for a memory's that has to be block RAM), generated names numbered by appearance."""
    numbers = {}

    def number(match):
        return numbers.setdefault(match.group(0), f"${len(numbers)}")

    out = []
    for line in lines:
        word = line.split(None, 2)
        if not word or (word[0] == "attribute" and line.split() != IN_BLOCK_RAM):
            continue
        if word[0] == "cell":
            # The type of a cell is no generated name, though it begins like one.
            out.append(f"cell {word[1]} {GENERATED.sub(number, word[2])}")
        else:
            out.append(GENERATED.sub(number, line))
    return "".join(out)


def digest(text):
    """Stands for a text."""
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def elaborated(root, arguments, work):
    """Path of the elaborated device, in `work`. It stays there, and is made anew if the tool, a parameter or the text of a source is another."""
    path, stem = os.path.join(work, "elaborated.il"), f"elaborate.{os.getpid()}"
    mine = os.path.join(work, stem)
    # No assertions: what only they look at is no hardware. Their state (a checker's history) falls away with them.
    command = f"read_slang --max-constexpr-steps 100000000 --ignore-assertions --keep-hierarchy --top {root} {' '.join(arguments)}"
    texts = [pathlib.Path(one).read_text(encoding="utf-8") for one in arguments if one.endswith(".sv")]
    made_of = f"# {digest(' '.join((importlib.metadata.version('pyosys'), command, *map(digest, texts))))}\n"
    if not os.path.exists(path) or open(path, encoding="utf-8").readline() != made_of:
        yosys([command, f"write_rtlil {mine}.il"], work, stem)
        with open(f"{mine}.il", encoding="utf-8") as bare, open(f"{mine}.part", "w", encoding="utf-8") as whole:
            whole.write(made_of)
            shutil.copyfileobj(bare, whole)
        os.replace(f"{mine}.part", path)
        for ending in ("il", "ys", "log"):
            os.remove(f"{mine}.{ending}")
    return path


def kinds(root, arguments, work):
    """All kinds below `root`, by unique name, children before parents. `arguments`: parameters and source files."""
    modules = read(elaborated(root, arguments, work))
    found, named = {}, {}

    def visit(name):
        if name in named:
            return named[name]
        lines, children, inside = [], [], {}
        for line in modules[name]:
            word = line.split()
            if word and word[0] == "cell" and word[1] in modules:
                child = visit(word[1])
                children.append((word[2].lstrip("\\"), child))
                within = next((known for known, kind in inside.items() if kind == child), f"{found[child].module}.{len(inside)}")
                inside[within] = child
                line = f"  cell \\{within} {word[2]}\n"
            lines.append(line)
        module = name.lstrip("\\").split("$")[0]
        # A child's ports are all that its parent is mapped with.
        own = canonical(lines) + "".join(within + canonical([found[child].ports]) for within, child in inside.items())
        local = f"{module}.{digest(own)}"
        unique = f"{module}.{digest(own + ' '.join(inside.values()))}" if inside else local
        named[name] = unique
        if unique not in found:
            ports = [line for line in lines if re.match(r"  wire .*\b(input|output|inout) \d", line)]
            found[unique] = Kind(module, unique, local, f"module \\{local}\n{''.join(lines)}end\n", children, inside, "".join(ports))
        return unique

    unique_root = visit("\\" + root)

    def place(unique, path):
        found[unique].places.append(path)
        for instance, child in found[unique].children:
            place(child, f"{path}.{instance}" if path else instance)

    place(unique_root, "")
    return found


@functools.cache
def device(configuration, build):
    """The kinds of modules of a configuration."""
    return kinds(top(configuration), parameters(configuration) + sources(top(configuration)), os.path.join(build, configuration))


def cone(found, name):
    """The unique names of a kind and of all below it, children first."""
    names = {}
    for _, child in found[name].children:
        names |= dict.fromkeys(cone(found, child))
    names[name] = None
    return list(names)


def identifier(unique):
    """A kind's unique name as every tool takes it."""
    return unique.replace(".", "_")


def together(found, name, black=()):
    """RTLIL of a kind with all below it, under their identifiers; of the kinds named in `black` the ports alone."""
    text = []
    for unique in cone(found, name):
        kind = found[unique]
        if unique in black:
            text.append(f"attribute \\blackbox 1\nmodule \\{identifier(unique)}\n{kind.ports}end\n")
            continue
        body = kind.text.replace(f"module \\{kind.local}\n", f"module \\{identifier(unique)}\n", 1)
        for within, child in kind.inside.items():
            body = body.replace(f"cell \\{within} ", f"cell \\{identifier(child)} ")
        text.append(body)
    return "".join(text)


def port_list(kind):
    """(bits, direction, name) of each port."""
    return [(int(width or 1), direction, name) for width, direction, name in map(lambda line: PORT.match(line).groups(), kind.ports.splitlines())]


def largest(found, modules):
    """Of each of `modules` that there are the kind to measure: the largest where several have one name."""
    chosen = {}
    for kind in found.values():
        if kind.module in modules:
            chosen[kind.module] = max(chosen.get(kind.module, (0, "")), (len(together(found, kind.name)), kind.name))
    return {module: chosen[module][1] for module in modules if module in chosen}


def logic(name):
    """Stands in a report for a kind and all below it: another value, another netlist."""
    return name.split(".")[-1][:12]
