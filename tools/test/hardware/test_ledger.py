"""What proofs rest on: nothing is taken for granted that nobody shows, and no rule is called stronger than the weakest in its chain."""
import os
import sys

import pytest

ROOT = os.path.abspath(os.path.join(os.path.dirname(__file__), "../../.."))
sys.path.insert(0, os.path.join(ROOT, "formal"))
import chain  # noqa: E402
import ledger  # noqa: E402
import run as runner  # noqa: E402
import table  # noqa: E402

PROPS = "module m_props;\n  // Somebody sees to it.\n  e_one : assume (1);\n  // Reset.\n  e_reset : assume (1);\n  // Said.\n  a_own : assert (1);\nendmodule\n"
PROVED = {"m.a_own": (ledger.UNBOUNDED, 0), "n.a_own": (ledger.UNBOUNDED, 0), "n.a_short": (ledger.BOUNDED, 7)}


@pytest.fixture(name="book")
def make_book(tmp_path, monkeypatch):
    """A function that makes a ledger of modules m and n, each with one assumption, from rows of text."""
    (tmp_path / "formal").mkdir()
    (tmp_path / "rtl").mkdir()
    for module in "mn":
        (tmp_path / f"formal/{module}_props.sv").write_text(PROPS.replace("m_props", f"{module}_props"))
    (tmp_path / "rtl/n.sv").write_text("module n;\n  // Room.\n  a_room : assert (1);\nendmodule\n")
    monkeypatch.chdir(tmp_path)
    # Of another module, which no proof reads, and has a property of the same name.
    (tmp_path / "rtl/else.sv").write_text("module else;\n  // Room.\n  a_room : assert (1);\nendmodule\n")
    tasks = [{"name": f"{m}-1", "props": f"formal/{m}_props.sv", "files": [f"formal/{m}_props.sv", "rtl/n.sv"]} for m in "mn"]
    tasks[0]["contracts"] = ["u_dut.a_room"]

    def make(*rows):
        (tmp_path / "ledger.csv").write_text("module,name,by,why\n" + "".join(row + "\n" for row in rows))
        return ledger.Ledger(tasks, "ledger.csv")
    return make


WAY = "part,from,to,rule\nin,AXI-Stream in,here,Not\nout,here,AXI-Stream out,It is\n"
GOOD = ("m,e_one,proved n.a_own,", "n,e_one,host,hosts do so")


def test_good(book):
    """A contract is what simulation checks; a condition on hosts weakens nothing; the beginning needs no row."""
    good = book(*GOOD)
    assert good.troubles(PROVED) == []
    assert good.rows[("m", "u_dut.a_room")] == [("sim", "n.a_room")]
    assert good.strengths(PROVED) == {"m": (ledger.SIMULATED, 0), "n": (ledger.UNBOUNDED, 0)}


@pytest.mark.parametrize("rows, words", [
    (GOOD[:1], "n takes e_one for granted, and no row"),
    ((*GOOD, "m,e_two,host,nobody"), "nothing of this name"),
    (("m,e_one,proved n.a_else,", GOOD[1]), "n.a_else is no proved property"),
    (("m,e_one,sim n.a_else,", GOOD[1]), "n.a_else is no assertion of the RTL"),
    (("m,e_one,argued,", GOOD[1]), "'argued' needs words"),
    (("m,e_one,believed,because", GOOD[1]), "'believed' is no way"),
    (("m,e_one,proved,", GOOD[1]), "'proved' is no way"),
    (("m,e_one,proved n.a_own,", "n,e_one,proved m.a_own,"), "a circle without a register between: m rests on n rests on m"),
])
def test_troubles(book, rows, words):
    lines = book(*rows).troubles(PROVED)
    assert len(lines) == 1 and words in lines[0]


def test_chain(book, tmp_path):
    """Of each part of the theorem it is said how strong it is by itself and with all that it rests on, and how many links of each kind that are."""
    (tmp_path / "rules.csv").write_text("rule,source,properties\nIt is so.,paper,m.a_own\nNot at all.,paper,n.a_own\n")
    (tmp_path / "formal/theorem.csv").write_text(WAY + "all of it,,,It is\n")
    good = book(*GOOD)
    found = chain.parts(good, ["rules.csv"], PROVED)
    assert [part.takes for part in found] == [[[], []], [[], ["`n.a_own`"]], [[], []]]
    *steps, line, of_all = chain.rows(found)
    assert steps == [["in", "AXI-Stream in → here", "unbounded", "unbounded", 2, 2, "", "", ""], ["out", "here → AXI-Stream out", "unbounded", "simulated", 4, 3, "", 1, ""]]
    assert line == ["all of it", "", "unbounded", "simulated", 4, 3, "", 1, ""] and of_all[1:] == line[1:]
    page = "\n".join(chain.page(found))
    assert "These rest on `n`." in page and "Links that are simulated or argued: `u_dut.a_room` of m." in page and "people have read it, from: `n.a_own`." in page
    # A stale property is no link.
    *_, line, of_all = chain.rows(chain.parts(good, ["rules.csv"], PROVED | {"n.a_own": (ledger.NOT_SHOWN, 0)}))
    assert line == ["all of it", "", "unbounded", "**not shown**", 4, 2, "", 1, 1] and of_all[2:] == ["**not shown**", *line[3:]]
    (tmp_path / "formal/theorem.csv").write_text(WAY + "all of it,,,It was\n")
    with pytest.raises(SystemExit, match="0 rules begin"):
        chain.parts(good, ["rules.csv"], PROVED)


