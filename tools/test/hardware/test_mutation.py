"""formal/mutation: what is drawn, whether a mutant is another design, and how it is called in a design of other parameters."""
import os
import pathlib
import sys

import pytest

ROOT = pathlib.Path(__file__).parents[3]
sys.path[:0] = [str(ROOT / "formal"), str(ROOT / "formal/mutation")]

import drawn  # noqa: E402
import run  # noqa: E402
import score  # noqa: E402
import script  # noqa: E402
import twin  # noqa: E402

PATH = "rtl/prim/prim_skid.sv"


@pytest.fixture(name="task", scope="module")
def skid():
    os.chdir(ROOT)
    return next(task for task in run.load() if task["name"] == "prim_skid")


@pytest.fixture(name="mutants", scope="module")
def eight(task):
    return drawn.draw(task, PATH, 8)


def test_draws_cells_of_the_module(task, mutants):
    design = drawn.Design(script.drawing(task, task["files"]), PATH)
    assert len(mutants) == 8 and len({command for command, _, _ in mutants}) == 8
    for command, _, _ in mutants:
        cell = command.split(" -cell ")[1].split()[0]
        assert cell in design.place and " -port CLK" not in command


def test_is_another_design(task, mutants):
    different = [command for command, _, _ in mutants if not twin.equal(task, command, 30)]
    assert len(different) >= 6, "of a queue of two registers nearly all bits matter"


def test_is_the_same_design(task):
    assert twin.equal(task, "stat", 30)


def test_moves_to_its_place(task, mutants):
    wide = task | {"parameters": []}
    here, there = (drawn.Design(script.drawing(t, t["files"]), PATH) for t in (task, wide))
    assert [there.moved(command, here) for command, _, _ in mutants] == [command for command, _, _ in mutants]
    assert there.moved(mutants[0][0].replace("-cell ", "-cell no"), here) is None


def test_module_and_properties_are_apart(task):
    """A cell that both share would have the mistake in both, and the property would not see it."""
    design = drawn.Design(script.drawing(task, task["files"]), PATH)
    users = {}
    for name, cell in design.cells.items():
        for bit in sum((bits for port, bits in cell["connections"].items() if cell["port_directions"][port] == "input"), []):
            users.setdefault(bit, set()).add(name)
    for name in design.place:
        cell = design.cells[name]
        if cell["type"] in ("$logic_and", "$logic_or", "$logic_not"):
            for bit in cell["connections"]["Y"]:
                assert all(user in design.place or design.cells[user]["type"] == "$check" for user in users.get(bit, ())), name


def test_counts():
    row = lambda verdict, how="": {"module": "m", "verdict": verdict, "how": how}
    count = score.counts([row("caught", "proof"), row("caught", "test"), row("equal"), row("survives"), row("unknown")])["m"]
    assert (count["drawn"], count["differ"], count["proofs"], count["all"]) == (5, 4, 1, 2)
    assert score.percent(count, "proofs") == "25 %" and score.percent(count, "all") == "50 %"
