"""Rows of formal/status.csv that nobody proved: whatever is changed, added or taken away by hand is seen by every `make check`."""
import multiprocessing
import os
import sys
import time
import types

import pytest

ROOT = os.path.abspath(os.path.join(os.path.dirname(__file__), "../../.."))
sys.path.insert(0, os.path.join(ROOT, "formal"))
import lock  # noqa: E402
import rows as by_hand  # noqa: E402
import run as runner  # noqa: E402
import staleness  # noqa: E402
import table  # noqa: E402


def load():
    """All tasks of the project, and for each the kinds of its rows, if they are of today's sources."""
    here = os.getcwd()
    os.chdir(ROOT)
    tasks = runner.load()
    stale = table.stale_tasks(tasks)
    kinds = {name: {row["kind"] for row in rows} for name, rows in table.by_task(table.read_status()).items() if name not in stale}
    os.chdir(here)
    return tasks, kinds


TASKS, KINDS = load()


def one_with(*kinds, engine=""):
    """The name of a task that no run of `make check` proves anew, and that has rows of all these kinds."""
    return next(task["name"] for task in TASKS
                if not task.get("quick", True) and task["engine"].startswith(engine) and set(kinds) <= KINDS.get(task["name"], set()))


SLOW = one_with("unbounded", "covered", "assumption", "contract", "mutant", engine="smtbmc")
BOUNDED = one_with("bounded")


@pytest.fixture(scope="module", name="tasks")
def make_tasks():
    """All of the project."""
    return TASKS


@pytest.fixture(name="forge")
def make_forge(tasks, tmp_path, monkeypatch):
    """forge(edit): what is said of a task's rows when edit(its rows) has changed them. Of that task alone: to ask all of them takes more than a second."""
    monkeypatch.chdir(ROOT)
    found = table.by_task(table.read_status())
    known = staleness.read()
    monkeypatch.setattr(table, "STATUS", str(tmp_path / "status.csv"))
    monkeypatch.setattr(staleness, "PATH", str(tmp_path / "designs.csv"))
    staleness.write(known, tasks)

    def forge(edit, name=SLOW, reckoned=False):
        """`reckoned`: the hash of the rows was made anew as well."""
        rows = found[name]
        edit(rows)
        table.write_rows(rows)
        if reckoned:
            staleness.write(known | {name: known[name] | {"rows": by_hand.digest(table.by_task(table.read_status())[name])}}, tasks)
        return table.forged([task for task in tasks if task["name"] == name])
    return forge


def first(rows, kind):
    return next(row for row in rows if row["kind"] == kind)


def test_as_they_are(tasks, monkeypatch):
    monkeypatch.chdir(ROOT)
    assert table.forged(tasks) == []


def changed(of, **values):
    """An edit: these columns of the first row of this kind."""
    return lambda rows: first(rows, of).update(values)


def taken_away(kind):
    return lambda rows: rows.remove(first(rows, kind))


def invented(of, **values):
    return lambda rows: rows.append(first(rows, of) | values)


# What the task alone denies, whatever hash stands beside it.
DENIED = {
    "another bound": (BOUNDED, changed("bounded", bound="1000"), "'1000' as its bound"),
    "without bound": (BOUNDED, changed("bounded", kind="unbounded", bound="", note=""), "as its kind, and the task says 'bounded'"),
    "another engine": (SLOW, changed("unbounded", engine="abc pdr"), "'abc pdr' as its engine"),
    "another module": (SLOW, changed("unbounded", module="agg_lookup"), "as its module"),
    "it says more": (SLOW, changed("unbounded", sentence="Nothing is ever wrong."), "says 'Nothing is ever wrong.'"),
    "a property that there is not": (SLOW, invented("unbounded", property="a_all_is_well"), "nothing that stands in the sources"),
    "a mutant that there is not": (SLOW, invented("mutant", property="all is wrong"), "all is wrong is no mutant"),
    "a mutant less": (SLOW, taken_away("mutant"), "(mutant) has no row"),
    "an assumption less": (SLOW, taken_away("assumption"), "(assumption) has no row"),
    "a contract less": (SLOW, taken_away("contract"), "(contract) has no row"),
    "a contract that was proved": (SLOW, lambda rows: rows.append(first(rows, "unbounded") | {
        "property": first(rows, "contract")["property"], "sentence": first(rows, "contract")["sentence"]}), "taken for granted, not proved"),
    "an assumption that changes nothing": (SLOW, changed("assumption", note="", bound=""), "nothing fails without"),
    "a contract that changes nothing": (SLOW, changed("contract", note="", bound=""), "nothing fails without"),
    "twice": (SLOW, invented("unbounded"), "stands there twice"),
}


@pytest.mark.parametrize("what", DENIED)
@pytest.mark.parametrize("reckoned", [False, True], ids=["by hand", "with its hash"])
def test_the_task_says_something_else(forge, what, reckoned):
    name, edit, words = DENIED[what]
    lines = forge(edit, name, reckoned)
    assert any(words in line and line.startswith(f"{name}: ") for line in lines), lines
    assert ("the rows are not as the run wrote them" in "\n".join(lines)) != reckoned


@pytest.mark.parametrize("edit", [taken_away("unbounded"), taken_away("covered"), changed("covered", bound="1"), changed("unbounded", seconds="0.1"),
                                  changed("contract", note="a_nothing"), changed("unbounded", commit="0000000")],
                         ids=["a property less", "a cover less", "a cover's step", "the time", "what fails", "the commit"])
def test_only_the_hash_says_so(forge, edit):
    assert forge(edit) == [f"{SLOW}: the rows are not as the run wrote them"]


