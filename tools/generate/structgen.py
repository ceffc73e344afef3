#!/usr/bin/env python3
"""Writes C headers with the layout of the packed structs, and the values of the enums, of SystemVerilog packages.

Usage: structgen.py VERILATOR DIRECTORY PACKAGE.sv ..   (a package behind those that it uses)

Verilator reads the packages; nothing is parsed here but its dump. For each package with structs or enums DIRECTORY gets a header of the
package's name: `type__BITS`, and for each field, also those of structs inside (`desc__psn`), `type__field__AT` (its lowest bit) and
`type__field__BITS`; of a packed array also the width of one element, `type__field__EACH`. tb/drive/bits.h takes them by name. A header that
has not changed is left alone, so that nothing is compiled for it.
"""
import json
import os
import re
import subprocess
import sys
import tempfile
import xml.etree.ElementTree as ET
from collections import namedtuple

Basic = namedtuple("Basic", "width")
Alias = namedtuple("Alias", "of")
Array = namedtuple("Array", "count of")
Struct = namedtuple("Struct", "name members")  # (field, type) from the highest bits down
Enum = namedtuple("Enum", "name of items")  # (name, value)


def number(constant):
    """The value of a constant such as 5'h1f or 32'sh0."""
    match = re.fullmatch(r"\d+'s?h([0-9a-f]+)", constant)
    if not match:
        sys.exit(f"structgen: {constant!r} is no plain number")
    return int(match.group(1), 16)


def span(left, right):
    return abs(int(left) - int(right)) + 1


def from_xml(path):
    """Types by their id, from the dump of Verilator 5.006."""
    types = {}
    for node in ET.parse(path).find(".//typetable"):
        kind, get = node.tag, node.get
        if kind == "basicdtype":
            types[get("id")] = Basic(span(get("left", 0), get("right", 0)))
        elif kind == "refdtype":
            types[get("id")] = Alias(get("sub_dtype_id"))
        elif kind == "packarraydtype":
            left, right = (number(const.get("name")) for const in node.iter("const"))
            types[get("id")] = Array(span(left, right), get("sub_dtype_id"))
        elif kind == "structdtype":
            types[get("id")] = Struct(get("name"), [(m.get("name"), m.get("sub_dtype_id")) for m in node])
        elif kind == "enumdtype":
            items = [(i.get("name"), number(i.find("const").get("name"))) for i in node]
            types[get("id")] = Enum(get("name"), get("sub_dtype_id"), items)
    return types


def from_json(path):
    """The same from the dump of later ones, which have no XML."""
    with open(path, encoding="utf-8") as file:
        netlist = json.load(file)
    types = {}
    for node in netlist["miscsp"][0]["typesp"]:
        kind, at, of = node["type"], node["addr"], node.get("refDTypep")
        if kind == "BASICDTYPE":
            types[at] = Basic(span(*node.get("range", "0:0").split(":")))
        elif kind == "REFDTYPE":
            types[at] = Alias(of)
        elif kind == "PACKARRAYDTYPE":
            types[at] = Array(span(*node["declRange"].strip("[]").split(":")), of)
        elif kind == "STRUCTDTYPE":
            types[at] = Struct(node["name"], [(m["name"], m["refDTypep"]) for m in node["membersp"]])
        elif kind == "ENUMDTYPE":
            items = [(i["name"], number(i["valuep"][0]["name"])) for i in node["itemsp"]]
            types[at] = Enum(node["name"], of, items)
    return types


def types_of(verilator, packages):
    with tempfile.TemporaryDirectory() as room:
        # Verilator wants a module.
        top, dump = os.path.join(room, "structs_top.sv"), os.path.join(room, "types")
        with open(top, "w", encoding="utf-8") as file:
            file.write("module structs_top;\nendmodule\n")
        for way, reader in (("xml", from_xml), ("json", from_json)):
            options = [f"--{way}-only", "--xml-output" if way == "xml" else "--json-only-output", dump]
            run = subprocess.run([verilator, *options, "--Mdir", room, "--top-module", "structs_top", *packages, top],
                                 stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
            if f"Invalid option: --{way}-only" not in run.stdout:
                break
        if run.returncode:
            sys.exit(f"structgen: {verilator} cannot read the packages:\n{run.stdout}")
        return reader(dump)


class Layout:
    def __init__(self, types):
        self.types = types

    def width(self, at):
        node = self.types[at]
        if isinstance(node, Basic):
            return node.width
        if isinstance(node, (Alias, Enum)):
            return self.width(node.of)
        if isinstance(node, Array):
            return node.count * self.width(node.of)
        return sum(self.width(of) for _, of in node.members)

    def bare(self, at):
        node = self.types[at]
        return self.bare(node.of) if isinstance(node, Alias) else node

    def fields(self, struct, low=0, prefix=""):
        """(name, lowest bit, width, width of an element or None), highest first, an inner struct in front of its fields."""
        top = low + sum(self.width(of) for _, of in struct.members)
        for name, of in struct.members:
            node, width = self.bare(of), self.width(of)
            top -= width
            yield prefix + name, top, width, self.width(node.of) if isinstance(node, Array) else None
            if isinstance(node, Struct):
                yield from self.fields(node, top, f"{prefix}{name}__")

    def header(self, package, source):
        mine = [t for t in self.types.values() if isinstance(t, (Struct, Enum)) and t.name.startswith(package + "::")]
        if not mine:
            return None
        guard = f"WEIR_STRUCTS_{package.upper()}_H"
        lines = [f"// Generated from {source} by tools/generate/structgen.py; do not edit.", f"#ifndef {guard}", f"#define {guard}"]
        for node in mine:
            name = node.name.split("::")[1]
            lines += ["", f"// {name}", "enum {"]
            if isinstance(node, Enum):
                lines += [f"  {name}__BITS = {self.width(node.of)},", *(f"  {item} = {value}," for item, value in node.items)]
            else:
                lines.append(f"  {name}__BITS = {sum(self.width(of) for _, of in node.members)},")
                for field, low, width, each in self.fields(node):
                    more = f", {name}__{field}__EACH = {each}" if each else ""
                    lines.append(f"  {name}__{field}__AT = {low}, {name}__{field}__BITS = {width}{more},")
            lines.append("};")
        return "\n".join([*lines, "", "#endif", ""])


def write(path, text):
    """As a whole or not at all, and only what has changed."""
    if os.path.exists(path):
        with open(path, encoding="utf-8") as file:
            if file.read() == text:
                return
    with open(f"{path}.{os.getpid()}", "w", encoding="utf-8") as file:
        file.write(text)
    os.replace(f"{path}.{os.getpid()}", path)


def main():
    if len(sys.argv) < 4:
        sys.exit(__doc__)
    verilator, directory, *packages = sys.argv[1:]
    layout = Layout(types_of(verilator, packages))
    os.makedirs(directory, exist_ok=True)
    gone = {name for name in os.listdir(directory) if name.endswith(".h")}
    for source in packages:
        package = os.path.splitext(os.path.basename(source))[0]
        text = layout.header(package, source)
        if text:
            write(os.path.join(directory, package + ".h"), text)
            gone.discard(package + ".h")
    for name in gone:  # of packages that are not there any more
        os.remove(os.path.join(directory, name))


if __name__ == "__main__":
    main()
