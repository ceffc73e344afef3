"""What of a package a proof stands on: the declarations that its modules name, and those that these name in turn.

A package serves many modules. If all of it belonged to each proof, a field more in one struct would make every proof stale, also
of modules that never heard of that struct.
"""
import functools
import re

TOKEN = re.compile(r"[A-Za-z_$][\w$]*|'?[0-9][\w.']*|\S")
NAME = re.compile(r"[A-Za-z_]\w*$")
KEYWORDS = {"localparam", "parameter", "int", "unsigned", "logic", "bit"}
PACKAGE = re.compile(r"^\s*package\s+\w+\s*;(.*)\bendpackage", re.S | re.M)


def split(text):
    """The declarations of a package's body, as lists of tokens."""
    items, item, depth = [], [], 0
    for token in TOKEN.findall(text):
        item.append(token)
        depth += (token in ("{", "(", "function")) - (token in ("}", ")", "endfunction"))
        if depth == 0 and token in (";", "endfunction"):
            items.append(item)
            item = []
    return items + [item] if item else items


def declared(item):
    """The names that a declaration gives; None of one that always counts, such as an import."""
    names = lambda tokens: {token for token in tokens if NAME.match(token)}
    if item[0] == "typedef":
        # An enum also gives the names of its values.
        return names(item[item.index("{"):]) if "enum" in item else names(item[-2:])
    if item[0] == "function":
        return {item[item.index("(") - 1]}
    if item[0] in ("localparam", "parameter"):
        return names(item[:item.index("=")]) - KEYWORDS
    return None


@functools.cache
def declarations(package):
    """The declarations in the text of a package, each with the names that it gives (`declared`); many tasks name the same package."""
    return tuple((item, declared(item)) for item in split(package))


def named(texts):
    """`texts`, {name: text without comments}, with of each package only the declarations that the other texts name, or that
    those name which are named, as {name: tokens}."""
    kept, open_items, words = {}, [], set()
    for name, text in texts.items():
        package = PACKAGE.search(text)
        kept[name] = [] if package else text.split()
        if package:
            open_items += [(name, at, *found) for at, found in enumerate(declarations(package.group(1)))]
        else:
            words |= set(re.findall(r"[A-Za-z_]\w*", text))
    counts = {}
    while True:
        more = [entry for entry in open_items if entry[3] is None or entry[3] & words]
        if not more:
            break
        open_items = [entry for entry in open_items if entry[3] is not None and not entry[3] & words]
        for name, at, item, _ in more:
            counts.setdefault(name, {})[at] = item
            words |= {token for token in item if NAME.match(token)}
    for name, items in counts.items():
        kept[name] = [token for at in sorted(items) for token in items[at]]
    return kept
