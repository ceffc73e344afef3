#!/usr/bin/env python3
"""Rooms (folders) of the project and which of them may use which: C by its includes, SystemVerilog by packages and instances.

  tools/rooms.py            says each use that is not allowed, and exits with 1 if there is one
  tools/rooms.py --draw     docs/pictures/rooms.svg, from the sources, on standard output

Both take the sources of the working directory."""
import argparse
import collections
import glob
import os
import re
import sys

from draw.drawing import Drawing
from includes import included, read

# What a room may use beside itself: other rooms, all rooms below `name/*`; `name:packages` are only the packages of one. A folder below a room
# that is not named here belongs to that room.
LIB = "lib/base lib/wire"
RULES = {
    "rtl/prim": "",
    # Between a MAC and any device: nothing of what devices do.
    "rtl/shell": "rtl/prim",
    "rtl/roce": "rtl/prim",
    "rtl/aggregate": "rtl/prim rtl/roce rtl/aggregate/* rtl/relay",
    **dict.fromkeys(("rtl/aggregate/classify", "rtl/aggregate/slot", "rtl/aggregate/store", "rtl/aggregate/emit"),
                    "rtl/prim rtl/roce rtl/aggregate:packages"),
    # Between registers and the rest.
    "rtl/aggregate/control": "rtl/prim rtl/csr rtl/roce:packages rtl/aggregate:packages rtl/relay:packages",
    "rtl/relay": "rtl/prim rtl/roce rtl/aggregate:packages",
    "rtl/gather": "rtl/prim rtl/roce",
    **dict.fromkeys(("rtl/gather/concat", "rtl/gather/cache"), "rtl/prim rtl/roce rtl/gather"),
    # Both devices have the way in and out of a cable; the switch has caches.
    "rtl/gather/hold": "rtl/prim rtl/roce rtl/gather",
    "rtl/gather/nic": "rtl/prim rtl/roce rtl/gather rtl/gather/concat rtl/gather/hold",
    "rtl/gather/switch": "rtl/prim rtl/roce rtl/gather rtl/gather/concat rtl/gather/cache rtl/gather/hold",
    # A device that ends connections knows nothing of one that stands inside them.
    # How a connection hands over packets, not how it is made.
    "rtl/tree/node": "rtl/roce:packages rtl/tree/llt rtl/tree/sat rtl/tree/transport",
    # One header, one rule of what fits together.
    "rtl/tree/llt": "rtl/prim rtl/roce:packages rtl/tree/sat rtl/tree/transport:packages",
    "rtl/tree/sat": "rtl/prim rtl/roce rtl/tree/transport:packages",
    # Between registers and a node.
    "rtl/tree/control": "rtl/prim rtl/csr:packages rtl/roce:packages rtl/tree/llt:packages rtl/tree/sat:packages rtl/tree/transport:packages",
    "rtl/tree/transport": "rtl/prim rtl/roce",
    # A port's pause is the shell's.
    "rtl/fabric": "rtl/prim rtl/roce rtl/shell",
    # Made from tables: nothing of what registers are for.
    "rtl/csr": "rtl/prim",
    "rtl/top": "rtl/*",
    "lib/base": "",
    "lib/wire": "lib/base",
    "host": LIB,
    "formal/protocol": LIB,
    "tb/model": LIB,
    "tb/oracle": "lib/base",
    "tb/hosts": f"{LIB} tb/model",
    "tb/hosts/gather": f"{LIB} tb/model tb/hosts",
    "tb/drive": f"{LIB} tb/model tb/hosts rtl/csr generated",
    "tb/drive/gather": f"{LIB} tb/model tb/hosts tb/hosts/gather tb/drive rtl/csr generated",
    "tb/drive/tree": f"{LIB} tb/model tb/drive rtl/csr generated",
    "tb/drive/uplink": f"{LIB} tb/model tb/drive rtl/csr generated",
    "tb/unit": f"{LIB} host formal/protocol tb/* sim/* rtl/csr generated",
    "tb/fuzz": f"{LIB} host rtl/csr tb/model tb/drive tb/unit sim/replay sim/gather sim/engine sim/engine/* sim/fabric sim/live",
    # What commands share, then the commands. `info` says what `replay` would do; pages and reports are of what commands found.
    "sim/cli": f"{LIB} tb/drive sim/engine/world generated",
    # A world of parts and cables knows nothing of what parts are.
    "sim/engine/world": "lib/base",
    # A device is followed by the rules whose states are searched.
    "sim/engine/follow": f"{LIB} formal/protocol tb/*",
    "sim/engine/tree": f"{LIB} tb/* sim/engine/follow",
    "sim/engine/gather": f"{LIB} tb/* sim/engine/world",
    "sim/engine": f"{LIB} tb/* sim/cli sim/engine/follow sim/engine/tree",
    "sim/engine/cluster": f"{LIB} tb/* sim/cli sim/engine sim/engine/tree",
    "sim/engine/collective": f"{LIB} tb/* sim/engine sim/engine/tree sim/engine/world",
    "sim/report": f"{LIB} tb/drive sim/engine",
    **dict.fromkeys(("sim/replay", "sim/ring", "sim/gather", "sim/tree", "sim/live", "sim/bench", "sim/soak"),
                    f"{LIB} tb/* sim/cli sim/engine sim/engine/* sim/report"),
    "sim/fabric": f"{LIB} tb/hosts tb/hosts/gather tb/model tb/drive tb/drive/* sim/cli sim/engine sim/engine/world sim/engine/tree sim/engine/collective sim/report",
    "sim/mpi": "lib/base sim/engine/world",
    "sim/info": f"{LIB} tb/drive sim/cli sim/engine sim/replay",
    "sim/test": LIB,
}
UNIT = re.compile(r"^\s*(module|package)\s+(?:automatic\s+)?(\w+)", re.M)
COMMENT = re.compile(r'//[^\n]*|/\*.*?\*/|"(?:\\.|[^"\\\n])*"', re.S)
# `name::` and `import name::`; `name #(` and `name instance (`.
USE = re.compile(r"\b(\w+)(?:(?P<package>::)|\s+(?:#\s*\(|\w+\s*(?:\[[^\]]*\]\s*)?\())")

