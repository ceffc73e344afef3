#!/usr/bin/env python3
"""Prints signals of a proof's counterexample as a table, a column for each step; fields of packed structs by their names.

Usage: trace.py TRACE.vcd [SIGNAL..]      without a signal: the names of all that it can show
`rec_q.tag` is the field `tag` of the struct in `rec_q`. A trace does not say which type a signal has: of the structs in build/gen/structs (make
build writes them) it is the one of this width that has this field. Values are decimal, from 10,000 on hexadecimal.
"""
import glob
import os
import re
import sys

import pywellen

STRUCTS = os.path.join(os.environ.get("BUILD", "build"), "gen/structs/*.h")
FIELD = re.compile(r"(\w+?)__(\w+)__AT = (\d+), \w+__BITS = (\d+)")
WIDTH = re.compile(r"^  (\w+?)__BITS = (\d+),", re.M)
DECIMAL_BELOW = 10000
LISTED_BITS = 24   # narrower signals are seldom structs, and many structs are as wide


def read_structs():
    """{struct: (width, {field: (lowest bit, width)})}"""
    found = {}
    for path in glob.glob(STRUCTS):
        with open(path, encoding="utf-8") as file:
            text = file.read()
        for name, width in WIDTH.findall(text):
            fields = {field.replace("__", "."): (int(at), int(bits)) for struct, field, at, bits in FIELD.findall(text) if struct == name}
            if fields:
                found[name] = (int(width), fields)
    return found


class Trace:
    """A trace and the structs that may be in it."""

    def __init__(self, path, structs):
        waves = pywellen.Waveform(path)
        # The outermost module is that of the properties; what is below it has its names.
        self.signals = {var.full_name.partition(".")[2]: var for var in waves.all_vars() if "." in var.full_name}
        self.structs = structs
        with open(path, encoding="utf-8") as file:
            times = [int(line[1:]) for line in file if re.match(r"#\d", line)]
        # A step is a cycle: both edges of the clock, and at the end one time more, behind the last of them.
        self.times = times[:-1:2]

    def fields(self, signal):
        """{field: (lowest bit, width)} of all structs that are as wide as a signal; of those that differ, None."""
        merged = {}
        for width, fields in self.structs.values():
            if width == self.signals[signal].bitwidth:
                for field, place in fields.items():
                    merged[field] = place if merged.get(field, place) == place else None
        return merged

    def values(self, name):
        """One for each step. A sentence instead if there is no such signal or field."""
        signal, low, width = name, 0, None
        if name not in self.signals:
            parts = name.split(".")
            signal = next((s for n in range(len(parts) - 1, 0, -1) if (s := ".".join(parts[:n])) in self.signals), None)
            if signal is None:
                return f"no signal {name}"
            place = self.fields(signal).get(name[len(signal) + 1:])
            if place is None:
                return f"{signal} has no field {name[len(signal) + 1:]}, or several structs of {self.signals[signal].bitwidth} bits have it"
            low, width = place
        values = [self.signals[signal].signal.value_at(time) for time in self.times]
        return [value >> low & (1 << width) - 1 if width else value for value in values]

    def names(self):
        """All that can be shown."""
        return [name for signal in self.signals if not signal.startswith("_")
                for name in (signal, *(f"{signal}.{field}" for field, place in self.fields(signal).items()
                                       if place and self.signals[signal].bitwidth >= LISTED_BITS))]


def show(value):
    return str(value) if not isinstance(value, int) or value < DECIMAL_BELOW else f"{value:#x}"


def main():
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    trace = Trace(sys.argv[1], read_structs())
    if len(sys.argv) == 2:
        print(*trace.names(), sep="\n")
        return
    rows = [("step", list(range(len(trace.times))))] + [(name, trace.values(name)) for name in sys.argv[2:]]
    wrong = [values for _, values in rows if isinstance(values, str)]
    if wrong:
        sys.exit("trace.py: " + "; ".join(wrong))
    cells = [[name, *map(show, values)] for name, values in rows]
    widths = [max(len(row[i]) for row in cells) for i in range(len(cells[0]))]
    for row in cells:
        print(row[0].ljust(widths[0]), *(cell.rjust(width) for cell, width in zip(row[1:], widths[1:])), sep="  ")


if __name__ == "__main__":
    main()
