"""formal/mutation/replay.py: which modules share a build, what stands in a device instead of a module, when a run has seen a mutant, and what is
written down of it."""
import os
import pathlib
import shutil
import subprocess
import sys

import pytest

ROOT = pathlib.Path(__file__).parents[3]
sys.path[:0] = [str(ROOT / "formal"), str(ROOT / "formal/mutation")]

import drawn  # noqa: E402
import replay  # noqa: E402
import run  # noqa: E402
import score  # noqa: E402
import sources  # noqa: E402
import unit_mutants  # noqa: E402

os.chdir(ROOT)
MODULE = "agg_port_want"


@pytest.fixture(name="device")
def empty(monkeypatch, tmp_path):
    """A device in which nothing stands yet, with one module of which it has a parameter set."""
    monkeypatch.setattr(replay, "DEVICES", str(tmp_path / "replayed"))
    monkeypatch.setattr(replay.Device, "elaborate", lambda self: {MODULE: [("32'h4",)]})
    device = replay.Device("tiny", [MODULE])
    device.clear()
    return device


@pytest.fixture(name="mutants", scope="module")
def some():
    row = next(row for row in score.read_rows() if row["module"] == MODULE)
    task = next(task for task in run.load() if task["name"] == row["task"])
    origin = drawn.Design(unit_mutants.lines_of(task), sources.units()[MODULE])
    elsewhere = row | {"mutant": row["mutant"].replace("-cell ", "-cell no")}
    return [replay.Left(row, origin, 0), replay.Left(elsewhere, origin, 0)]


def test_modules_that_share_a_build():
    """One that is inside another one is asked in a build of its own."""
    left = lambda task, *modules: {module: [replay.Left({"task": task}, None, 0)] for module in modules}
    several = left("some-2", "agg_emit_read", "relay_turns", "relay_turn", "agg_flush")
    assert replay.layers(several) == [["agg_emit_read", "relay_turns", "agg_flush"], ["relay_turn"]]
    # What was drawn in a device has nothing of the others in it.
    assert replay.layers(several | left("tree4/agg_core", "agg_core")) == [["agg_emit_read", "relay_turns", "agg_flush", "agg_core"], ["relay_turn"]]


@pytest.mark.parametrize("module, names", [("agg_emit_credits", ["NumPorts", "MaxRows", "FifoRows", "HdrFrames", "Behind"]), ("weir_rings", ["Cfg"]),
                                           ("prim_mux", ["Width", "Words"]), ("roce_short", []), ("prim_fifo", None)])
def test_parameters(module, names):
    assert replay.parameters(module, pathlib.Path(sources.units()[module]).read_text(encoding="utf-8")) == names


def test_parameter_sets(monkeypatch):
    """What a device has of a module, as Verilator elaborates it; nothing of modules that are not in it."""
    monkeypatch.setattr(replay, "DEVICES", os.path.relpath(f"{replay.BUILD}/replayed-{os.getpid()}"))
    try:
        assert replay.Device("tiny", ["prim_fifo", "prim_mux", "agg_emit_credits", "relay_turns", "roce_short"]).sets == {
            "prim_mux": [("32'h200", "32'h4")], "agg_emit_credits": [("32'h2", "32'h4", "32'h100", "32'h8", "32'h0")], "roce_short": [()]}
    finally:
        shutil.rmtree(replay.DEVICES, ignore_errors=True)


def test_stands_in_a_device(device, mutants):
    """What is built has a switch for the mutant that is there, by its number, where its parameters are those of the device; Verilator reads it."""
    device.write(MODULE, mutants, 6)
    text = pathlib.Path(f"{device.instead}/{MODULE}.sv").read_text(encoding="utf-8")
    assert [mutant.there for mutant in mutants] == [True, False] and "4'h7" in text and "4'h8" not in text
    assert f"if (MaxStarted == 32'h4) begin : gen_0\n  {MODULE}__0 u_drawn (.*);" in text and f"{MODULE}__whole #(.MaxStarted(MaxStarted)) u_whole (.*);" in text
    others = [path for path in sources.cone(sources.units()[MODULE], sources.units()) if path.endswith("_pkg.sv")]
    for depth in (4, 5):
        said = subprocess.run(["verilator", "--lint-only", "-Wno-fatal", "-Wno-lint", "-Wno-style", "-y", "rtl/prim", "--top-module", MODULE, f"-GMaxStarted={depth}",
                               *sorted(others, key="rtl/roce/roce_pkg.sv".__ne__), f"{device.instead}/{MODULE}.sv"], capture_output=True, text=True, check=False)
        assert said.returncode == 0, said.stderr


