#!/usr/bin/env python3
"""Makes of each device's NAME.rdl, with PeakRDL: the register block in SystemVerilog, a C header, a page of docs and HTML.

Usage: csrgen.py [--check] [--html DIR]
Without options it writes what is committed. --check writes nothing and fails if a committed file differs from what the source
gives.
"""
import argparse
import os
import re
import subprocess
import sys
import tempfile

import structgen

# Room, name of the source there, and the page.
MAPS = (("rtl/csr", "weir_csr", "docs/registers/aggregator.md"), ("rtl/csr", "gather_switch_csr", "docs/registers/gather-switch.md"),
        ("rtl/csr", "gather_nic_csr", "docs/registers/gather-nic.md"), ("rtl/csr", "tree_csr", "docs/registers/tree-node.md"),
        ("rtl/csr", "uplink_csr", "docs/registers/uplink.md"))
# Warnings that the generator's style gives and that say nothing about the registers.
QUIET = ("UNUSEDSIGNAL", "UNUSEDPARAM")


def peakrdl(*arguments):
    tool = os.path.join(os.path.dirname(sys.executable), "peakrdl")
    subprocess.run([tool, *arguments, "--peakrdl-cfg", "tools/generate/peakrdl.toml"], check=True)


def finish(source, name, text):
    """The committed form of a generated file."""
    first = f"// Generated from {source}.rdl by `make csr`; do not edit."
    text = re.sub(r"[ \t]+$", "", text, flags=re.M)
    if not name.endswith(".sv"):
        return f"{first}\n{text}"
    # Packed, so that every tool takes the structs, as ports and otherwise.
    text = text.replace("struct {", "struct packed {")
    off = "".join(f"// verilator lint_off {w}\n" for w in QUIET)
    on = "".join(f"// verilator lint_on {w}\n" for w in QUIET)
    return f"{first}\n{off}{text}{on}"


def sentence(text):
    """A description as one line of a Markdown table."""
    return re.sub(r"([|*])", r"\\\1", " ".join((text or "").split()))


def access(field):
    """What software may do with a field."""
    if field.get_property("singlepulse"):
        return "write 1"
    return {"r": "read", "w": "write", "rw": "read, write"}[field.get_property("sw").name]


def field_row(field):
    bits = f"{field.high}:{field.low}" if field.high > field.low else f"{field.low}"
    reset = field.get_property("reset")
    reset = "" if reset is None or field.get_property("singlepulse") else f"0x{reset:X}" if reset > 9 else f"{reset}"
    return f"| | `{field.inst_name}` | {bits} | {access(field)} | {reset} | {sentence(field.get_property('desc'))} |"


def register_map(room, source):
    """The page: a table with a row for each register, and under it one for each of its fields."""
    # Only here, so that the other jobs' errors are PeakRDL's own.
    from systemrdl import RDLCompiler

    compiler = RDLCompiler()
    compiler.compile_file(f"{room}/{source}.rdl")
    top = compiler.elaborate().top
    out = [f"<!-- Generated from {source}.rdl by `make csr`; do not edit. -->", f"# {top.get_property('name')}", ""]
    for line in top.get_property("desc").split("\n"):
        # The procedures begin with their name in bold.
        out.append(f"- {line}" if line.startswith("**") else line)
    out += ["", f"`make docs` makes the same as HTML to click through, in build/docs/registers; C names are in {room}/{source}.h.",
            "", "| address | register, `field` | bits | software may | after reset | meaning |", "|---|---|---|---|---|---|"]
    for register in top.registers():
        name = f"**{register.inst_name}** {sentence(register.get_property('name'))}"
        out.append(f"| 0x{register.absolute_address:03X} | {name} | | | | {sentence(register.get_property('desc'))} |")
        out += [field_row(field) for field in register.fields()]
    return "\n".join(out).replace("|  |", "| |") + "\n"


def generate(folder):
    """Generates into `folder`; returns {committed path: text}."""
    files = {}
    for room, source, page in MAPS:
        rdl = f"{room}/{source}.rdl"
        peakrdl("regblock", rdl, "-o", folder, "--cpuif", "axil", "--default-reset", "rst_n", "--addr-width", "12",
                "--err-if-bad-addr", "--rt-read-fanin", "--type-style", "hier")
        peakrdl("c-header", rdl, "-o", f"{folder}/{source}.h", "--std", "gnu17")
        for name in (f"{source}_pkg.sv", f"{source}.sv", f"{source}.h"):
            with open(f"{folder}/{name}", encoding="utf-8") as f:
                files[f"{room}/{name}"] = finish(source, name, f.read())
        files[page] = register_map(room, source)
    return files


def main():
    arguments = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    arguments.add_argument("--check", action="store_true")
    arguments.add_argument("--html", metavar="DIR")
    options = arguments.parse_args()
    if options.html:
        for room, source, _ in MAPS:
            peakrdl("html", f"{room}/{source}.rdl", "-o", options.html if source == "weir_csr" else f"{options.html}/{source}")
        return 0
    with tempfile.TemporaryDirectory() as folder:
        files = generate(folder)
    stale = []
    for path, text in files.items():
        try:
            with open(path, encoding="utf-8") as f:
                same = f.read() == text
        except FileNotFoundError:
            same = False
        if same:
            continue
        if options.check:
            stale.append(path)
        else:
            structgen.write(path, text)
    for path in stale:
        print(f"csrgen: {path} is not what its source gives; run `make csr`", file=sys.stderr)
    return 1 if stale else 0


if __name__ == "__main__":
    sys.exit(main())
