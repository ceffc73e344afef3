#!/usr/bin/env python3
"""Has slang read and elaborate each device at its smallest; it refuses what Verilator and verible let pass, such as a name that is used before it is
declared.

Usage: lint.py [FILE.sv ..]   (these files alone instead of all devices)
"""
import subprocess
import sys

import elaborate

# Of parts that only some devices have, the smallest device that has them; a device without parameters is read as its module has them.
DEVICES = (("weir_aggregator", "tiny"), ("weir_aggregator", "tiny_ecc"), ("weir_aggregator", "small128"), ("weir_aggregator", "leaf3"), ("weir_aggregator", "spine2"),
           ("weir_tree_node", "node4"), ("weir_uplink", "uplink4"), ("weir_gather_switch", ""), ("weir_gather_nic", ""), ("shell_port", ""))
# In a process of its own: Yosys ends the one in which it finds an error.
READ = "import sys; from pyosys import libyosys; libyosys.run_pass('read_slang --ast-compilation-only --error-limit 0 ' + sys.argv[1], libyosys.Design())"


def refusal(arguments):
    """What slang says, from its first error on; empty if it takes the files."""
    run = subprocess.run([sys.executable, "-c", READ, " ".join(arguments)], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
    if run.returncode == 0 and "Build succeeded" in run.stdout:
        return ""
    lines = run.stdout.splitlines()
    first = next((at for at, line in enumerate(lines) if "ERROR:" in line), 0)
    return "\n".join(lines[first:])


def main():
    files = sys.argv[1:]
    devices = [("", "", files)] if files else [
        (top, name, ["--max-constexpr-steps", "100000000", "--top", top, *elaborate.sources(top), *(elaborate.parameters(name) if name else [])])
        for top, name in DEVICES]
    wrong = 0
    for top, name, arguments in devices:
        said = refusal(arguments)
        if said:
            print(f"lint: slang refuses {name or top or 'the files'}:\n{said}", file=sys.stderr)
            wrong = 1
    return wrong


if __name__ == "__main__":
    sys.exit(main())
