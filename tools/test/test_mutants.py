"""tools/mutants.py: a mistake that is seen, one that nobody sees, and one that cannot be built, which proves nothing."""
import json
import pathlib
import re
import subprocess
import sys

import pytest

PROGRAM = pathlib.Path(__file__).parents[1] / "mutants.py"
# A test that wants `good`; it is built unless its source says `broken`, and its device when it runs, unless that says `late`.
MAKEFILE = """
unit-build soak-build: text
\t@! grep broken text
unit:
\t@grep -q good text || { echo 'not ok - text'; exit 1; }
build/sim/soak: text
"""
SOAK = """#!/bin/bash
if grep -q late text; then echo 'device tiny could not be built; make says why'; exit 1; fi
grep -q good text || { echo 'seed 1: 1 mismatches'; exit 1; }
"""


@pytest.fixture
def mutants(tmp_path):
    """`mutants(new, ..)`: runs it on a project whose `text` is made each of these in turn; exit code, what it printed."""
    def run(*texts, test="text", table=None):
        (tmp_path / "tools").mkdir()
        (tmp_path / "Makefile").write_text(MAKEFILE, encoding="utf-8")
        (tmp_path / "text").write_text("good\n", encoding="utf-8")
        (tmp_path / "build/sim").mkdir(parents=True)
        (tmp_path / "build/sim/soak").write_text(SOAK, encoding="utf-8")
        (tmp_path / "build/sim/soak").chmod(0o755)
        listed = [{"name": f"text_is_{text}", "sentence": "", "file": "text", "old": "good", "new": text, "tests": [test]} for text in texts]
        (tmp_path / "tools/mutants.json").write_text(json.dumps(listed), encoding="utf-8")
        subprocess.run(["git", "init", "-q"], cwd=tmp_path, check=True)
        done = subprocess.run([sys.executable, PROGRAM, *(["--table", table] if table else [])], cwd=tmp_path, capture_output=True, text=True, check=False)
        text = (tmp_path / "build/mutants/tree/text").read_text(encoding="utf-8")
        assert text == "good\n", "the copy is as it was"
        return done.returncode, done.stdout
    return run


@pytest.mark.parametrize("test", ["text", "soak"])
def test_seen(mutants, test):
    code, said = mutants("bad", test=test)
    assert code == 0 and re.match(rf"ok text_is_bad \(1/1, \d+ s\): {test}: ", said) and said.endswith("\n1 passed, 0 failed\n")


@pytest.mark.parametrize("test", ["text", "soak"])
def test_nobody_saw_it(mutants, test):
    code, said = mutants("goodish", test=test)
    assert code == 1 and "not ok text_is_goodish" in said and "NOBODY SAW IT" in said and said.endswith("\n0 passed, 1 failed\n")


@pytest.mark.parametrize("test", ["text", "soak"])
def test_cannot_be_built(mutants, test):
    code, said = mutants("broken", "bad", test=test)
    assert code == 1 and f"not ok text_is_broken (1/2): {test} cannot be built, which proves nothing" in said
    assert "\nok text_is_bad (2/2" in said and said.endswith("\n1 passed, 1 failed\n")


def test_device_cannot_be_built(mutants):
    code, said = mutants("late", test="soak")
    assert code == 1 and "not ok text_is_late (1/1): soak cannot be built" in said


@pytest.mark.parametrize("test", ["text", "soak"])
def test_table_has_a_row_for_each(mutants, tmp_path, test):
    """Also for one that nobody saw, and one that cannot be built: a mistake without a row is one that nobody misses."""
    code, _ = mutants("broken", "goodish", "bad", "late", test=test, table="table.md")
    rows = dict(line.split(" | ")[::3] for line in (tmp_path / "table.md").read_text(encoding="utf-8").splitlines() if "`text`" in line)
    assert code == 1 and list(rows) == [f"| text_is_{text}" for text in ("broken", "goodish", "bad", "late")]
    assert rows["| text_is_broken"] == f"**nobody could: {test} cannot be built** |"
    assert rows["| text_is_goodish"] == "**nobody** |"
    assert rows["| text_is_bad"].startswith(f"{test}: ")
    assert ("cannot be built" in rows["| text_is_late"]) == (test == "soak")


def test_each_mistake_can_be_made():
    """What a mistake replaces stands in its file once: files move, and lines change."""
    root = PROGRAM.parents[1]
    gone = []
    for mistake in json.loads((root / "tools/mutants.json").read_text(encoding="utf-8")):
        path = root / mistake["file"]
        if not path.exists() or path.read_text(encoding="utf-8").count(mistake["old"]) != 1:
            gone.append(mistake["name"])
    assert not gone


def test_the_page_is_of_these_mistakes():
    """docs/mutants.md has a row for each, and names its file as it is called today (tools/mutants.py --names docs/mutants.md)."""
    root = PROGRAM.parents[1]
    rows = [line.split(" | ")[:3] for line in (root / "docs/mutants.md").read_text(encoding="utf-8").splitlines() if " | `" in line]
    listed = json.loads((root / "tools/mutants.json").read_text(encoding="utf-8"))
    assert rows == [[f"| {m['name']}", m["sentence"], f"`{m['file']}`"] for m in listed]


def test_names_of_today(mutants, tmp_path):
    """Files that moved come into the table without a run; what was seen stays, bars and all."""
    mutants("bad", "worse", table="table.md")
    table, before = tmp_path / "table.md", (tmp_path / "table.md").read_text(encoding="utf-8")
    table.write_text(before.replace("`text`", "`old/text`").replace(": not ok", ": a \\| not ok"), encoding="utf-8")
    done = subprocess.run([sys.executable, PROGRAM, "--names", "table.md"], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 0 and table.read_text(encoding="utf-8") == before.replace(": not ok", ": a \\| not ok")
    table.write_text(before.replace("text_is_bad", "text_is_gone"), encoding="utf-8")
    done = subprocess.run([sys.executable, PROGRAM, "--names", "table.md"], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 1 and "other mistakes" in done.stderr
