"""When a proof is stale: whatever the prover sees of its task has changed, and nothing else. A quick run believes no row, and a rule names what there is."""
import copy
import csv
import glob
import os
import subprocess
import sys
import tomllib

import pytest

ROOT = os.path.abspath(os.path.join(os.path.dirname(__file__), "../../.."))
sys.path.insert(0, os.path.join(ROOT, "formal"))
import run as runner  # noqa: E402
import sources  # noqa: E402
import staleness  # noqa: E402
import table  # noqa: E402

PACKAGE = """
package house_pkg;
  localparam int unsigned Width = 4;
  localparam int unsigned Depth = Width * 2;
  typedef enum logic [1:0] {Red = 2'd0, Green = 2'd1} color_e;
  typedef struct packed {
    logic [Width-1:0] data;
    color_e           color;
  } entry_t;
  typedef struct packed {
    logic other;
  } other_t;
  /// Doubles it.
  function automatic logic [Width-1:0] twice(logic [Width-1:0] a);
    twice = a << 1;
  endfunction
endpackage
"""
MODULE = "module m import house_pkg::*; (input entry_t in_i, output logic [3:0] out_o); assign out_o = twice(in_i.data); endmodule\n"
TASK = {"name": "m-1", "parameters": ["N=2"], "engine": "abc pdr", "depth": 8, "props": "m.sv", "quick": True, "timeout": 900,
        "mutants": [{"name": "wrong", "task": "m-1", "sentence": "it is wrong", "file": "m.sv", "old": "1", "new": "2"}]}


@pytest.fixture
def house(tmp_path):
    """hash(package, module, task): of sources as they would be."""
    def inputs(package=PACKAGE, module=MODULE, task=TASK):
        (tmp_path / "house_pkg.sv").write_text(package)
        (tmp_path / "m.sv").write_text(module)
        return staleness.inputs_of(task | {"files": [str(tmp_path / "house_pkg.sv"), str(tmp_path / "m.sv")]})
    return inputs


@pytest.mark.parametrize("old, new", [
    ("Width = 4", "Width = 5"),                            # of a struct that the module names, and of a function's types
    ("color_e           color", "logic [1:0] color"),      # a field
    ("Green = 2'd1", "Green = 2'd2"),                      # the type of a field
    ("a << 1", "a << 2"),                                  # a function
], ids=["a constant", "a field", "a value", "a function"])
def test_what_the_module_names_counts(house, old, new):
    assert old in PACKAGE
    assert house() != house(package=PACKAGE.replace(old, new))


@pytest.mark.parametrize("old, new", [
    ("logic other;", "logic other, another;"),
    ("Width * 2", "Width * 3"),
    ("/// Doubles it.", "// Twice."),
    ("endpackage", "  typedef logic [7:0] byte_t;\nendpackage"),
], ids=["another struct", "a constant nobody names", "a comment", "a type more"])
def test_what_nobody_names_does_not(house, old, new):
    assert old in PACKAGE
    assert house() == house(package=PACKAGE.replace(old, new))


def test_the_module_counts(house):
    assert house() != house(module=MODULE.replace("in_i.data", "~in_i.data"))
    assert house() == house(module="// Why.\n" + MODULE)


@pytest.mark.parametrize("key, value", [("engine", "smtbmc yices"), ("depth", 9), ("parameters", ["N=3"]), ("cuts", ["u_dut.a"]),
                                        ("bound", 12), ("contracts", ["u_dut.a_b"]), ("only", ["u_dut.a_c"])])
def test_what_the_task_says_counts(house, key, value):
    assert house() != house(task=TASK | {key: value})


@pytest.mark.parametrize("key, value", [("old", "3"), ("new", "3"), ("name", "right"), ("by", ["a_b"])])
def test_mutants_count(house, key, value):
    task = copy.deepcopy(TASK)
    task["mutants"][0][key] = value
    assert house() != house(task=task)


@pytest.mark.parametrize("key, value", [("timeout", 100), ("quick", False), ("reason", "because")])
def test_when_and_why_does_not(house, key, value):
    assert house() == house(task=TASK | {key: value})


class Job:
    """As much of a job as a row is made of."""

    def __init__(self, task, kind, what=None):
        self.task, self.kind, self.what = task, kind, what
        self.text = {path: open(path, encoding="utf-8").read() for path in task["files"]}


def test_a_row_that_says_something_else_is_told(tmp_path, monkeypatch):
    monkeypatch.setattr(table, "commit_of", lambda _task: "0000000")
    (tmp_path / "m.sv").write_text(MODULE)
    task = TASK | {"files": [str(tmp_path / "m.sv")], "props": str(tmp_path / "m_props.sv")}
    cell = lambda name: {"name": name, "flavor": "assert", "constant": False, "file": str(tmp_path / "m.sv"), "line": 1}
    result = {"seconds": 1.0, "cells": [cell("a_one"), cell("a_two")], "failed": [], "reached": {}}
    rows = table.rows_of(Job(task, "prove"), result)
    row = lambda name, **more: {"task": "m-1", "kind": "unbounded", "property": name, "bound": "", "inputs": staleness.inputs_of(task)} | more
    assert len(rows) == 2
    differences = lambda committed: table.differences([(Job(task, "prove"), result)], committed)
    assert differences([row("a_one"), row("a_two")]) == []
    assert "a_two (unbounded) is not in" in differences([row("a_one")])[0]
    assert "a_three (unbounded) is in formal/status.csv only" in differences([row("a_one"), row("a_two"), row("a_three")])[0]
    assert len(differences([row("a_one", kind="bounded", bound="8"), row("a_two")])) == 2
    # Of other sources, nothing can be said.
    assert differences([row("a_one", inputs="0"), row("a_four", inputs="0")]) == []


