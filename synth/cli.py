"""What the programs of this folder have in common: their command line, and how they end."""
import os
import sys
import time

import elaborate
import report


def configurations(arguments, usage):
    """The named configurations among the arguments; a wrong one ends the program."""
    if not arguments or any(name.startswith("-") for name in arguments):
        print(usage, file=sys.stderr)
        sys.exit(2)
    known = elaborate.sizes()
    for name in arguments:
        if name not in known:
            print(f"synth: there is no configuration {name}; there are {', '.join(known)}", file=sys.stderr)
            sys.exit(2)
    return arguments


def stale_blocks(path, names):
    """What is wrong with the committed report `path`, if `names` are the kinds of the modules that it has to have: (module, "", sentence)."""
    if not os.path.exists(path):
        return [("", "", f"{path} is missing")]
    committed = {line["module"]: line["logic"] for line in report.read(path)}
    return [(module, "", f"{path}: {module} is {'out of date' if module in committed else 'missing'}") for module, name in names.items()
            if committed.get(module) != elaborate.logic(name)] + [(module, "", f"{path}: {module} is no block") for module in committed if module not in names]


def unmark(name, measured=lambda row: True):
    """Takes the rows of report `name` that `measured` is true of out of those that check.py --mark found stale: they are new."""
    if os.path.exists(report.STALE):
        rows = [row for row in report.read(report.STALE) if row["report"] != name or not measured(row)]
        report.write(report.STALE, rows, report.STALE_COLUMNS)


def build():
    """Where everything built by synthesis goes."""
    return os.path.join(os.environ.get("BUILD", "build"), "synth")


def main(usage, synthesize):
    """Runs `synthesize` for each configuration; it gives what is wrong, as sentences."""
    chosen, started = configurations(sys.argv[1:], usage), time.monotonic()
    faults = [fault for name in chosen for fault in synthesize(name, build())]
    report.document()
    for fault in faults:
        print(f"synth: {fault}", file=sys.stderr)
    print(f"{time.monotonic() - started:.0f} s")
    sys.exit(1 if faults else 0)
