#!/usr/bin/env python3
"""Makes one mistake at a time in a copy of the tree and looks whether the tests of `make check` see it.

The mistakes are in tools/mutants.json: {name, sentence, file, old, new, tests}. `old` must stand in `file` exactly once. `tests`
names what is run, in order, until something turns red: unit tests by part of their name, or `soak` for random rings through the
whole device in configuration tiny. All of them are part of `make check`, so what turns one red turns `make check` red. A mistake with which
a test cannot be built has shown nothing: that is an error, not a mistake that was seen.

Usage: mutants.py [--only NAME] [--table FILE]   The last line is `N passed, N failed`; a mistake that nobody saw,
or that cannot be built, has failed.
"""
import argparse
import json
import os
import re
import shutil
import subprocess
import sys
import time

TREE = "build/mutants/tree"


def sh(command, timeout):
    """Exit code and last lines of a shell command in the copy; a hang counts as red, as it would in CI."""
    try:
        done = subprocess.run(command, shell=True, cwd=TREE, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, timeout=timeout, check=False)
        return done.returncode, done.stdout.decode("utf-8", "replace")
    except subprocess.TimeoutExpired as late:
        return 124, (late.stdout or b"").decode("utf-8", "replace") + "\ntimed out"


def copy_tree():
    """The tracked and new files of the tree, unchanged ones with their old time stamps, so that builds stay incremental."""
    files = subprocess.check_output(["git", "ls-files", "-co", "--exclude-standard"], text=True).split("\n")
    for name in filter(None, files):
        if not os.path.isfile(name):
            continue
        target = os.path.join(TREE, name)
        os.makedirs(os.path.dirname(target), exist_ok=True)
        if not os.path.exists(target) or open(name, "rb").read() != open(target, "rb").read():
            shutil.copy(name, target)


class NotBuilt(Exception):
    """A test that cannot be built, with what the build said."""

    def __init__(self, test, output):
        super().__init__(f"{test} cannot be built, which proves nothing:\n{output[-3000:]}")
        self.test = test


def run_test(test):
    """Exit code and output of a named test. `soak` is the random-ring run that make check has, in its smallest configuration."""
    build, run = (("make -s soak-build", "build/sim/soak --config tiny --seeds 1..60") if test == "soak" else
                  (f"make -s unit-build T={test}", f"make -s unit T={test}"))
    code, output = sh(build, 900)
    if code != 0:
        raise NotBuilt(test, output)
    code, output = sh(run, 600)
    # A device that is built when it is first wanted.
    if code != 0 and re.search("(was|could|can) ?not (be )?built", output):
        raise NotBuilt(test, output)
    return code, output


def seen_by(mutant):
    """What turned red, in a few words; None if nothing did."""
    for test in mutant["tests"]:
        seen = verdict(test, *run_test(test))
        if seen:
            return seen
    return None


def verdict(test, code, output):
    """Why a run is red, in a few words; None if it is green."""
    if code == 0:
        return None
    lines = [l.strip() for l in output.split("\n") if l.strip()]
    for mark in ("Assertion failed", "mismatch", "not ok", "FAILED", "rror:", "differs", "timed out"):
        for line in lines:
            if mark in line:
                return f"{test}: {line[:150]}"
    return f"{test}: {lines[-1][:150] if lines else f'exit code {code}'}"


def mutate(mutant):
    """Applies one mistake to the copy; returns the original text."""
    path = os.path.join(TREE, mutant["file"])
    text = open(path, encoding="utf-8").read()
    if text.count(mutant["old"]) != 1:
        sys.exit(f"mutants: {mutant['name']}: `old` stands {text.count(mutant['old'])} times in {mutant['file']}, must be once")
    open(path, "w", encoding="utf-8").write(text.replace(mutant["old"], mutant["new"]))
    return text


def restore(mutant, text):
    with open(os.path.join(TREE, mutant["file"]), "w", encoding="utf-8") as f:
        f.write(text)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--only", help="part of the names of the mistakes to make")
    parser.add_argument("--table", help="writes the result as a Markdown table")
    options = parser.parse_args()
    mutants = [m for m in json.load(open("tools/mutants.json", encoding="utf-8"))
               if not options.only or options.only in m["name"]]
    os.makedirs(TREE, exist_ok=True)
    copy_tree()

    for test in sorted({t for m in mutants for t in m["tests"]}):
        try:
            code, output = run_test(test)
        except NotBuilt as why:
            sys.exit(f"mutants: without any mistake {why}")
        if code != 0:
            sys.exit(f"mutants: {test} is red without any mistake:\n{output[-2000:]}")

    rows, survived, unbuilt = [], 0, 0
    for i, mutant in enumerate(mutants):
        began = time.monotonic()
        original = mutate(mutant)
        try:
            seen = seen_by(mutant)
        except NotBuilt as why:
            print(f"not ok {mutant['name']} ({i + 1}/{len(mutants)}): {why}", flush=True)
            unbuilt += 1
            rows.append((mutant, f"**nobody could: {why.test} cannot be built**"))
            continue
        finally:
            restore(mutant, original)
        survived += seen is None
        rows.append((mutant, seen or "**nobody**"))
        print(f"{'ok' if seen else 'not ok'} {mutant['name']} ({i + 1}/{len(mutants)}, "
              f"{time.monotonic() - began:.0f} s): {seen or 'NOBODY SAW IT'}", flush=True)

    if options.table:
        with open(options.table, "w", encoding="utf-8") as f:
            f.write("# Mistakes that the tests see\n\nGenerated by `make mutants` from tools/mutants.json; do not edit.\n"
                    "Each mistake is made alone in a copy of the tree; the last column is the first thing that turned red.\n\n"
                    "| mistake | what it would be | file | seen by |\n|---|---|---|---|\n")
            for mutant, cell in rows:
                cell = cell.replace("|", "\\|")
                f.write(f"| {mutant['name']} | {mutant['sentence']} | `{mutant['file']}` | {cell} |\n")
    print(f"{len(mutants) - survived - unbuilt} passed, {survived + unbuilt} failed")
    return 1 if survived or unbuilt or not mutants else 0


if __name__ == "__main__":
    sys.exit(main())
