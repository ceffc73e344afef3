"""Mutants as Yosys `mutate` draws them: of a module's cells in the design of a task, and how the same cell is called in other designs; and which modules
a task is about."""
import functools
import json
import re
import subprocess
import sys
import tempfile

import jobs
import sources

SEED = 1
# What opens a scope of SystemVerilog, what closes one, and what may be an instance.
NOT_THERE = re.compile(r'"(?:\\.|[^"\\])*"|\bmodule\s+\w+')
SCOPE = re.compile(r"\bbegin\b(?:\s*:\s*(\w+))?|\b(end)\b|\b(\w+)\s*#\s*(?=\()|\b(\w+)\s+(?=\w+\s*\()")
# What no mistake in RTL looks like: a clock that is another one.
CLOCKS = re.compile(r" -port (CLK|RD_CLK|WR_CLK|SRST|ARST|CLR|SET)\b")


def yosys(lines):
    """Runs commands of yosys; subprocess.CalledProcessError if it refuses them."""
    with tempfile.NamedTemporaryFile("w", suffix=".ys") as file:
        file.write("\n".join(lines) + "\n")
        file.flush()
        subprocess.run([sys.executable, f"{jobs.HERE}/yosys.py", "-l", "/dev/null", file.name], check=True, capture_output=True)


@functools.cache
def proved(path):
    """The modules of the RTL that a property file is about: {instance: module}, an instance of a generate block as a pattern of yosys. They stand in
    it, or in a bench that it has."""
    with open(path, encoding="utf-8") as f:
        text = NOT_THERE.sub(" ", sources.COMMENT.sub(" ", f.read()))
    known, found, scopes = sources.units(), {}, []
    for match in SCOPE.finditer(text):
        label, closes, *names = match.groups()
        module = names[0] or names[1]
        if closes:
            scopes.pop()
        elif module in known:
            at = match.end()
            if names[0]:   # behind its parameters
                depth = 0
                while depth or at == match.end():
                    depth += (text[at] == "(") - (text[at] == ")")
                    at += 1
            name = ".".join([f"{scope}*" for scope in scopes if scope] + [re.match(r"\s*(\w+)", text[at:]).group(1)])
            bench = known[module].startswith("formal/")
            found |= {f"{name}.{inside}": what for inside, what in proved(known[module]).items()} if bench else {name: module}
        elif not module:
            scopes.append(label)
    return found


def outputs(instances, side=""):
    """Commands of yosys that select, as `shown`, the outputs of these instances, not of those inside them; `side`: the module that they are in. Those of
    a generated register file have names of their own, and so has what its bus gets (rtl/csr)."""
    among = lambda pattern, then="": " ".join(f"{side}w:{pattern.replace('P', instance)}{then}" for instance in instances)
    return [f"select -set shown {among('P.*_o')} {among('P.m_axis_t*')} {among('P.hwif_out')} {among('P.cpuif_*')}", f"select -set shown @shown {among('P.*.*', ' %d')}"]


def draw(lines, path, number, instances):
    """`number` mutants of what stands in the file `path`, in the design that yosys has behind `lines`: [(command, where in the sources, wire)]. Only of
    cells that an output of these instances depends on, or of the design if there are none, so none that assertions alone look at."""
    with tempfile.TemporaryDirectory() as place:
        keep = outputs(instances) + ["setattr -set keep 1 @shown"] if instances else []
        yosys(lines + ["chformal -remove"] + keep + ["opt_clean", f"select -set mine a:src=*{path}:* t:$scopeinfo %d",
                       # Some are of clocks.
                       f"tee -q -o {place}/reads select -list t:$memrd*", f"tee -q -o {place}/tables select -list t:$meminit*",
                       f"mutate -list {number + number // 2} -seed {SEED} -o {place}/list @mine"])
        # A memory that is read without a clock is always read. What stands in a table that yosys makes of a case is constant, and with a switch in it
        # nothing reads the table.
        never = set()
        for cells, port in (("reads", "EN "), ("tables", "")):
            with open(f"{place}/{cells}", encoding="utf-8") as f:
                never |= {f" -cell {line.strip().partition('/')[2]} -port {port}" for line in f}
        with open(f"{place}/list", encoding="utf-8") as f:
            found = [line.strip() for line in f if line.startswith("mutate") and not CLOCKS.search(line) and not any(port in line for port in never)]
    told = lambda line, key: next(iter(sorted(re.findall(rf" -{key} (\S+)", line), key=lambda found: (path not in found, found.endswith(":0")))), "")
    return [(re.sub(r" -(src|wire|wirebit) \S+", "", line), told(line, "src"), f"{told(line, 'wire')}[{told(line, 'wirebit')}]".lstrip("\\").removeprefix("[]"))
            for line in found[:number]]


class Design:
    """The cells of what stands in the file `path` in the design that yosys has behind `lines`, by their places in the sources."""

    def __init__(self, lines, path):
        with tempfile.TemporaryDirectory() as place:
            yosys(lines + [f"write_json {place}/design.json"])
            with open(f"{place}/design.json", encoding="utf-8") as f:
                modules = json.load(f)["modules"]
        (self.top, module), = ((name, module) for name, module in modules.items() if "blackbox" not in module["attributes"])
        self.cells, self.at, self.place = module["cells"], {}, {}
        found = {}
        for name, cell in self.cells.items():
            source = cell["attributes"].get("src", "")
            if path in source:
                found.setdefault((source, cell["type"]), []).append(name)
        natural = lambda name: [int(part) if part.isdigit() else part for part in re.split(r"(\d+)", name.replace("u_dut.", ""))]
        for key, names in found.items():
            for at, name in enumerate(sorted(names, key=natural)):
                self.at[(*key, at)], self.place[name] = name, (*key, at)

    def moved(self, mutant, other):
        """The mutant of the design `other` as a mutant of this one; None if there is no such place. If `other` has the module several times, and this one
        fewer times, each of its cells is one of these, as cells stand one instance behind the other."""
        word = dict(re.findall(r"-(\w+) (\S+)", mutant))
        *kind, at = other.place.get(word["cell"], (None,))
        here, there = (sum(place[:2] == tuple(kind) for place in design.at) for design in (self, other))
        name = self.at.get((*kind, at % here if here and there % here == 0 else at))
        port = self.cells[name]["connections"].get(word["port"], []) if name else []
        if max(int(word["portbit"]), int(word.get("ctrlbit", 0))) >= len(port):
            return None
        return mutant.replace(f"-module {word['module']} ", f"-module {self.top} ").replace(f"-cell {word['cell']} ", f"-cell {name} ")
