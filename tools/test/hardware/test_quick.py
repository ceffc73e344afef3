"""Which proofs `make check` repeats: those that catch most mutants a second, as many as the time holds."""
import os
import sys

os.chdir(os.path.join(os.path.dirname(__file__), "..", "..", ".."))
sys.path.insert(0, "formal")
import quick

FILE = """# Two tasks.
[[task]]
name = "slow-1"
depth = 8
parameters = ["N=2"]

[[task]]
name = "fast-1"
depth = 9
quick = false

[[mutant]]
name = "a mistake"
task = "fast-1"
"""


def task(name, by_hand=0):
    return {"name": name, "mutants": [{}] * by_hand}


def test_most_mutants_a_second():
    tasks = [task("most"), task("some"), task("few"), task("hand", 40)]
    took = {"most": 4, "some": 50, "few": 60, "hand": 10}
    caught = {"most": 100, "some": 200, "few": 70}
    assert quick.chosen(tasks, took, caught, seconds=100) == {"most", "hand", "some"}


def test_one_that_does_not_fit_lets_others_in():
    assert quick.chosen([task("large"), task("small")], {"large": 90, "small": 10}, {"large": 9000, "small": 20}, seconds=50) == {"small"}


def test_one_that_was_never_run_or_sees_too_little_is_not_chosen():
    assert quick.chosen([task("new", 9), task("blind")], {"blind": 5}, {"blind": 4}, seconds=100) == set()


def test_marks_those_that_are_not_chosen():
    text = quick.marked(FILE, {"fast-1"})
    assert text == FILE.replace("quick = false\n", "").replace("depth = 8\n", "depth = 8\nquick = false\n")
    assert quick.marked(text, {"fast-1"}) == text
    assert quick.marked(FILE, {"slow-1"}) == FILE   # whatever stands between, and where the line stands
    elsewhere = FILE.replace("depth = 9\nquick = false\n", "quick = false\ndepth = 9\n")
    assert quick.marked(elsewhere, {"slow-1"}) == elsewhere
