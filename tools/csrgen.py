#!/usr/bin/env python3
"""Makes the register block of rtl/csr/weir_csr.rdl with PeakRDL: SystemVerilog, C header and, if asked, HTML.

Usage: csrgen.py [--check] [--html DIR]
Without options it writes the files beside the source. --check writes nothing and fails if a committed file differs from what
the source gives.
"""
import argparse
import os
import re
import subprocess
import sys
import tempfile

ROOM = "rtl/csr"
SOURCE = f"{ROOM}/weir_csr.rdl"
FILES = ("weir_csr_pkg.sv", "weir_csr.sv", "weir_csr.h")
FIRST = "// Generated from weir_csr.rdl by `make csr`; do not edit."
# Warnings that the generator's style gives and that say nothing about the registers.
QUIET = ("UNUSEDSIGNAL", "UNUSEDPARAM")


def peakrdl(*arguments):
    tool = os.path.join(os.path.dirname(sys.executable), "peakrdl")
    subprocess.run([tool, *arguments], check=True)


def finish(name, text):
    """The committed form of a generated file."""
    text = re.sub(r"[ \t]+$", "", text, flags=re.M)
    if not name.endswith(".sv"):
        return f"{FIRST}\n{text}"
    # Packed, so that every tool takes the structs, as ports and otherwise.
    text = text.replace("struct {", "struct packed {")
    off = "".join(f"// verilator lint_off {w}\n" for w in QUIET)
    on = "".join(f"// verilator lint_on {w}\n" for w in QUIET)
    return f"{FIRST}\n{off}{text}{on}"


def generate(folder):
    """Generates into `folder`; returns {name: text}."""
    peakrdl("regblock", SOURCE, "-o", folder, "--cpuif", "axi4-lite-flat", "--default-reset", "rst_n", "--addr-width", "12",
            "--err-if-bad-addr", "--type-style", "hier")
    peakrdl("c-header", SOURCE, "-o", f"{folder}/weir_csr.h", "--std", "gnu17")
    files = {}
    for name in FILES:
        with open(f"{folder}/{name}", encoding="utf-8") as f:
            files[name] = finish(name, f.read())
    return files


def main():
    arguments = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    arguments.add_argument("--check", action="store_true")
    arguments.add_argument("--html", metavar="DIR")
    options = arguments.parse_args()
    if options.html:
        peakrdl("html", SOURCE, "-o", options.html)
        return 0
    with tempfile.TemporaryDirectory() as folder:
        files = generate(folder)
    stale = []
    for name, text in files.items():
        path = f"{ROOM}/{name}"
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
            with open(path, "w", encoding="utf-8") as f:
                f.write(text)
    for path in stale:
        print(f"csrgen: {path} is not what {SOURCE} gives; run `make csr`", file=sys.stderr)
    return 1 if stale else 0


if __name__ == "__main__":
    sys.exit(main())
