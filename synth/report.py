"""docs/resources.md from the committed reports: what is in it was measured, and says by what."""
import csv
import glob
import os
import re
import subprocess

import fpga

REPORTS = "synth/reports"
DOCUMENT = "docs/resources.md"
INTRODUCTION = "synth/intro.md"
SUMMARY = ["figure", "value", "prototype", "aim"]
# The published prototype (NetReduce 4): six ports of 100 Gb/s, figures behind place and route of a vendor's tool.
PROTOTYPE = {"LUT": 109025, "FF": 167554, "RAMB36": 993}
LEVELS = 6
LOOP = 5


def stand():
    """The commit of the RTL; with a + if the working tree is ahead of it."""
    source = ["rtl", "synth/fpga.py", "tools/configgen.py"]
    commit = subprocess.check_output(["git", "log", "-1", "--format=%h", "--"] + source, text=True).strip()
    return commit + ("+" if subprocess.check_output(["git", "status", "--porcelain", "--"] + source, text=True).strip() else "")


def summary(configuration, top, ultra, arriving, leaving, loop):
    """The lines of summary-*.csv."""
    total = top.total
    aim = PROTOTYPE if configuration == "paper6" else {}
    lines = [{"figure": name, "value": value, "prototype": aim.get(name, ""), "aim": f"below {aim[name]}" if name in aim else ""}
             for name, value in (("LUT", total["lut"]), ("FF", total["ff"]), ("RAMB36", total["bram36"]), ("URAM", total["uram"]),
                                 ("DSP", total["dsp"]))]
    lines += [{"figure": f"{name}, payload in UltraRAM", "value": ultra[key], "prototype": aim.get(name, ""),
               "aim": f"below {aim[name]}" if name in aim else ""} for name, key in (("LUT", "lut"), ("RAMB36", "bram36"), ("URAM", "uram"))]
    lines += [{"figure": "levels, register to register", "value": top.deepest.levels, "aim": f"at most {LEVELS}"},
              {"figure": "levels, within agg_slot_state", "value": loop.levels, "aim": f"at most {LOOP}"},
              {"figure": "levels, input to register", "value": arriving}, {"figure": "levels, register to output", "value": leaving}]
    return lines + [{"figure": "path within agg_slot_state", "value": str(loop)}, {"figure": "tool", "value": fpga.VERSION},
                    {"figure": "device", "value": f"UltraScale+ ({fpga.FAMILY}), mapped, not placed or routed"},
                    {"figure": "commit", "value": stand()}]


def table(columns, lines):
    """A Markdown table."""
    return "\n".join(["| " + " | ".join(columns) + " |", "|" + "---|" * len(columns)]
                     + ["| " + " | ".join(str(cell) for cell in line) + " |" for line in lines]) + "\n"


def read(path):
    """The lines of a CSV file."""
    with open(path, encoding="utf-8") as file:
        return list(csv.DictReader(file))


def write(path, lines, columns):
    """A CSV file."""
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, columns, lineterminator="\n")
        writer.writeheader()
        writer.writerows(lines)


def number(text):
    """A figure with its thousands apart."""
    return f"{float(text):,.1f}".removesuffix(".0") if re.fullmatch(r"\d+(\.\d+)?", text) else text


def section(configuration, reports):
    """What the document says of a configuration."""
    figures = {line["figure"]: line for line in read(f"{reports}/summary-{configuration}.csv")}
    rows = read(f"{reports}/xcup-{configuration}.csv")
    value = lambda name: figures[name]["value"]
    text = [f"## {configuration}\n", f"{value('tool')}, {value('device')}, RTL of commit {value('commit')}.\n"]
    text.append(table(["", "this device", "prototype", "aim"],
                      [(name, number(line["value"]), number(line["prototype"]), line["aim"]) for name, line in figures.items()
                       if name.startswith(("levels", "LUT", "FF", "RAMB36", "URAM", "DSP"))]))
    size = float(rows[0]["lut"])
    text.append("### What costs what\n\nEach module's own share of the device, all its instances together, without what is below it. "
                "These rows add up to the device.\n")
    own = {}
    for row in rows:
        mine = own.setdefault(row["module"], [0, 0.0, 0.0, 0.0])
        for at, name in enumerate(("instances", "all_own_lut", "all_own_ff", "all_own_bram36")):
            mine[at] += float(row[name])
    text.append(table(["module", "instances", "LUT", "share", "FF", "RAMB36"],
                      [(f"`{module}`", int(mine[0]), number(str(mine[1])), f"{100 * mine[1] / size:.1f} %", number(str(mine[2])),
                        number(str(mine[3]))) for module, mine in sorted(own.items(), key=lambda item: -item[1][1])]))
    text.append("### Each module, with all that is below it\n\nOne instance each. `levels`: the deepest path from register to register that runs "
                "through logic of the module or below.\n")
    text.append(table(["module", "at", "instances", "LUT", "FF", "RAMB36", "URAM", "DSP", "levels"],
                      [(f"`{row['module']}`", row["where"] or "the top", row["instances"], number(row["lut"]), number(row["ff"]),
                        number(row["bram36"]), row["uram"], row["dsp"], row["levels"]) for row in rows]))
    text.append(f"### Deepest paths\n\nThe deepest through each module's own logic, where it is deeper than {LEVELS}: from register to register, "
                "and how many levels are spent in which module.\n")
    paths = {}
    for row in rows:
        # A parent's path that a child has as well is the child's.
        if int(row["own_levels"]) > LEVELS:
            paths.setdefault(row["own_path"], (row["module"], row["own_levels"], row["own_path"]))
    text.append(table(["through", "levels", "path"], sorted(paths.values(), key=lambda line: (-int(line[1]), line[0]))))
    return "\n".join(text)


def document(reports=REPORTS):
    """Writes docs/resources.md: the introduction by hand, the rest from the reports that there are."""
    with open(INTRODUCTION, encoding="utf-8") as file:
        text = [file.read()]
    names = [re.sub(r".*xcup-|\.csv", "", path) for path in glob.glob(f"{reports}/xcup-*.csv")]
    with open("rtl/top/configs.csv", encoding="utf-8") as file:
        order = [line.split(",")[0] for line in file]
    text += [section(name, reports) for name in sorted(names, key=order.index)]
    os.makedirs(os.path.dirname(DOCUMENT), exist_ok=True)
    with open(DOCUMENT, "w", encoding="utf-8") as file:
        file.write("<!-- Made by synth/run.py from synth/intro.md and synth/reports; edit those. -->\n" + "\n".join(text))
