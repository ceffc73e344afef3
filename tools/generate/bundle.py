#!/usr/bin/env python3
"""Puts C++ files that Verilator wrote together, so that fewer are compiled: bundle.py FOLDER PREFIX [FILE].

Verilator writes dozens of files, and a compiler reads headers for most of a second before it comes to what one of them says. Here they go
to FOLDER/parts, and bundles of at most some MB include them: several, so that all processors have something to do. Verilator's list of
classes then names the bundles. Code that is run, code that runs once and code of waves stay apart: each is compiled with options of its own.
A small model, which Verilator has compiled in one go, is left as it is. FILE, of ours, is compiled with the code that is run.
"""
import os
import re
import sys

MOST_BYTES = 4_000_000
LISTS = ("VM_CLASSES_FAST", "VM_CLASSES_SLOW", "VM_SUPPORT_FAST", "VM_SUPPORT_SLOW")


def bundles(folder, names):
    """Lists of names, about as large as each other, largest files first."""
    size = {name: os.path.getsize(os.path.join(folder, name + ".cpp")) for name in names}
    count = -(-sum(size.values()) // MOST_BYTES)
    found = [[] for _ in range(count)]
    for name in sorted(names, key=lambda name: (-size[name], name)):
        min(found, key=lambda bundle: sum(size[n] for n in bundle)).append(name)
    return [bundle for bundle in found if bundle]


def bundled(folder, prefix, text):
    """Makes the bundles; the list of classes that names them."""
    kinds = {}
    for which in LISTS:
        found = re.search(rf"^{which} \+= \\\n((?:[ \t].*\\\n)*)", text, re.M)
        if not found:
            sys.exit(f"bundle: {prefix}_classes.mk has no {which}")
        for name in found.group(1).replace("\\", " ").split():
            kind = ("__Trace" if "__Trace__" in name else "_") + ("__Slow" if which.endswith("SLOW") else "__Fast")
            kinds.setdefault(kind, []).append(name)
        text = text.replace(found.group(), f"{which} += \\\n")
    parts = os.path.join(folder, "parts")
    os.makedirs(parts, exist_ok=True)
    for kind, names in kinds.items():
        made = []
        for i, bundle in enumerate(bundles(folder, names)):
            for name in bundle:
                os.replace(os.path.join(folder, name + ".cpp"), os.path.join(parts, name + ".cpp"))
            made.append(f"{prefix}{kind}_{i}")
            with open(os.path.join(folder, made[-1] + ".cpp"), "w", encoding="utf-8") as f:
                f.write("".join(f'#include "parts/{name}.cpp"\n' for name in sorted(bundle)))
        which = "VM_CLASSES_SLOW" if kind.endswith("Slow") else "VM_CLASSES_FAST"
        text = text.replace(f"{which} += \\\n", f"{which} += \\\n" + "".join(f"\t{name} \\\n" for name in made))
    return text


def main():
    folder, prefix = sys.argv[1:3]
    path = os.path.join(folder, prefix + "_classes.mk")
    with open(path, encoding="utf-8") as f:
        text = f.read()
    if len(sys.argv) > 3:
        ours = os.path.splitext(os.path.basename(sys.argv[3]))[0]
        with open(os.path.join(folder, ours + ".cpp"), "w", encoding="utf-8") as f:
            f.write(f'#include "{sys.argv[3]}"\n')
        text = text.replace("VM_CLASSES_FAST += \\\n", f"VM_CLASSES_FAST += \\\n\t{ours} \\\n")
    if re.search(r"^VM_PARALLEL_BUILDS = 1$", text, re.M):
        text = bundled(folder, prefix, text)
    with open(path, "w", encoding="utf-8") as f:
        f.write(text)


if __name__ == "__main__":
    main()
