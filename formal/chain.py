"""The end-to-end statement of docs/proofs.md: formal/theorem.csv names the rules that it is made of, and here is worked out what each rests on.

A rule is shown by properties of modules. Those take things for granted that the ledger says who shows: other modules' properties, and so on. All
modules that are reached that way are the rule's chain; it is as strong as its weakest link.

Parts with `from` and `to` are the way of a byte through the device: each begins where the one in front of it ends, and what its proofs take for
granted is shown, in part at least, by those of the one in front. A gap is an error."""
import csv

import ledger

PATH = "formal/theorem.csv"
# Where the way of a byte begins and ends.
ENDS = ("AXI-Stream in", "AXI-Stream out")


def reached(book, modules):
    """The modules that these rest on, with themselves, in the order in which they are met."""
    met = list(dict.fromkeys(modules))
    for module in met:
        for name in sorted(book.owed.get(module, ())):
            for how, *what in book.rows.get((module, name), []):
                other = what[0].split(".")[0] if how in ledger.SHOWN else None
                if other and other not in met:
                    met.append(other)
    return met


def links(book, modules, names, proved):
    """[(strength, what)] of each thing that a chain of these modules takes for granted, and of the properties `names` that it begins with."""
    found = {(proved.get(name, (ledger.NOT_SHOWN, 0)), f"`{name}`") for name in names}
    for module in modules:
        for name in book.owed.get(module, ()):
            for how, *what in book.rows.get((module, name)) or [("none",)]:
                if how in ledger.SHOWN:
                    found.add((proved.get(what[0], (ledger.NOT_SHOWN, 0)), f"`{what[0]}`"))
                else:
                    found.add((book.of_part((how, *what), proved, {}), f"`{name}` of {module}"))
    return sorted(found)


def rules_of(paths):
    """{rule: its properties} of all files of rules."""
    found = {}
    for path in paths:
        with open(path, encoding="utf-8", newline="") as f:
            found |= {row["rule"]: row["properties"].split() for row in csv.DictReader(f)}
    return found


def ruled(rules):
    """The modules of which some rule is shown."""
    return {name.split(".")[0] for names in rules.values() for name in names}


def check_way(parts):
    """Ends the program if the parts that are steps of a byte's way are not one way from the device's input to its output."""
    steps = [(part["from"], part["to"]) for part in parts if part["from"] or part["to"]]
    places = [ENDS[0]] + [end for _, end in steps]
    for (begin, end), place in zip(steps, places):
        if begin != place:
            raise SystemExit(f"{PATH}: a gap between {place} and {begin}: no part says what becomes of a byte there")
    if places[-1] != ENDS[1]:
        raise SystemExit(f"{PATH}: the way of a byte ends at {places[-1]}, not at {ENDS[1]}")


def with_between(book, modules, has_rule):
    """These modules, and those whose proofs only stand between: what they show is taken for granted as the very expression, and no rule (`has_rule`: the
    modules of rules) is shown by them. What such a one takes for granted is so of whom it stands in front."""
    met = list(modules)
    for module in met:
        met += {what[0].split(".")[0] for name in book.owed.get(module, ()) for how, *what in book.rows.get((module, name), [])
                if how == "same"} - set(met) - has_rule
    return met


def handed(book, modules, before, has_rule):
    """What the modules of a step take for granted and those of the step in front show: of one expression, and read by people."""
    found = {(how == "same", what[0]) for module in with_between(book, modules, has_rule) for name in book.owed.get(module, ())
             for how, *what in book.rows.get((module, name), [])
             if how in ledger.SHOWN and what[0].split(".")[0] in before}
    return [[f"`{name}`" for is_same, name in sorted(found) if is_same == one] for one in (True, False)]


def compared(book, modules):
    """How many things the proofs of these modules take for granted that other proofs show; and how many of them are the very expression that these have."""
    all_shown = [[how for how, *_ in book.rows.get((module, name), []) if how in ledger.SHOWN] for module in modules for name in book.owed.get(module, ())]
    return sum(bool(shown) for shown in all_shown), sum(bool(shown) and set(shown) == {"same"} for shown in all_shown)


def hand_overs(book, paths):
    """A sentence: how many links of a byte's way, and of all, the program has compared."""
    rules = rules_of(paths)
    way = dict.fromkeys(name.split(".")[0] for part in parts_of() if part["from"] for rule, names in rules.items() if rule.startswith(part["rule"])
                        for name in names)
    way = with_between(book, way, ruled(rules))
    (shown, same), (all_shown, all_same) = compared(book, way), compared(book, book.owed)
    return (f"Of {shown} things that the proofs of the seven steps, and those between them, take for granted of others, {same} are the very expression that the others' proofs show, of the "
            f"same wires: one text, which `formal/handover.py` finds in both proofs (`the same` in the ledger). The other {shown - same} are two sentences, and that one "
            f"follows from the other, people have read; such a line can be wrong, and five were (below). Of all modules {all_same} of {all_shown} are one text.")


