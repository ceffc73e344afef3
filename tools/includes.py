"""What C and C++ files include, for the programs that follow it. Each file is read once."""
import functools
import os
import re

# Where includes are looked for, beside the including file's own folder (mk/settings.mk: C_STD).
ROOTS = ("tb", "lib", ".")
INCLUDE = re.compile(r'^\s*#\s*include\s+"([^"]+)"', re.M)


@functools.cache
def read(path):
    """The text of a file."""
    with open(path, encoding="utf-8") as f:
        return f.read()


@functools.cache
def included(path):
    """(name, file) of each `#include "name"`, in their order: the file as a path from the project's root, None if it is not in the tree."""
    found = []
    for name in INCLUDE.findall(read(path)):
        places = (os.path.normpath(os.path.join(root, name)) for root in (os.path.dirname(path),) + ROOTS)
        found.append((name, next((place for place in places if os.path.exists(place)), None)))
    return found
