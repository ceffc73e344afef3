#!/usr/bin/env python3
"""Runs the commands of a page, in their order, and compares what they print and draw with what the page shows.

Usage: doccheck.py [--built PATTERN].. [--write] PAGE.md      TAP on standard output: a test for each command, and one for each picture

Commands are the lines of ```console blocks that begin with `$ `. They run in a copy of the source tree, so they may break and build what they
like: nothing that they make gets into this tree or into what is built from it. The copy's own build folder begins with what --built names of
this one's (paths below it, with * and **), so that this need not be built again; times are copied, too. The virtual environment is a link.

What stands below a command is all that it prints on standard output. A line `...` stands for any lines, or none; blanks, seconds (`1.2 s`)
and the numbers of source lines (`file.sv:12`) may differ. A command with nothing below it may print what it likes. Exit codes other than 0 are
failures; a page that wants one says so (`|| echo "exit code $?"`).

A picture `pictures/PAGE-NAME.svg` is what the commands leave as NAME.svg. --write takes those that differ into the page's pictures.
"""
import argparse
import glob
import os
import re
import shutil
import subprocess
import sys
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
BLOCK = re.compile(r"^```console\n(.*?)^```", re.S | re.M)
PICTURE = re.compile(r"!\[[^]]*\]\((pictures/[^)]+)\)")
# These differ from run to run, or with any change of a file.
MASKS = ((re.compile(r"\b\d+(\.\d+)? s\b"), "N s"), (re.compile(r"(\.\w+):\d+\b"), r"\1:N"))
# What this program was called with is not for the commands: they are those of a reader.
HIDDEN = ("BUILD", "VENV", "MAKEFLAGS", "MFLAGS", "MAKELEVEL", "CMOCKA_MESSAGE_OUTPUT")
TAIL = 40   # lines of output that are shown of a command that failed


def commands(text):
    """[(command, lines shown below it)]. A command that ends in a backslash goes on in the next line."""
    found = []
    for block in BLOCK.findall(text):
        goes_on = False
        for line in block.splitlines():
            if line.startswith("$ "):
                found.append((line[2:], []))
            elif goes_on:
                found[-1] = (found[-1][0][:-1] + line.strip(), [])
            elif found:
                found[-1][1].append(line)
            goes_on = bool(found) and not found[-1][1] and found[-1][0].endswith("\\")
    return found


def plain(line):
    """A line without what may differ."""
    for pattern, text in MASKS:
        line = pattern.sub(text, line)
    return " ".join(line.split())


def differs(shown, output):
    """A sentence that says where the output is not what the page shows, or None."""
    lines, at, gap = [plain(line) for line in output.splitlines() if line.strip()], 0, False
    shown = [line for line in shown if line.strip()]
    for line in shown:
        if line.strip() == "...":
            gap = True
            continue
        wanted = plain(line)
        found = lines.index(wanted, at) if gap and wanted in lines[at:] else at
        if found >= len(lines) or lines[found] != wanted:
            return f"the page shows, and the output lacks there: {line}"
        at, gap = found + 1, False
    if shown and not gap and at < len(lines):
        return f"the output goes on, and the page does not say so: {lines[at]}"
    return None


def copy_tree(place, built):
    """The sources as they are, edited or new, and what is named of what was built from them."""
    listed = subprocess.check_output(["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"], cwd=ROOT, text=True)
    pairs = [(os.path.join(ROOT, name), os.path.join(place, name)) for name in listed.split("\0") if name]
    build = os.path.join(ROOT, os.environ.get("BUILD", "build"))
    for pattern in built:
        pairs += [(path, os.path.join(place, "build", os.path.relpath(path, build)))
                  for path in glob.glob(os.path.join(build, pattern), recursive=True)]
    for path, to in pairs:
        if os.path.islink(path) or os.path.isfile(path):
            os.makedirs(os.path.dirname(to), exist_ok=True)
            shutil.copy2(path, to, follow_symlinks=False)
    venv = os.path.join(place, ".venv")
    if not os.path.lexists(venv):
        os.symlink(os.path.realpath(os.path.join(ROOT, os.environ.get("VENV", ".venv"))), venv)


def same(one, other):
    """Whether both files are there and alike."""
    if not (os.path.exists(one) and os.path.exists(other)):
        return False
    with open(one, "rb") as a, open(other, "rb") as b:
        return a.read() == b.read()


class Tap:
    """Counts results while it prints them."""

    def __init__(self, planned):
        self.number = self.failed = 0
        print(f"1..{planned}", flush=True)

    def result(self, name, trouble, output=""):
        """One test; `trouble` is a sentence if it failed."""
        self.number += 1
        name = name.replace("#", "\\#")
        if trouble:
            self.failed += 1
            for line in [trouble, *output.splitlines()[-TAIL:]]:
                print(f"#   {line}")
        print(f"{'not ok' if trouble else 'ok'} {self.number} - {name}", flush=True)


def run(command, shown, place):
    """(what is wrong, what it said)"""
    environment = {name: value for name, value in os.environ.items() if name not in HIDDEN}
    done = subprocess.run(["bash", "-c", command], cwd=place, env=environment, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, text=True, errors="replace", check=False)
    trouble = differs(shown, done.stdout)
    if done.returncode != 0:
        trouble = f"exit code {done.returncode}"
    return trouble, done.stdout + done.stderr


def main():
    arguments = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    arguments.add_argument("--built", metavar="PATTERN", action="append", default=[], help="what is copied of the build folder")
    arguments.add_argument("--write", action="store_true", help="take the pictures that were made into the page's")
    arguments.add_argument("page")
    options = arguments.parse_args()
    with open(options.page, encoding="utf-8") as file:
        text = file.read()
    stem = os.path.splitext(os.path.basename(options.page))[0]
    pictures = sorted({path for path in PICTURE.findall(text) if os.path.basename(path).startswith(stem + "-")})
    todo = commands(text)
    if not todo:
        sys.exit(f"doccheck.py: {options.page} has no command")
    tap = Tap(len(todo) + len(pictures))
    with tempfile.TemporaryDirectory(prefix="doccheck-") as place:
        copy_tree(place, options.built)
        for number, (command, shown) in enumerate(todo, 1):
            tap.result(f"command {number}: {command}", *run(command, shown, place))
        for path in pictures:
            made = os.path.join(place, os.path.basename(path)[len(stem) + 1:])
            kept = os.path.join(os.path.dirname(options.page), path)
            if options.write and os.path.exists(made):
                os.makedirs(os.path.dirname(kept), exist_ok=True)
                shutil.copyfile(made, kept)
            tap.result(path, None if same(made, kept) else "is not what the commands make; `tools/doccheck.py --write` takes that" if
                       os.path.exists(made) else f"no command makes {os.path.basename(made)}")
    return 1 if tap.failed else 0


if __name__ == "__main__":
    sys.exit(main())
