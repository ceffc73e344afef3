"""Mapping of one kind of module to UltraScale+ by Yosys, kept as long as nothing that it depends on changes."""
import hashlib
import importlib.metadata
import json
import os
import sys
import time

from pyosys import libyosys

VERSION = f"Yosys of pyosys {importlib.metadata.version('pyosys')}"
FAMILY = "xcup"
# In these, Yosys looks for adders and shifters to be shared for more than a quarter of an hour.
UNSHARED = ("agg_reduce",)
# The step `coarse` of synth_xilinx without `share`.
COARSE_UNSHARED = ("techmap -map +/cmp2lut.v -map +/cmp2lcu.v -D LUT_WIDTH=6", "alumacc", "opt", "memory -nomap", "opt_clean")
# ABC's default steps with two more in front of `&dch`, which restructure for depth: for modules that come out less deep or smaller by them.
# Most do not, and with trees of XOR they do not end within half an hour.
RESTRUCTURED = ("agg_align", "agg_conn_table", "agg_message_table", "agg_reduce", "prim_fp32_align", "prim_fp32_reduce", "roce_out",
                "roce_parse", "weir_csr")
ABC = "+&scorr; &sweep; &dc2; &syn3; &syn4; &dch -f -r; &ps; &if {W} {D} {R} -v; &mfs"

# Modules that are parities of many bits: these are found behind the coarse steps and mapped six bits a LUT (parity.v).
PARITIES = ("prim_crc32_beat", "prim_crc32_unwind")
PARITY_MAP = os.path.join(os.path.dirname(os.path.abspath(__file__)), "parity.v")
with open(PARITY_MAP, encoding="utf-8") as parity_map:
    PARITY_TEXT = parity_map.read()   # what is mapped with another text is mapped anew


def parities():
    """The steps that do so, in front of the step `fine` of synth_xilinx."""
    return ("simplemap t:$xor t:$and t:$reduce_xor", "opt_clean", "extract_reduce", "opt_clean", f"techmap -map {PARITY_MAP}", "opt_clean")


class Mapper:
    """Yosys with the cells of the family loaded; every mapping runs in a fork of it, and so begins alike."""

    def __init__(self, cache, options=""):
        self.cache, self.options, self.cells = cache, options, None
        os.makedirs(cache, exist_ok=True)

    def commands(self, kind):
        """The mapping itself. Ports of a module are no pads, and its clock is buffered outside."""
        synth = f"synth_xilinx -family {FAMILY} -noiopad -noclkbuf {self.options}"
        steps = [f"{synth} -run prepare:"]
        if kind.module in UNSHARED:
            steps = [f"{synth} -run prepare:coarse", *COARSE_UNSHARED, f"{synth} -run map_memory:"]
        if kind.module in PARITIES:
            steps = [f"{synth} -run prepare:fine", *parities(), f"{synth} -run fine:"]
        return [f'scratchpad -set abc9.script "{ABC}"', *steps] if kind.module in RESTRUCTURED else steps

    def stem(self, kind):
        """Where the cache keeps `kind`: its name has the hash of its own logic, to which the tool and its options come."""
        told = "; ".join(self.commands(kind)).replace(PARITY_MAP, PARITY_TEXT)
        tool = hashlib.sha256(f"{VERSION} {told}".encode()).hexdigest()[:8]
        return os.path.join(self.cache, f"{kind.local}.{tool}")

    def load_cells(self):
        """What `synth_xilinx` does before `prepare`, once."""
        self.cells = libyosys.Design()
        with quiet(os.devnull):
            libyosys.run_pass("read_verilog -lib -specify +/xilinx/cells_sim.v", self.cells)
            libyosys.run_pass("read_verilog -lib +/xilinx/cells_xtra.v", self.cells)

    def mapped(self, kind, found):
        """The mapped netlist of `kind` (its module in Yosys's JSON) and the seconds that took: 0 if it was in the cache."""
        stem, seconds = self.stem(kind), 0.0
        if not os.path.exists(stem + ".json"):
            if self.cells is None:
                self.load_cells()
            started = time.monotonic()
            with open(stem + ".il", "w", encoding="utf-8") as file:
                file.write("".join(f"attribute \\blackbox 1\nmodule \\{within}\n{found[child].ports}end\n"
                                   for within, child in kind.inside.items()) + kind.text)
            self.run(kind, stem)
            seconds = time.monotonic() - started
        with open(stem + ".json", encoding="utf-8") as file:
            module = json.load(file)["modules"][kind.local]
        for cell in module["cells"].values():
            cell["type"] = kind.inside.get(cell["type"], cell["type"])
        return module, seconds

    def run(self, kind, stem):
        """Maps in a child of this process. A log that ends early names the command that failed."""
        child = os.fork()
        if child == 0:
            try:
                with quiet(stem + ".log"):
                    for command in (f"read_rtlil {stem}.il", f"hierarchy -check -top {kind.local}", *self.commands(kind),
                                    f"select -module {kind.local}", f"write_json -selected {stem}.part"):
                        libyosys.run_pass(command, self.cells)
                os.rename(stem + ".part", stem + ".json")
            except BaseException as error:  # whatever it was: never return into the parent's code
                print(error, file=sys.stderr)
                os._exit(1)
            os._exit(0)
        if os.waitpid(child, 0)[1] != 0:
            sys.exit(f"synth: {kind.module} could not be mapped; see {stem}.log")


class quiet:  # pylint: disable=invalid-name
    """What Yosys prints goes to a file while this lasts."""

    def __init__(self, path):
        self.path, self.kept = path, None

    def __enter__(self):
        sys.stdout.flush()
        self.kept = os.dup(1)
        file = os.open(self.path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o644)
        os.dup2(file, 1)
        os.close(file)

    def __exit__(self, *_):
        sys.stdout.flush()
        os.dup2(self.kept, 1)
        os.close(self.kept)