def test_gives_what_others_may_give():
    """Yosys writes what a module and the blocks around it have for constants as parameters, too; Verilator knows only those that its head has."""
    instance = "  prim_mux #(\n    .Width(32'd8),\n    .IndexW(32'd2),\n    .p(32'd1),\n    .Words(32'd4)\n  ) u_mux (\n    .out_o(_00_)\n  );\n"
    assert replay.given_alone(f"  wire a;\n{instance}") == f"  wire a;\n{instance}".replace("    .IndexW(32'd2),\n    .p(32'd1),\n", "")
    assert replay.given_alone("  roce_short #(\n    .p(32'd1)\n  ) u_short (\n") == "  roce_short u_short (\n"


def test_moves_from_one_of_several():
    """A module stands twice in a proof: what is drawn in the second one is a mutant of the module alone, too, of the same kind of cell at the same place."""
    path = sources.units()["relay_turn"]
    twice = drawn.Design(unit_mutants.lines_of(next(task for task in run.load() if task["name"] == "relay_turns")), path)
    alone = drawn.Design(unit_mutants.reading("relay_turn", []), path)
    moved = [alone.moved(f"mutate -mode inv -module {twice.top} -cell {name} -port {port} -portbit 0", twice)
             for name in twice.place if twice.cells[name]["type"] != "$check" for port in twice.cells[name]["connections"]]
    assert moved and None not in moved
    assert all(sum(command == other for other in moved) == 2 for command in set(moved))


def test_must_pass_without_a_mutant(device, mutants, monkeypatch):
    monkeypatch.setattr(replay.Device, "make", lambda self, what: pathlib.Path(f"{replay.DEVICES}/make.args").touch())
    monkeypatch.setitem(replay.RUNS, "tiny", {"fine": "true", "late": "grep -q 0 mutant"})
    device.build({MODULE: mutants})
    assert [mutant.number for mutant in device.left] == [1] and device.seen(device.left[0]) == "late"
    monkeypatch.setitem(replay.RUNS, "tiny", {"fine": "true", "fails": "false"})
    with pytest.raises(RuntimeError, match="tiny: fails fails without a mutant"):
        device.build({MODULE: mutants})


def test_what_a_run_sees(device, monkeypatch):
    """A mutant is seen by the first run that ends otherwise than without, or does not end in its time."""
    monkeypatch.setitem(replay.RUNS, "tiny", {"few": "grep -qv 2 mutant", "some": "grep -qv 3 mutant", "long": "dd if=/dev/zero of=/dev/null"})
    device.seconds = {"few": 5, "some": 5, "long": 1}
    seen = lambda number: device.seen(replay.Left({}, None, number))
    assert (seen(2), seen(3), seen(4)) == ("few", "some", "long")
    assert not device.fails("few", 0, 5) and not device.fails("some", 0, 5)


def test_what_is_written(mutants, monkeypatch, tmp_path):
    """The row of what was seen, and no row that somebody else has changed meanwhile."""
    rows = [row | {"verdict": "unknown", "how": "", "by": ""} for row in score.read_rows()[:3]]
    monkeypatch.setattr(score, "PATH", str(tmp_path / "mutation.csv"))
    score.write_rows([row | {"row": score.digest(row)} for row in rows])
    replay.write(replay.Left(rows[1], None, 1), "tiny:random")
    replay.write(replay.Left(rows[2] | {"verdict": "survives"}, None, 2), "tiny:random")
    assert [row["by"] for row in score.read_rows()] == ["", "tiny:random", ""]
    assert score.read_rows()[1]["verdict"] == "caught" and not list(score.troubles(score.read_rows(), run.load()))


def test_rows_name_runs():
    """Those that a replay has seen, none while proofs see them all; and a row of a run that there is not is seen."""
    device, runs = next(iter(replay.RUNS.items()))
    row = lambda what: {"how": "replay", "by": f"{device}:{what}"}
    named = lambda rows: all(what in replay.RUNS[of] for of, _, what in (row["by"].partition(":") for row in rows if row["how"] == "replay"))
    assert named(score.read_rows()) and named([row(next(iter(runs)))]) and not named([row("another")])