Arrow = collections.namedtuple("Arrow", "user used package file name")


def room_of(path):
    """The room of a file: the deepest one of RULES that it is in, or its folder if it is in none."""
    folder = os.path.dirname(path)
    while folder and folder not in RULES:
        folder = os.path.dirname(folder)
    return folder or os.path.dirname(path)


def sources(*patterns):
    """Files that match, below the folders that have rooms."""
    tops = sorted({room.split("/")[0] for room in RULES})
    return sorted(p for top in tops for pattern in patterns for p in glob.glob(f"{top}/**/{pattern}", recursive=True))


def c_arrows():
    """What includes of C and C++ use. What is not in the tree is made by the build: room `generated`."""
    for path in sources("*.c", "*.h", "*.cpp"):
        for name, found in included(path):
            yield Arrow(room_of(path), room_of(found) if found else "generated", False, path, name)


def rtl_arrows():
    """What modules and packages of rtl/ use of each other."""
    texts = {path: COMMENT.sub(" ", read(path)) for path in sources("*.sv") if path.startswith("rtl/")}
    homes = {(kind, name): path for path, text in texts.items() for kind, name in UNIT.findall(text)}
    for path, text in texts.items():
        for use in sorted({(m.group(1), bool(m.group("package"))) for m in USE.finditer(text)}):
            home = homes.get(("package" if use[1] else "module", use[0]))
            if home and home != path:
                yield Arrow(room_of(path), room_of(home), use[1], path, use[0])


def allowed(arrow):
    """True if the rule of the user's room has it."""
    for rule in RULES.get(arrow.user, "").split():
        name, _, kind = rule.partition(":")
        inside = arrow.used == name or (name.endswith("/*") and arrow.used.startswith(name[:-1]))
        if inside and (not kind or arrow.package):
            return True
    return arrow.used == arrow.user


def reaches(edges, start, end):
    """True if `end` can be reached from `start` by edges."""
    seen, todo = {start}, [start]
    while todo:
        at = todo.pop()
        todo += [b for a, b in edges if a == at and b not in seen]
        seen |= {b for a, b in edges if a == at}
    return end in seen


def circles(arrows):
    """A line for each room that its own code comes back to. Packages hold types and constants: those may be used both ways."""
    edges = {(a.user, a.used) for a in arrows if not a.package and a.user != a.used}
    back = sorted((user, used) for user, used in edges if reaches(edges, used, user))
    return [f"{user}: uses {used}, and is used by it or by what it uses" for user, used in back]


def faults(arrows):
    """A line for each use that is not allowed, or goes in a circle, each folder without a rule, and each rule without a folder."""
    lines = [f"{a.file}: {a.name}: {a.user} may not use {'packages' if a.package else 'code'} of {a.used}" for a in arrows if not allowed(a)]
    lines += circles(arrows)
    lines += [f"{room}: a room without a rule in tools/rooms.py" for room in sorted({a.user for a in arrows} - set(RULES))]
    return lines + [f"{room}: a rule in tools/rooms.py without a folder" for room in RULES if not os.path.isdir(room)]


# --- the drawing ---

