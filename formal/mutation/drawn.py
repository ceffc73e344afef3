"""Mutants as Yosys `mutate` draws them: of a module's cells in the design of a task, and how the same cell is called in other designs."""
import json
import re
import subprocess
import sys
import tempfile

import jobs

SEED = 1
# Outputs of the proved module, not of those inside it.
OUTPUTS = "w:u_dut.*_o w:u_dut.m_axis_t* %u w:u_dut.*.* %d"
# What no mistake in RTL looks like: a clock that is another one.
CLOCKS = re.compile(r" -port (CLK|RD_CLK|WR_CLK|SRST|ARST|CLR|SET)\b")


def yosys(lines):
    """Runs commands of yosys; subprocess.CalledProcessError if it refuses them."""
    with tempfile.NamedTemporaryFile("w", suffix=".ys") as file:
        file.write("\n".join(lines) + "\n")
        file.flush()
        subprocess.run([sys.executable, f"{jobs.HERE}/yosys.py", "-l", "/dev/null", file.name], check=True, capture_output=True)


def draw(lines, path, number):
    """`number` mutants of what stands in the file `path`, in the design that yosys has behind `lines`: [(command, where in the sources, wire)]. Only of
    cells that an output of the proved module depends on, so none that assertions alone look at."""
    with tempfile.TemporaryDirectory() as place:
        yosys(lines + ["chformal -remove", f"setattr -set keep 1 {OUTPUTS}", "opt_clean", f"select -set mine a:src=*{path}:* t:$scopeinfo %d",
                       # Some are of clocks.
                       f"mutate -list {number + number // 2} -seed {SEED} -o {place}/list @mine"])
        with open(f"{place}/list", encoding="utf-8") as f:
            found = [line.strip() for line in f if line.startswith("mutate") and not CLOCKS.search(line)]
    told = lambda line, key: next(iter(sorted(re.findall(rf" -{key} (\S+)", line), key=lambda found: path not in found)), "")
    return [(re.sub(r" -(src|wire|wirebit) \S+", "", line), told(line, "src"), f"{told(line, 'wire')}[{told(line, 'wirebit')}]".lstrip("\\").removeprefix("[]"))
            for line in found[:number]]


class Design:
    """The cells of what stands in the file `path` in the design that yosys has behind `lines`, by their places in the sources."""

    def __init__(self, lines, path):
        with tempfile.TemporaryDirectory() as place:
            yosys(lines + [f"write_json {place}/design.json"])
            with open(f"{place}/design.json", encoding="utf-8") as f:
                modules = json.load(f)["modules"]
        (self.top, module), = modules.items()
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
        """The mutant of the design `other` as a mutant of this one; None if there is no such place."""
        word = dict(re.findall(r"-(\w+) (\S+)", mutant))
        name = self.at.get(other.place.get(word["cell"]))
        port = self.cells[name]["connections"].get(word["port"], []) if name else []
        if max(int(word["portbit"]), int(word.get("ctrlbit", 0))) >= len(port):
            return None
        return mutant.replace(f"-module {word['module']} ", f"-module {self.top} ").replace(f"-cell {word['cell']} ", f"-cell {name} ")
