#!/usr/bin/env python3
"""Takes a picture out of a report, as an SVG file of its own for a page or a mail.

Usage: cut.py REPORT.html SECTION > PICTURE.svg
REPORT.html is what `weir --report` wrote, SECTION what the page is linked to by: REPORT.html#columns has the lives of the slowest columns. Of
several pictures in a section it takes the first wide one. Colours follow the reader's light or dark theme, as in the report.
"""
import re
import sys

# In the page, these come from its body.
STYLE = "svg { font-family: system-ui, sans-serif; }\n.paper { fill: var(--paper); }\n"


def cut(page, name):
    """The picture's text; a sentence why not, as the second value."""
    style = re.search(r"<style>\n?(.*?)</style>", page, re.S)
    section = re.search(rf'<section id="{re.escape(name)}".*?</section>', page, re.S)
    if not style or not section:
        found = re.findall(r'<section id="([^"]+)"', page)
        return None, f"no section {name}; there are: {', '.join(found)}" if found else "no report"
    picture = re.search(r"<svg (?=[^>]*role=)([^>]*)>(.*?</svg>)", section.group(), re.S)
    if not picture:
        return None, f"section {name} has no picture"
    box = re.search(r'viewBox="0 0 (\S+) (\S+)"', picture.group(1))
    margin = 16
    width, height = (float(number) + 2 * margin for number in box.groups())
    attributes = picture.group(1).replace(box.group(), f'viewBox="{-margin} {-margin} {width:g} {height:g}"')
    return (f'<svg xmlns="http://www.w3.org/2000/svg" {attributes}>\n<!-- cut out of a report by tools/draw/cut.py -->\n'
            f"<style>\n{style.group(1)}{STYLE}</style>\n"
            f'<rect class="paper" x="{-margin}" y="{-margin}" width="{width:g}" height="{height:g}"/>{picture.group(2)}'), None


def main():
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    with open(sys.argv[1], encoding="utf-8") as file:
        picture, why_not = cut(file.read(), sys.argv[2])
    if why_not:
        sys.exit(f"cut.py: {sys.argv[1]}: {why_not}")
    print(picture)


if __name__ == "__main__":
    main()