def test_made_of_nothing(forge, tasks):
    """Rows of today's sources without a line about their circuits: the run that writes one writes the other."""
    staleness.write({name: row for name, row in staleness.read().items() if name != SLOW}, tasks)
    task = next(task for task in tasks if task["name"] == SLOW)
    today = staleness.inputs_of(task)
    assert forge(lambda rows: [row.update(inputs=today) for row in rows]) == [f"{SLOW}: the rows are not as the run wrote them"]


PROPS = "module m_props;\n  // Taken for granted.\n  e_one : assume (1);\n  // It is so.\n  a_one : assert (1);\nendmodule\n"


@pytest.mark.parametrize("what", ["e_one", "u_dut.a_room"])
@pytest.mark.parametrize("verdict, words", [("fail", ""), ("pass", "nothing fails in 5 steps without"), ("unknown", "nothing fails in 5 steps"), ("timeout", "time ran out")])
def test_left_out(tmp_path, what, verdict, words):
    """A run fails on an assumption and on a contract without which nothing fails."""
    path = str(tmp_path / "m_props.sv")
    with open(path, "w", encoding="utf-8") as f:
        f.write(PROPS)
    cells = [{"name": name, "file": path, "line": line, "flavor": flavor, "constant": False} for name, line, flavor in (("a_one", 5, "assert"), ("e_one", 3, "assume"))]
    task = {"name": "m-1", "props": path, "depth": 5, "contracts": ["u_dut.a_room"]}
    lines = runner.trouble(types.SimpleNamespace(task=task, kind="drop", what=what, text={path: PROPS}), {"verdict": verdict, "cells": cells})
    assert words in lines[0] if words else lines == []


def test_a_sentence_that_was_mended(tmp_path, monkeypatch):
    """A comment is no reason to prove anything anew; rows that were changed by hand stay so."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "formal").mkdir()
    props = tmp_path / "formal/m_props.sv"
    task = {"name": "m-1", "props": "formal/m_props.sv", "files": ["formal/m_props.sv"], "engine": "abc pdr", "depth": 3, "mutants": []}
    text = "module m_props;\n  // It is {}.\n  a_one : assert (1);\nendmodule\n"
    props.write_text(text.format("so"))
    row = dict.fromkeys(table.COLUMNS, "") | {"module": "m", "task": "m-1", "kind": "unbounded", "property": "a_one", "engine": "abc pdr", "sentence": "It is so.",
                                              "seconds": "1.0", "inputs": staleness.inputs_of(task)}
    table.write_rows([row])
    entry = {"task": "m-1", "inputs": row["inputs"], "design": "0", "same": "", "rows": by_hand.digest([row])}
    staleness.write({"m-1": entry}, [task])
    monkeypatch.setattr(table, "write_document", lambda _tasks: None)
    props.write_text(text.format("otherwise"))
    assert "its source says 'It is otherwise.'" in table.forged([task])[0]
    runner.same([task])
    assert table.forged([task]) == [] and table.read_status()[0]["sentence"] == "It is otherwise."
    staleness.write({"m-1": entry}, [task])
    runner.same([task])
    assert "the rows are not as the run wrote them" in table.forged([task])[0]


def test_a_quick_run_asks(monkeypatch, capsys):
    """The run of `make check` fails where a row is not as it was written."""
    monkeypatch.chdir(ROOT)
    monkeypatch.setattr(sys, "argv", ["run.py", "--quick"])
    monkeypatch.setattr(runner, "run_all", lambda *_: [])
    monkeypatch.setattr(table, "forged", lambda _tasks: ["m-1: the rows are not as the run wrote them"])
    assert runner.main() == 1
    assert "not ok formal rows: m-1: the rows" in capsys.readouterr().out
    monkeypatch.setattr(table, "forged", lambda _tasks: [])
    runner.main()
    assert "\nok formal rows\n" in capsys.readouterr().out


def test_a_label_on_a_line_of_its_own(tmp_path):
    (tmp_path / "m.sv").write_text("module m;\n  // It is so.\n  a_one :\n    assert (1);\n  // It is otherwise.\n  a_two : assert (1);\nendmodule\n")
    found = by_hand.within({"files": [str(tmp_path / "m.sv")]})
    assert "It is so." in found["a_one"] and found["a_two"] == {"It is otherwise."}


def count_up(path, times):
    """What each run does: reads all, changes its own, writes all."""
    for _ in range(times):
        with lock.writing(path):
            with open(path, encoding="utf-8") as f:
                count = int(f.read())
            time.sleep(0.001)
            with open(path, "w", encoding="utf-8") as f:
                f.write(str(count + 1))


def test_two_that_write_at_once_lose_nothing(tmp_path):
    path = tmp_path / "status.csv"
    path.write_text("0")
    both = [multiprocessing.Process(target=count_up, args=(str(path), 50)) for _ in range(2)]
    for process in both:
        process.start()
    for process in both:
        process.join()
    assert path.read_text() == "100"


def hold(path, held, let_go):
    with lock.writing(path):
        held.set()
        let_go.wait()


def test_who_waits_says_so_once(tmp_path, capsys):
    path = str(tmp_path / "status.csv")
    with lock.writing(path):
        pass
    assert capsys.readouterr().out == ""
    held, let_go = multiprocessing.Event(), multiprocessing.Event()
    other = multiprocessing.Process(target=hold, args=(path, held, let_go))
    other.start()
    held.wait()
    later = multiprocessing.Process(target=lambda: (time.sleep(0.2), let_go.set()))
    later.start()
    with lock.writing(path):
        assert let_go.is_set()
    assert capsys.readouterr().out == f"# another run writes {path}: this one waits for it\n"
    other.join()
    later.join()
