"""The end-to-end statement of docs/proofs.md: formal/theorem.csv names the rules that it is made of, and here is worked out what each rests on.

A rule is shown by properties of modules. Those take things for granted that the ledger says who shows: other modules' properties, and so on. All
modules that are reached that way are the rule's chain; it is as strong as its weakest link, and the links that are weakest are named.

Parts with `from` and `to` are the way of a byte through the device: each begins where the one in front of it ends, and what its proofs take for
granted is shown, in part at least, by those of the one in front. A gap is an error."""
import csv

import ledger

PATH = "formal/theorem.csv"
# Where the way of a byte begins and ends.
ENDS = ("AXI-Stream in", "AXI-Stream out")
# So many links of a kind are named; of more the number is said.
NAMED = 4


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


def listed(names):
    """Some of these, and how many more there are."""
    return ", ".join(names[:NAMED]) + (f" and {len(names) - NAMED} more" if len(names) > NAMED else "")


def told(found, strength):
    """The links of this strength."""
    return listed([what for at, what in found if at == strength])


def rules_of(paths):
    """{rule: its properties} of all files of rules."""
    found = {}
    for path in paths:
        with open(path, encoding="utf-8", newline="") as f:
            found |= {row["rule"]: row["properties"].split() for row in csv.DictReader(f)}
    return found


def check_way(parts):
    """Ends the program if the parts that are steps of a byte's way are not one way from the device's input to its output."""
    steps = [(part["from"], part["to"]) for part in parts if part["from"] or part["to"]]
    places = [ENDS[0]] + [end for _, end in steps]
    for (begin, end), place in zip(steps, places):
        if begin != place:
            raise SystemExit(f"{PATH}: a gap between {place} and {begin}: no part says what becomes of a byte there")
    if places[-1] != ENDS[1]:
        raise SystemExit(f"{PATH}: the way of a byte ends at {places[-1]}, not at {ENDS[1]}")


def handed(book, modules, before):
    """What the modules of a step take for granted and those of the step in front show: of one expression, and read by people."""
    found = {(how == "same", what[0]) for module in modules for name in book.owed.get(module, ()) for how, *what in book.rows.get((module, name), [])
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
    (shown, same), (all_shown, all_same) = compared(book, way), compared(book, book.owed)
    return (f"Of {shown} things that the modules of the seven steps take for granted of others, {same} are the very expression that the others' proofs show, of the "
            f"same wires: one text, which `formal/handover.py` finds in both proofs (`the same` in the ledger). The other {shown - same} are two sentences, and that one "
            f"follows from the other, people have read. Of all modules it is {all_same} of {all_shown}.")


def parts_of():
    """The rows of the statement."""
    with open(PATH, encoding="utf-8", newline="") as f:
        return list(csv.DictReader(f))


def rows(book, paths, proved):
    """A line for each part of the statement: what it says, the rule, its chain, how strong it is, and what holds it down."""
    rules = rules_of(paths)
    parts = parts_of()
    check_way(parts)
    before = None
    for part in parts:
        names = [names for rule, names in rules.items() if rule.startswith(part["rule"])]
        if len(names) != 1:
            raise SystemExit(f"{PATH}: {len(names)} rules begin with '{part['rule']}'")
        own = list(dict.fromkeys(name.split(".")[0] for name in names[0]))
        modules = reached(book, own)
        found = links(book, modules, names[0], proved)
        weakest = found[0][0]
        # What is left when the stale rows are proved anew.
        beyond = min((at for at, _ in found if at[0] != ledger.NOT_SHOWN), default=weakest)
        said = ledger.said(weakest)
        held = told(found, weakest) if weakest[0] != ledger.UNBOUNDED else ""
        if weakest[0] == ledger.NOT_SHOWN:
            said += f"; those aside {ledger.said(beyond)}"
            held += "" if beyond[0] == ledger.UNBOUNDED else f"; then {told(found, beyond)}"
        chain = " ".join(f"`{module}`" for module in own) + (f" → {len(modules) - len(own)} more" if len(modules) > len(own) else "")
        way, takes = "", [[], []]
        if part["from"]:
            way = f"{part['from']} → {part['to']}"
            takes = handed(book, own, before or [])
            if before is not None and not any(takes):
                raise SystemExit(f"{PATH}: '{part['part']}' takes nothing for granted that the step in front of it shows")
            before = own
        yield [part["part"], way, *map(listed, takes), f"{part['rule']}…", chain, said, held]
