"""Which unit test is linked with which modules of the RTL, as the lines `// DUT:` at the tests' heads say (tools/unitgen.py)."""
import functools
import glob
import os
import re

import sources

DUT = re.compile(r"^//[ /]*DUT:\s*(\w+)((?:\s+-G\S+)*)\s*$", re.M)


@functools.cache
def modules():
    """Where each module stands that a test may be linked with: {name: path}."""
    return sources.units() | {os.path.basename(name)[:-3]: name for name in glob.glob("tb/unit/**/*.sv", recursive=True)}


@functools.cache
def listed():
    """All unit tests of modules: (test, module that it is linked with, its parameters)."""
    found = []
    for path in sorted(glob.glob("tb/unit/**/test_*.c", recursive=True)):
        with open(path, encoding="utf-8") as f:
            found += [(os.path.basename(path)[:-2], top, tuple(word[2:] for word in given.split())) for top, given in DUT.findall(f.read())]
    return found


@functools.cache
def files(top):
    """The sources of what a test is linked with."""
    return sources.cone(modules()[top], modules())


def around(path):
    """The tests that have the module of the file `path` in them, those of little else first."""
    return sorted((test for test in listed() if path in files(test[1])), key=lambda test: (len(files(test[1])), test))