# Where the boxes of the drawing are: x, y, and what is said of each. A room without a box is drawn as the one above it.
BOXES = {
    "rtl/top": (208, 70, ("devices and their", "configurations")),
    "rtl/gather": (20, 180, ("property requests: concat,", "cache, hold, nic, switch")),
    "rtl/fabric": (20, 290, ("uplinks: pause, watchdog,", "monitors")),
    "rtl/aggregate": (208, 180, ("one rack: classify, slot,", "store, emit, control")),
    "rtl/csr": (396, 180, ("registers, made from", "SystemRDL")),
    "rtl/relay": (396, 290, ("a device in a tree:", "filters on channels")),
    "rtl/shell": (20, 400, ("one port: MAC's clocks,", "whole frames, pause")),
    "rtl/roce": (208, 400, ("packets: parse, ICRC,", "frame assembly")),
    "rtl/prim": (208, 510, ("FIFO, RAM, arbiter, CRC,", "floating point")),
    "sim": (836, 70, ("the program: commands,", "engine, reports")),
    "sim/fabric": (1106, 70, ("a Clos network of hosts,", "packet by packet")),
    "tb/drive": (648, 180, ("the Verilated devices", "behind C")),
    "tb/hosts": (648, 290, ("RC queue pairs, workers,", "cables, switches")),
    "tb/model": (648, 400, ("golden models,", "scoreboard")),
    "host": (836, 400, ("library of RDMA hosts,", "weir_perf")),
    "formal/protocol": (1024, 400, ("all states of the", "protocol's rules")),
    "tb/oracle": (1106, 180, ("an independent witness",)),
    "lib/wire": (836, 510, ("frames, captures, ICRC,", "sums")),
    "lib/base": (1106, 510, ("memory, time, errors,", "random numbers")),
}
# Arrows that would cross a box, with the points that they go by.
WAYS = {("rtl/csr", "rtl/prim"): ((564, 226), (588, 226), (588, 541), (378, 541)),
        ("rtl/relay", "rtl/prim"): ((450, 352), (450, 526), (378, 526)),
        ("rtl/relay", "rtl/aggregate"): ((396, 330), (316, 330), (316, 244)),
        ("tb/oracle", "lib/base"): ((1216, 242), (1216, 508))}
BOX_WIDTH, BOX_HEIGHT = 168, 62


def box_of(room):
    while room and room not in BOXES:
        room = os.path.dirname(room)
    return room


def drawn(arrows):
    """The edges to draw: those that do not follow from others, of code and of packages alone."""
    pairs = {(box_of(a.user), box_of(a.used), a.package and a.user.startswith("rtl/")) for a in arrows}
    pairs = {p for p in pairs if p[0] and p[1] and p[0] != p[1]}
    code = {(a, b) for a, b, package in pairs if not package}
    # Nearly every module of the RTL names a package of the room below: such an edge counts as one of code where code follows it somewhere.
    packages = {(a, b) for a, b, package in pairs if package} - code
    for edge in sorted(code):
        if reaches(code - {edge}, *edge):
            code.remove(edge)
    for edge in sorted(packages):
        if reaches(code | packages - {edge}, *edge):
            packages.remove(edge)
    return sorted(code), sorted(packages)


def way(user, used):
    """From the edge of one box to that of another."""
    if (user, used) in WAYS:
        return WAYS[user, used]
    (x, y, _), (u, v, _) = BOXES[user], BOXES[used]
    middle, other = x + BOX_WIDTH // 2, u + BOX_WIDTH // 2
    if y == v:
        return ((x + BOX_WIDTH, y + BOX_HEIGHT // 2), (u - 2, v + BOX_HEIGHT // 2)) if x < u else ((x, y + BOX_HEIGHT // 2), (u + BOX_WIDTH + 2, v + BOX_HEIGHT // 2))
    lean = max(-40, min(40, (other - middle) // 4))
    if y < v:
        return (middle + lean, y + BOX_HEIGHT), (other - lean, v - 2)
    return (middle + 24, y), (other + 24, v + BOX_HEIGHT + 2)


def picture(arrows):
    """The SVG."""
    d = Drawing(1294, 640, "Rooms, and who uses whom", "Folders of the project as boxes, with an arrow to each folder that is used", "tools/rooms.py, option draw")
    for name, (x, y, notes) in BOXES.items():
        d.box(x, y, BOX_WIDTH, BOX_HEIGHT, name, *notes)
    code, packages = drawn(arrows)
    for edge in code:
        d.arrow("data", *way(*edge))
    for edge in packages:
        d.arrow("state", *way(*edge))
    d.label(20, 604, "Blue: uses code. Orange: uses packages only (types and constants). What follows from other arrows is left out.", side=True)
    d.label(20, 622, "Left the devices, right the bench, the program and what runs on hosts.", side=True)
    return d.text()


def check(arrows):
    lines = faults(arrows)
    print("\n".join(lines) or f"{len(arrows)} uses of other files, all from a room that may")
    return 1 if lines or not arrows else 0


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--draw", action="store_true", help="print the drawing")
    arrows = [*c_arrows(), *rtl_arrows()]
    if not parser.parse_args().draw:
        return check(arrows)
    print(picture(arrows))
    return 0


if __name__ == "__main__":
    sys.exit(main())