def parts_of():
    """The rows of the statement."""
    with open(PATH, encoding="utf-8", newline="") as f:
        return list(csv.DictReader(f))


# What stands over the columns of counts(), and the strengths that each of them counts.
COUNTED = {"unbounded": {ledger.UNBOUNDED}, "bounded": {ledger.BOUNDED}, "simulated or argued": {ledger.SIMULATED, ledger.ARGUED},
           "not shown today": {ledger.NOT_SHOWN}}


def counts(strengths):
    """How many of these are of each kind of COUNTED, for a line of a table; nothing for none."""
    found = [kind for kind, _ in strengths]
    return [sum(kind in kinds for kind in found) or "" for kinds in COUNTED.values()]


class Part:
    """A part of the statement: a row of formal/theorem.csv with what stands behind it.

    `own`: the modules whose properties show its rule; `modules`: all that these rest on, with themselves; `strength`: of these properties alone; `links`:
    [(strength, what)] of all that is rested on, and of these properties, the weakest first; `takes`: what the step in front hands over, as handed() says."""

    def __init__(self, book, row, names, proved, before, has_rule):
        self.row = row
        self.own = list(dict.fromkeys(name.split(".")[0] for name in names))
        self.modules = reached(book, self.own)
        self.strength = min(proved.get(name, (ledger.NOT_SHOWN, 0)) for name in names)
        self.links = links(book, self.modules, names, proved)
        self.way = f"{row['from']} → {row['to']}" if row["from"] else ""
        self.takes = handed(book, self.own, before, has_rule) if row["from"] else [[], []]


def parts(book, paths, proved):
    """The parts of the statement, in their order. Ends the program if one has no rule, or if a step takes nothing from the one in front of it."""
    rules, listed, found, before = rules_of(paths), parts_of(), [], None
    has_rule = ruled(rules)
    check_way(listed)
    for row in listed:
        names = [names for rule, names in rules.items() if rule.startswith(row["rule"])]
        if len(names) != 1:
            raise SystemExit(f"{PATH}: {len(names)} rules begin with '{row['rule']}'")
        found.append(Part(book, row, names[0], proved, before or [], has_rule))
        if row["from"]:
            if before is not None and not any(found[-1].takes):
                raise SystemExit(f"{PATH}: '{row['part']}' takes nothing for granted that the step in front of it shows")
            before = found[-1].own
    return found


def rows(found):
    """A line for each part: what it says, from where to where, how strong its own properties are, and its weakest link; how many links there are, and of
    which kinds. The last line is of all, each link once."""
    of_all = {link for part in found for link in part.links}
    for part in found:
        yield [part.row["part"], part.way, ledger.said(part.strength), ledger.said(part.links[0][0]), len(part.links), *counts(at for at, _ in part.links)]
    yield ["**all of it**, each link once", "", ledger.said(min(part.strength for part in found)), ledger.said(min(of_all)[0]), len(of_all),
           *counts(at for at, _ in of_all)]


def page(found):
    """The lines of a page with all that a part rests on."""
    for part in found:
        yield from [f"## {part.row['part'][0].upper()}{part.row['part'][1:]}", "", f"By the rule \"{part.row['rule']}…\"" + (f", {part.way}." if part.way else "."), ""]
        for what, names in zip(("It takes for granted what the step in front shows, the very expressions, of the same wires:",
                                "And what follows, as people have read it, from:"), part.takes):
            if names:
                yield from [f"{what} {', '.join(names)}.", ""]
        yield from [f"Shown by properties of {', '.join(f'`{module}`' for module in part.own)}.", ""]
        if part.modules[len(part.own):]:
            yield from [f"These rest on {', '.join(f'`{module}`' for module in part.modules[len(part.own):])}.", ""]
        for heading, kinds in COUNTED.items():
            names = [what for (kind, _), what in part.links if kind in kinds]
            if names and kinds != {ledger.UNBOUNDED}:
                yield from [f"Links that are {heading}: {', '.join(names)}.", ""]
        yield from [f"Of {len(part.links)} links, {sum(kind == ledger.UNBOUNDED for (kind, _), _ in part.links)} are unbounded.", ""]
