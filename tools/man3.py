#!/usr/bin/env python3
"""Writes the manual pages of section 3 from public headers: one a function, with the comment above it, and one a header.

Usage: tools/man3.py VERSION FOLDER HEADER..

A function is a declaration that begins with WEIR_API, under lines that begin with `///`. The page of a header, weir_coll(3) for host/weir/coll.h, has the comment at its
head, its structs and enums, and the list of its functions. A function without a comment takes the one before it: they are said together."""
import os
import re
import sys

DECLARED = re.compile(r"((?:^[ ]*///.*\n)*)^WEIR_API ((?:[^;]|\n)*?\b(weir_\w+)\((?:[^;]|\n)*?);", re.M)
TYPES = re.compile(r"((?:^///.*\n)*^(?:struct|enum) \w+ \{(?:.|\n)*?\};.*\n)", re.M)


def prose(comment):
    """The text of `///` lines, for troff. An empty line begins a paragraph."""
    lines = [re.sub(r"^\s*///<? ?", "", line) for line in comment.strip().splitlines()]
    text = "\n".join(".PP" if not line else line.replace("\\", "\\e") for line in lines)
    # A line that begins with a dot or an apostrophe would be a request.
    text = re.sub(r"^([.'])(?!PP$)", r"\\&\1", text, flags=re.M)
    return re.sub(r"`([^`]*)`", r"\\fI\1\\fR", text)


def verbatim(text):
    """Lines as they are."""
    return ".nf\n" + re.sub(r"^([.'])", r"\\&\1", text.strip().replace("\\", "\\e").replace("-", "\\-"), flags=re.M) + "\n.fi"


def page(name, version, brief, *sections):
    """A page; sections are (title, troff)."""
    head = f'.\\" Made by tools/man3.py; do not edit.\n.TH {name.upper()} 3 "" "Weir {version}" "Weir"\n.SH NAME\n{name} \\- {brief}\n'
    return head + "".join(f".SH {title}\n{text}\n" for title, text in sections)


def brief_of(text):
    """The first sentence, in one line."""
    words = " ".join(line for line in text.splitlines() if line != ".PP")
    return re.split(r"(?<=[.:])\s", words, maxsplit=1)[0].rstrip(".:") or "see there"


def pages(header, version):
    """(name, text) of each page of a header."""
    with open(header, encoding="utf-8") as f:
        text = f.read()
    whole, file = "weir_" + os.path.basename(header)[:-2], "weir/" + os.path.basename(header)
    head = prose(re.match(r"(?:///.*\n)+", text).group(0))
    functions, comment = [], ""
    for found in DECLARED.finditer(text):
        comment = prose(found.group(1)) if found.group(1).strip() else comment
        declared = re.sub(r"\s+", " ", found.group(2)) + ";"
        functions.append(found.group(3))
        yield found.group(3), page(found.group(3), version, brief_of(comment), ("SYNOPSIS", f".B #include <{file}>\n.PP\n" + verbatim(declared)),
                                   ("DESCRIPTION", comment), ("SEE ALSO", f".BR {whole} (3)"))
    if not functions:
        sys.exit(f"man3.py: {header}: no functions")
    yield whole, page(whole, version, brief_of(head), ("SYNOPSIS", f".B #include <{file}>\n.PP\n" + verbatim("cc program.c $(pkg-config --cflags --libs weir-coll)")),
                      ("DESCRIPTION", head), ("TYPES", verbatim("\n".join(TYPES.findall(text)))),
                      ("FUNCTIONS", "\n.br\n".join(f".BR {name} (3)" for name in functions)))


def main():
    if len(sys.argv) < 4:
        sys.exit(__doc__)
    for header in sys.argv[3:]:
        for name, text in pages(header, sys.argv[1]):
            with open(os.path.join(sys.argv[2], f"{name}.3"), "w", encoding="utf-8") as f:
                f.write(text)


if __name__ == "__main__":
    main()
