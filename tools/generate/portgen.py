#!/usr/bin/env python3
"""Turns the ports of a Verilated module into the table that tb/drive/dut_model.cpp is compiled with.

Reads Verilator's header (one VL_IN/VL_OUT line a port; Verilator 5.48 has unpacked arrays as VlUnpacked, without a direction: those whose names
end in _i are inputs), prints one add() call a port, or one an element of an unpacked array;
inputs start as zeros.
"""
import re
import sys

PORT = re.compile(r"VL_(IN|OUT|INOUT)(?:8|16|64|W)?\((.+?),(\d+),(\d+)(?:,\d+)?\);")
ARRAY = re.compile(r"VlUnpacked<\w+/\*(\d+):(\d+)\*/, (\d+)> ?&(\w+);")
NAME = re.compile(r"^\(?&(\w+)\)?((?:\[\d+\])*)$")


def elements(dimensions):
    """Index suffixes of an unpacked array, outermost first; one empty suffix for a plain port."""
    suffixes = [""]
    for size in dimensions:
        suffixes = [f"{s}[{i}]" for s in suffixes for i in range(size)]
    return suffixes


def main():
    header = open(sys.argv[1], encoding="utf-8").read()
    ports = PORT.findall(header)
    for high, low, size, name in ARRAY.findall(header):
        ports.append(("IN" if name.endswith("_i") else "OUT", f"&{name}[{size}]", high, low))
    found = 0
    for direction, declarator, high, low in ports:
        match = NAME.match(declarator.replace(" ", ""))
        if not match:
            sys.exit(f"portgen: {sys.argv[1]}: cannot read port {declarator!r}")
        bits = int(high) - int(low) + 1
        field = match.group(1)
        name = field.replace("___05F", "__")
        for index in elements([int(n) for n in re.findall(r"\d+", match.group(2))]):
            at = f"top->{field}{index}"
            print(f'add("{name}{index}", &{at}, {bits}, sizeof({at}));')
            if direction == "IN":
                # Verilator makes inputs random like all state.
                print(f"std::memset(&{at}, 0, sizeof({at}));")
            found += 1
    if not found:
        sys.exit(f"portgen: {sys.argv[1]}: no ports")


if __name__ == "__main__":
    main()