@pytest.mark.parametrize("steps, words", [
    ("in,AXI-Stream in,here,Not\nout,there,AXI-Stream out,Not\n", "a gap between here and there"),
    ("in,AXI-Stream in,here,Not\n", "ends at here"),
    ("out,here,AXI-Stream out,Not\n", "a gap between AXI-Stream in and here"),
    ("in,AXI-Stream in,here,It is\nout,here,AXI-Stream out,Not\n", "'out' takes nothing for granted that the step in front"),
    ("", "ends at AXI-Stream in")])
def test_way(book, tmp_path, steps, words):
    """What becomes of a byte is said at each place between the device's input and its output."""
    (tmp_path / "rules.csv").write_text("rule,source,properties\nIt is so.,paper,m.a_own\nNot at all.,paper,n.a_own\n")
    (tmp_path / "formal/theorem.csv").write_text("part,from,to,rule\n" + steps)
    with pytest.raises(SystemExit, match=words):
        chain.parts(book(*GOOD), ["rules.csv"], PROVED)


def test_two_rows(book):
    with pytest.raises(SystemExit, match="two rows of m e_one"):
        book(*GOOD, GOOD[0])


@pytest.mark.parametrize("by, strength", [
    ("proved n.a_own", (ledger.SIMULATED, 0)), ("proved n.a_short", (ledger.SIMULATED, 0)), ("proved n.a_own; argued", (ledger.ARGUED, 0)),
    ("proved n.a_none", (ledger.NOT_SHOWN, 0))])
def test_weakest(book, by, strength):
    """The weakest of all that is needed."""
    assert book(f"m,e_one,{by},so", GOOD[1]).strengths(PROVED)["m"] == strength


def test_weak_far_away(book):
    """Over a circle with a register between, what is weak in one module is weak in both."""
    around = book("m,e_one,later n.a_own,", "n,e_one,proved m.a_own; argued,so")
    assert around.troubles(PROVED) == []
    assert around.strengths(PROVED) == {"m": (ledger.ARGUED, 0), "n": (ledger.ARGUED, 0)}


def test_bound(book):
    assert book(GOOD[0], "n,e_one,proved n.a_short,").strengths(PROVED)["n"] == (ledger.BOUNDED, 7)


def test_stale_shows_nothing():
    row = {"module": "n", "property": "a_own", "kind": "unbounded", "bound": ""}
    assert ledger.proved_of([row], lambda row: True) == {"n.a_own": (ledger.NOT_SHOWN, 0)}
    assert ledger.proved_of([row, row | {"kind": "bounded", "bound": "9"}], lambda row: False) == {"n.a_own": (ledger.BOUNDED, 9)}


@pytest.mark.parametrize("name, by, fails", [("e_one", "proved n.a_own", False), ("e_one", "later n.a_own", False), ("e_one", "argued", True),
                                             ("e_one", "proved n.a_own; argued", True), ("u_dut.a_room", "sim n.a_room", True)])
def test_unneeded(book, name, by, fails):
    """What a task needs for nothing is needed by another task of its file, or shown by a proof."""
    rows = [f"m,{name},{by},so", *(row for row in GOOD if not row.startswith(f"m,{name},"))]
    one = book(*rows)
    task, = one.tasks["m"]
    task["unneeded"] = [name]
    assert [line for line in one.troubles(PROVED) if "changes nothing" in line] == [line for line in one.needless()]
    assert any(name in line for line in one.needless()) == fails
    one.tasks["m"].append(task | {"name": "m-2"})
    assert len(list(one.needless())) == 2 * fails
    one.tasks["m"][1]["unneeded"] = []
    assert list(one.needless()) == []


def test_of_the_project(monkeypatch):
    """All proofs of the project: nothing is missing, and taking any row away is seen."""
    monkeypatch.chdir(ROOT)
    tasks = runner.load()
    proved = ledger.proved_of(table.read_status(), lambda row: False)
    whole = ledger.Ledger(tasks)
    assert whole.troubles(proved) == []
    for key in list(whole.rows):
        kept = whole.rows.pop(key)
        assert any(key[1] in line for line in whole.troubles(proved)), key
        whole.rows[key] = kept