def test_what_is_left_to_another_size_is_no_row_of_its_own(tmp_path, monkeypatch):
    monkeypatch.setattr(table, "commit_of", lambda _task: "0000000")
    (tmp_path / "m.sv").write_text(MODULE)
    task = TASK | {"files": [str(tmp_path / "m.sv")], "props": str(tmp_path / "m_props.sv"), "left": {"task": "m-2", "names": ["a_two"]}}
    cell = lambda name: {"name": name, "flavor": "assert", "constant": False, "file": str(tmp_path / "m.sv"), "line": 1}
    result = {"seconds": 1.0, "cells": [cell("a_one"), cell("a_two")], "failed": [], "reached": {}}
    assert [row["property"] for row in table.rows_of(Job(task, "prove"), result)] == ["a_one"]
    there = {"task": "m-2", "property": "a_two", "kind": "unbounded", "sentence": "Two."}
    left = lambda rows, stale=False: list(table.left_rows([task], rows, lambda _row: stale))
    assert left([there]) == [["m-1", "`a_two`", "Two.", "`m-2`", "unbounded"]]
    assert left([there], True)[0][-1] == "**stale**"
    assert left([there | {"property": "a_one"}])[0][-1] == "**not shown**"


@pytest.mark.parametrize("other", [{"name": "m-3"}, {"props": "n_props.sv"}, {"bound": 9}, {"contracts": ["a_two"]},
                                   {"left": {"task": "m-1", "names": ["a_two"]}}])
def test_nothing_is_left_to_who_does_not_show_it(other):
    task = TASK | {"props": "m_props.sv", "left": {"task": "m-2", "names": ["a_two"]}}
    good = TASK | {"props": "m_props.sv", "name": "m-2"}
    runner.check_left(task, [task, good])
    with pytest.raises(SystemExit, match="m-1 leaves"):
        runner.check_left(task, [task, good | other])


def test_a_cover_may_be_left_to_a_bounded_task():
    task = TASK | {"props": "m_props.sv", "left": {"task": "m-2", "names": ["c_one"]}}
    runner.check_left(task, [task, TASK | {"props": "m_props.sv", "name": "m-2", "bound": 9}])


TASK_OF_ROWS = "prim_arb_rr-3"   # the quickest that is quick


@pytest.fixture(scope="module")
def rows():
    """The committed rows."""
    with open(os.path.join(ROOT, table.STATUS), encoding="utf-8") as f:
        return f.read().split("\n")


def quick(tmp_path, rows):
    """A quick run of a task, as `make check` has it, with these rows in place of the committed ones: exit code and output."""
    status = tmp_path / "status.csv"
    status.write_text("\n".join(rows))
    run = ("import sys; sys.path.insert(0, 'formal'); import run, table; table.STATUS = sys.argv.pop(1); "
           "sys.argv[1:] = ['--quick', '--only', sys.argv[1]]; run.__file__ = 'formal/run.py'; sys.exit(run.main())")
    done = subprocess.run([sys.executable, "-c", run, str(status), TASK_OF_ROWS], cwd=ROOT, text=True, capture_output=True, check=False,
                          env=os.environ | {"BUILD": str(tmp_path)})
    return done.returncode, done.stdout + done.stderr


def test_a_quick_run_agrees_with_its_rows(tmp_path, rows):
    code, said = quick(tmp_path, rows)
    assert code == 0 and "not ok" not in said, said


@pytest.mark.parametrize("old, new, told", [
    (",unbounded,,", ",bounded,9,", "bounded 9) is in formal/status.csv only"),
    ("a_", "a_other_", "is not in formal/status.csv"),
    (None, "", "is not in formal/status.csv"),
], ids=["another bound", "another property", "a row less"])
def test_a_quick_run_fails_where_a_row_says_something_else(tmp_path, rows, old, new, told):
    at = next(i for i, row in enumerate(rows) if f",{TASK_OF_ROWS}," in row and ",unbounded," in row)
    changed = rows[at].replace(old, new, 1) if old else None
    assert changed != rows[at]
    code, said = quick(tmp_path, rows[:at] + ([changed] if changed else []) + rows[at + 1:])
    assert code == 1 and "not ok formal row" in said and told in said, said


@pytest.mark.parametrize("path", sorted(table.RULES.values()))
def test_rules_name_properties_that_there_are(path):
    """One that was renamed would stand there as not proved, at the next run of its task."""
    house = {os.path.basename(name)[:-3]: name for folder in ("rtl", "formal") for name in glob.glob(f"{ROOT}/{folder}/**/*.sv", recursive=True)}
    within = {name: set(sources.labels(name, "a_")) for name in house.values()}
    with open(os.path.join(ROOT, path), encoding="utf-8", newline="") as f:
        named = {tuple(name.split(".")) for row in csv.DictReader(f) for name in row["properties"].split()}
    assert named
    for module, *places, label in named:
        # In the property file itself, or somewhere inside.
        assert label in within[house[f"{module}_props"]] if not places else any(label in found for found in within.values()), f"{module}: {label}"


@pytest.mark.parametrize("path", sorted(os.path.relpath(name, ROOT) for name in glob.glob(f"{ROOT}/formal/**/*.toml", recursive=True)))
def test_mutants_of_proofs_can_be_made(path):
    """What a mutant changes stands once in its file; else its task could not be proved anew."""
    with open(os.path.join(ROOT, path), "rb") as f:
        mutants = tomllib.load(f)["mutant"]
    for mutant in mutants:
        with open(os.path.join(ROOT, mutant["file"]), encoding="utf-8") as f:
            assert f.read().count(mutant["old"]) == 1, mutant["name"]
