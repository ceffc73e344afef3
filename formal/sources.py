"""What belongs to a proof: its source files, and the English sentences that stand above its assertions; and which unit tests are linked with which
modules of the RTL, as the lines `// DUT:` at the tests' heads say (tools/unitgen.py)."""
import functools
import glob
import os
import re
import shlex
import subprocess
import sys
import typing

COMMENT = re.compile(r"//[^\n]*|/\*.*?\*/", re.S)
WORD = re.compile(r"[A-Za-z_]\w*")
DUT = re.compile(r"^//[ /]*DUT:\s*(\w+)((?:\s+-G\S+)*)\s*$", re.M)
# The device of each top in which modules are drawn that no task and no unit test has.
DEVICES = {"weir_aggregator": "tree4", "weir_tree_node": "node4", "weir_uplink": "uplink4", "weir_gather_switch": "rack8", "weir_gather_nic": "nic2"}
LABEL = re.compile(r"^\s*(\w+)\s*:\s*(?:assert|assume|cover)\b")


def units():
    """Every module and package of the RTL and of the property files, by name; a file holds one and is called like it."""
    names = glob.glob("rtl/**/*.sv", recursive=True) + glob.glob("formal/**/*.sv", recursive=True)
    return {os.path.splitext(os.path.basename(name))[0]: name for name in sorted(names)}


def cone(path, known):
    """`path` and all files that it needs, directly or not: those whose module or package it names outside comments."""
    found, todo = set(), [path]
    while todo:
        name = todo.pop()
        if name in found:
            continue
        found.add(name)
        todo += [known[word] for word in words_of(name, os.stat(name).st_mtime_ns) if word in known]
    return sorted(found)


@functools.cache
def words_of(path, _changed):
    """The words of a file outside comments, read once for each time that it was changed (`_changed`)."""
    with open(path, encoding="utf-8") as source:
        return frozenset(WORD.findall(COMMENT.sub(" ", source.read())))


def sentence(text, line):
    """The comment above the assertion that starts at `line` of a file. Assertions under one comment share it. Empty if there is none."""
    lines = text.split("\n")
    at = line - 2
    # Only the end of a statement like it may stand between the comment and the assertion.
    while at >= 0 and not lines[at].strip().startswith("//"):
        if re.search(r"\b(begin|end|if|always_ff|module|endmodule)\b", COMMENT.sub("", lines[at])):
            return ""
        at -= 1
    text = []
    while at >= 0 and lines[at].strip().startswith("//"):
        text.insert(0, lines[at].strip().lstrip("/").strip())
        at -= 1
    return " ".join(text)


def labels(path, prefix):
    """The labels of a file's assertions (`prefix` a_), assumptions (e_) or covers (c_)."""
    with open(path, encoding="utf-8") as source:
        found = [LABEL.match(line) for line in source]
    return [match.group(1) for match in found if match and match.group(1).startswith(prefix)]


@functools.cache
def testable():
    """Where each module stands that a test may be linked with: {name: path}."""
    return units() | {os.path.basename(name)[:-3]: name for name in glob.glob("tb/unit/**/*.sv", recursive=True)}


@functools.cache
def tests():
    """All unit tests of modules: (test, module that it is linked with, its parameters)."""
    found = []
    for path in sorted(glob.glob("tb/unit/**/test_*.c", recursive=True)):
        with open(path, encoding="utf-8") as f:
            found += [(os.path.basename(path)[:-2], top, tuple(word[2:] for word in given.split())) for top, given in DUT.findall(f.read())]
    return found


@functools.cache
def test_files(top):
    """The sources of what a test is linked with."""
    return cone(testable()[top], testable())


def tests_of(path):
    """The tests that have the module of the file `path` in them, those of little else first."""
    return sorted((test for test in tests() if path in test_files(test[1])), key=lambda test: (len(test_files(test[1])), test))


class Apart(typing.NamedTuple):
    """A module as it stands in a device, with what it instantiates left as it is: for what is wires between others."""
    name: str      # DEVICE/MODULE
    top: str
    given: tuple   # parameters of the top
    module: str


@functools.cache
def apart():
    """The modules of each device, and where they are drawn if nothing smaller has them: {module: Apart}."""
    found, known = {}, units()
    for top, device in DEVICES.items():
        told = subprocess.run([sys.executable, "tools/generate/configgen.py", "parameters", device], check=True, capture_output=True, text=True).stdout
        given = tuple(word[2:] for word in shlex.split(told))
        for path in cone(known[top], known):
            module = os.path.splitext(os.path.basename(path))[0]
            if not module.endswith("_pkg"):
                found.setdefault(module, Apart(f"{device}/{module}", top, given, module))
    return found


def beside(top, module):
    """The modules that `top` has in it, but those around `module`, that one itself, and what has a type for a parameter, which no black box can have."""
    known = testable()
    there = {os.path.splitext(os.path.basename(path))[0] for path in cone(known[top], known) if not path.endswith("_pkg.sv")}
    return sorted(name for name in there - {module} if known[module] not in cone(known[name], known) and not typed(known[name]))


@functools.cache
def typed(path):
    with open(path, encoding="utf-8") as source:
        return bool(re.search(r"^\s*parameter\s+type\b", source.read(), re.M))
