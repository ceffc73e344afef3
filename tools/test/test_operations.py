"""docs/operations.md names what there is: registers and fields of the map, fates, causes of an interrupt, reasons of a refusal; and leaves none out."""
import pathlib
import re

ROOT = pathlib.Path(__file__).resolve().parents[2]
PAGE = (ROOT / "docs/operations.md").read_text(encoding="utf-8")
REGISTER = re.compile(r"\b([A-Z]+(?:_[A-Z0-9]+)+|ID|VERSION|EPOCH)\b(?:\.([a-z]\w*))?")
NOT_REGISTERS = {"SYNTH_CONFIGS"}


def registers():
    """Of the map: {register: {field: what it means}}, from the page that is made of it."""
    found = {}
    for line in (ROOT / "docs/registers/aggregator.md").read_text(encoding="utf-8").splitlines():
        cells = [cell.strip() for cell in re.split(r"(?<!\\)\|", line)]
        if re.match(r"\| 0x", line):
            found[re.match(r"\*\*(\w+)\*\*", cells[2])[1]] = fields = {}
        elif re.match(r"\| \| `", line):
            fields[cells[2].strip("`")] = cells[6]
    return found


def section(title):
    return re.search(rf"^## {title}\n(.*?)(?=^## |\Z)", PAGE, re.M | re.S)[1]


def first_cells(text):
    """Words in backticks in the first column of its tables."""
    return {word for line in text.splitlines() if line.startswith("|") for word in re.findall(r"`(\w+)`", line.split("|")[1])}


def test_what_is_named_exists():
    known, named = registers(), REGISTER.findall(PAGE)
    assert len(named) > 40
    assert [name for name, _ in named if name not in known and name not in NOT_REGISTERS] == []
    assert [f"{name}.{field}" for name, field in named if field and field not in known.get(name, {})] == []


def test_every_register_is_named():
    named = {name for name, _ in REGISTER.findall(PAGE)}
    # Those of a tree, and the words of an address, are told by their first and last.
    between = re.compile(r"RELAY_|CONN_(SRC|DST)[12]$")
    assert [name for name in registers() if name not in named and not between.match(name)] == []


def test_fates_are_those_of_the_device():
    fates = set(re.findall(r'\[FATE_\w+\] = "(\w+)",$', (ROOT / "lib/wire/fate.c").read_text(encoding="utf-8"), re.M))
    assert len(fates) == 20
    assert first_cells(section("What is counted, and what it tells")) == fates


def test_causes_are_those_of_the_device():
    causes = set(registers()["IRQ_CAUSE"])
    assert first_cells(section("When something stands still").split("`irq_o`")[1]) == causes


def test_reasons_are_those_of_the_device():
    said = re.findall(r"(\d) ", re.sub(r"^.*?Why: ", "", registers()["RING_COMMAND"]["why"]))
    told = re.findall(r"^\| (\d) \|", section("A job comes"), re.M)
    assert told == [number for number in said if number != "0"]
