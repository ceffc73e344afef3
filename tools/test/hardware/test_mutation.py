"""formal/mutation: what is drawn, whether a mutant is another design, what proofs say of it, how it is called in a design of other parameters; and rows
that no run wrote."""
import argparse
import os
import pathlib
import re
import sys
import tempfile

import pytest

ROOT = pathlib.Path(__file__).parents[3]
sys.path[:0] = [str(ROOT / "formal"), str(ROOT / "formal/mutation")]

import circuit  # noqa: E402
import drawn  # noqa: E402
import mutate  # noqa: E402
import run  # noqa: E402
import score  # noqa: E402
import script  # noqa: E402
import sources  # noqa: E402
import twin  # noqa: E402
import unit_mutants  # noqa: E402

PATH = "rtl/prim/prim_skid.sv"


@pytest.fixture(name="task", scope="module")
def skid():
    os.chdir(ROOT)
    return next(task for task in run.load() if task["name"] == "prim_skid")


@pytest.fixture(name="mutants", scope="module")
def eight(task):
    return drawn.draw(script.drawing(task, task["files"]), PATH, 8, drawn.proved(task["props"]))


def test_draws_cells_of_the_module(task, mutants):
    design = drawn.Design(script.drawing(task, task["files"]), PATH)
    assert len(mutants) == 8 and len({command for command, _, _ in mutants}) == 8
    for command, _, _ in mutants:
        cell = command.split(" -cell ")[1].split()[0]
        assert cell in design.place and " -port CLK" not in command


def test_leaves_tables_alone(tmp_path):
    """What yosys makes of a long case is a table of constants; one with a switch in it is a circuit that cannot be made."""
    words = " ".join(f"5'd{at}: q_o = 8'd{at * 7 % 251};" for at in range(32))
    (tmp_path / "t.v").write_text(f"module t(input [4:0] at_i, output reg [7:0] q_o); always @* case (at_i) {words} endcase endmodule\n")
    lines = [f"read_verilog {tmp_path}/t.v", "hierarchy -top t", "proc"]
    drawn.yosys(lines + ["select -assert-count 1 t:$meminit*"])
    mutants = [command for command, _, _ in drawn.draw(lines, f"{tmp_path}/t.v", 20, {})]
    both = twin.Twin("t", twin.alone(lines, "t", mutants), str(tmp_path), 5)
    assert both.verdict(-1, 10) == "equal" and all(both.verdict(number, 10) == "differs" for number in range(len(mutants)) if " -mode inv " in mutants[number])


def test_what_is_seen_needs_no_sentence(tmp_path, monkeypatch):
    monkeypatch.setattr(score, "PATH", str(tmp_path / "mutation.csv"))
    row = dict.fromkeys(score.FIELDS, "") | {"module": "m", "number": 0, "why": "nobody looks"}
    score.replace("m", [row | {"verdict": "survives"}, row | {"number": 1, "verdict": "caught"}])
    assert [(row["verdict"], row["why"]) for row in score.read_rows()] == [("survives", "nobody looks"), ("caught", "")]


def test_addresses_above_a_memory(tmp_path):
    """What is proved and built has no bits of an address above those that the memory's words need; the others matter."""
    (tmp_path / "t.sv").write_text("module t(input clk_i, input [3:0] d_i, output logic [3:0] q_o); logic [3:0] m[2]; "
                                   "always_ff @(posedge clk_i) for (int i = 0; i < 2; i++) m[i] <= d_i + 4'(i); assign q_o = m[0] ^ m[1]; endmodule\n")
    lines = [f"read_slang --top t {tmp_path}/t.sv", "hierarchy -top t", "proc"]
    drawn_all = [command for command, _, _ in drawn.draw(lines, f"{tmp_path}/t.sv", 400, {})]
    mutants = [command for command in drawn_all if " -mode inv " in command and " -port ADDR " in command]
    both = twin.Twin("t", twin.alone(lines, "t", mutants), str(tmp_path), 5)
    assert mutants and both.verdict(-1, 10) == "equal"
    for number, mutant in enumerate(mutants):
        assert both.verdict(number, 10) == ("differs" if mutant.endswith(" -portbit 0") else "equal"), mutant


def test_is_another_design(task, mutants, tmp_path):
    commands = [command for command, _, _ in mutants]
    both = twin.Twin({"u_dut": "prim_skid"}, twin.commands(task, commands), str(tmp_path), task["depth"])
    assert both.verdict(-1, 10) == "equal"
    different = [number for number in range(len(commands)) if both.verdict(number, 10) == "differs"]
    assert len(different) >= 6, "of a queue of two registers nearly all bits matter"


def test_what_a_bench_ties(tmp_path):
    """A circuit is not called the same because the bench around it has no data: its inputs may be anything."""
    task, path = next(task for task in run.load() if task["name"] == "gather_out"), sources.units()["gather_axis"]
    mutants = [command for command, _, _ in drawn.draw(script.drawing(task, task["files"]), path, 6, drawn.proved(task["props"]))]
    both = twin.Twin(drawn.proved(task["props"]), twin.commands(task, mutants), str(tmp_path), 5)
    assert both.verdict(-1, 10) == "equal" and any(both.verdict(number, 2) == "differs" for number in range(len(mutants)))


def test_wires_between_others(task, tmp_path):
    """Of a module that is wires, in a device with the others as black boxes, ports of what it instantiates are drawn, and each bit of them matters."""
    apart, path = sources.apart()["relay_in"], sources.units()["relay_in"]
    assert task and apart[:2] == ("tree4/relay_in", "weir_aggregator") and mutate.chosen("relay_in", [], sources.units())[2] == apart
    mutants = [command for command, _, _ in drawn.draw(unit_mutants.lines_of(apart), path, 12, {})]
    assert len(mutants) == 12 and all(re.search(r" -cell \S+\.u_(ask|answer) -port \w+_[io] ", command) for command in mutants)
    both = twin.Twin("relay_in", twin.alone(unit_mutants.lines_of(apart), apart.top, mutants), str(tmp_path), 5)
    assert both.verdict(-1, 10) == "equal" and all(both.verdict(number, 10) == "differs" for number in range(12) if " -mode inv " in mutants[number])
    apart = sources.apart()["agg_cfg_check"]
    assert drawn.draw(unit_mutants.lines_of(apart), sources.units()["agg_cfg_check"], 5, {}) == [], "it has assertions alone"


def test_wires_in_a_task(tmp_path):
    """Of a module that is wires, in a task that says so, each wire to an output or a part is drawn, and each bit of them matters; the proof sees it."""
    task, path = next(task for task in run.load() if task["name"] == "agg_classify-tree"), sources.units()["agg_classify"]
    lines = script.drawing(task, task["files"])
    mutants, design = [command for command, _, _ in drawn.draw(lines, path, 12, drawn.proved(task["props"]))], drawn.Design(lines, path)
    assert len(mutants) == 12 and {design.cells[command.split(" -cell ")[1].split()[0]]["type"] for command in mutants} == {"$buf"}
    turned = [number for number in range(12) if " -mode inv " in mutants[number]]
    both = twin.Twin(drawn.proved(task["props"]), twin.commands(task, mutants), str(tmp_path), task["depth"])
    assert both.verdict(-1, 10) == "equal" and turned and all(both.verdict(number, 10) == "differs" for number in turned)
    proof = circuit.Circuit(circuit.proving(task, mutants), str(tmp_path / "proof"))
    assert not proof.fails(-1, task["depth"], 20) and all(proof.fails(number, task["depth"], 20) for number in turned)


def test_without_registers(tmp_path):
    """A bit that goes from one module to another is seen where it is another one, without a register or a gate between."""
    lines = [f"read_verilog -formal {tmp_path}/t.v", "hierarchy -top t", "proc"]
    (tmp_path / "t.v").write_text("(* blackbox *) module box(input i, output o); endmodule\nmodule t; wire a; box u_a(.i(1'b0), .o(a)); box u_b(.i(a), .o()); endmodule\n")
    mutants = [f"mutate -mode {mode} -module t -cell u_b -port i -portbit 0" for mode in ("inv", "const1", "none")]
    both = twin.Twin("t", twin.alone(lines, "t", mutants), str(tmp_path), 5)
    assert [both.verdict(number, 5) for number in (-1, 0, 1, 2)] == ["equal", "differs", "differs", "equal"]


def test_what_is_shown():
    """Outputs of each instance that is proved, and nothing inside any of them."""
    task = next(task for task in run.load() if task["name"] == "prim_parts-8-7")
    with tempfile.TemporaryDirectory() as place:
        lines = twin.commands(task, [drawn.draw(script.drawing(task, task["files"]), sources.units()["prim_mux"], 1, drawn.proved(task["props"]))[0][0]])
        shown = {name for name in circuit.Circuit(lines, place, shown=True).outputs if name.startswith("gold_")}
    assert shown == {f"gold_{name}" for name in ("u_mux.out_o", "u_tree.out_o", "u_pick.out_o", "u_rotate.out_o", "u_vote.data_o", "u_vote.differ_o")}


def test_proof_sees_what_is_switched_on(task, mutants, tmp_path):
    proof = circuit.Circuit(circuit.proving(task, [command for command, _, _ in mutants]), str(tmp_path))
    search = f"bmc3 -F {task['depth']}"
    assert proof.ask(-1, search, 10)[0] == [], "none is on"
    seen = [number for number in range(len(mutants)) if proof.ask(number, search, 10)[0]]
    assert len(seen) >= 6 and all(name.split(".")[-1].startswith("a_") for number in seen for name in proof.ask(number, search, 10)[0])
    assert proof.ask(0, search, 0) == ([], circuit.LATE), "a question that is not answered in its time says so"


def test_asks_only_what_a_mutant_reaches():
    """Of a file about several modules, that are apart, the properties of the one that has the mistake; the answer is that of all properties."""
    task = next(task for task in run.load() if task["name"] == "prim_parts-8-7")
    lines = script.drawing(task, task["files"])
    commands = [drawn.draw(lines, sources.units()[module], 2, drawn.proved(task["props"]))[0][0] for module in ("prim_pick", "prim_vote")]
    with tempfile.TemporaryDirectory() as place:
        proof = circuit.Circuit(circuit.proving(task, commands), place)
        reached = lambda number: [proof.names[at] for at in proof.aig.reached(proof.fixed(number), proof.fixed(-1))]
        assert reached(-1) == [] and reached(0) == ["a_pick"] and set(reached(1)) <= {"a_vote", "a_differ"} and reached(1)
        for number in range(2):
            assert proof.fails(number, task["depth"], 20) == proof.ask(number, f"bmc3 -F {task['depth']}", 20)[0]
        assert proof.fails(0, task["depth"], 20) == ["a_pick"]
        # What is taken for granted changes all, if it is changed itself.
        for name, all_of_them in (("a_mux", False), ("a_pick", True)):
            proof.aig.constraints = [proof.aig.bad[proof.names.index(name)]]
            assert reached(0) == (proof.names if all_of_them else ["a_pick"])


def test_nothing_is_possible(task, mutants, tmp_path):
    """Registers of this task begin at what an assumption says, not at zero."""
    commands = [command for command, _, _ in mutants]
    assert circuit.Circuit(circuit.proving(task, commands), str(tmp_path)).possible()
    reset = next(task for task in run.load() if task["name"] == "shell_reset")
    lines = script.drawing(reset, reset["files"])
    one = drawn.draw(lines, sources.units()["shell_reset"], 1, drawn.proved(reset["props"]))[0][0]
    assert not circuit.Circuit(circuit.proving(reset, [one]), str(tmp_path)).possible()


def test_cover_is_no_longer_reached(task, tmp_path):
    """With nothing ever taken, nothing can be reached."""
    lines = script.drawing(task, task["files"])
    design = drawn.Design(lines, PATH)
    names = [name for name, cell in design.cells.items() if name in design.place and cell["type"].startswith("$") and "dff" in cell["type"]]
    stuck = [f"mutate -mode const0 -module {design.top} -cell {name} -port Q -portbit 0" for name in names]
    cover = circuit.Circuit(circuit.covering(task, stuck, str(tmp_path)), str(tmp_path))
    search = f"bmc3 -a -F {task['depth']}"
    reached = set(cover.ask(-1, search, 20)[0])
    assert reached and all(name.split(".")[-1].startswith("c_") for name in reached)
    assert any(reached - set(cover.ask(number, search, 20)[0]) for number in range(len(stuck)))


@pytest.mark.parametrize("name, valid", [("out_data_o", "out_valid_o"), ("out_valid_o", None), ("count_o", None), ("answer_o", "answer_valid_o"),
                                         ("out_ready_o", None), ("m_axis_tdata", "m_axis_tvalid")])
def test_what_is_looked_at(name, valid):
    names = {"out_data_o", "out_valid_o", "count_o", "answer_o", "answer_valid_o", "out_ready_o"}
    assert twin.valid_of("some_module", name, names) == valid
    within = lambda name: f"u_dut.u_inside.{name}"
    assert twin.valid_of("some_module", within(name), {within(other) for other in names}) == (valid and within(valid))
    assert twin.valid_of("weir_rings", within("stored_ring_o"), {}) == within("stored_o")


def test_modules_that_are_proved():
    """Instances, in generate blocks and behind parameters, of the RTL alone; those of a bench that several proofs have."""
    here = lambda name: drawn.proved(f"formal/{name}_props.sv")
    assert here("prim/prim_skid") == {"u_dut": "prim_skid"}
    assert here("prim/prim_ram_1r1w") == {"gen_flat*.u_dut": "prim_ram_1r1w", "gen_deep*.u_dut": "prim_ram_deep"}
    assert here("prim/prim_secded") == {"u_encode": "prim_secded_encode", "u_decode": "prim_secded_decode"}
    assert "roce_egress" in here("roce/egress/egress_order").values()


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
    row = lambda verdict, how="", by="": {"module": "m", "verdict": verdict, "how": how, "by": by}
    count = score.counts([row("caught", "proof", "t:a"), row("caught", "proof", "slow:a"), row("caught", "induction", "t:a"), row("caught", "test", "u"), row("equal"),
                          row("caught", "replay", "tiny:random"), row("survives"), row("unknown")], {"t"})["m"]
    assert (count["drawn"], count["differ"], count["quick"], count["full"], count["tests"], count["replay"], count["nobody"]) == (8, 7, 1, 2, 1, 1, 2)
    assert score.percent(count, "proofs") == "42 %" and score.percent(count, "all") == "71 %"


def test_sees_forged_rows(task):
    rows, tasks = score.read_rows(), run.load()
    assert rows and not list(score.troubles(rows, tasks))
    lost = next(row for row in rows if row["verdict"] in ("survives", "unknown"))
    forged = lost | {"verdict": "caught", "how": "proof", "by": f"{task['name']}:a_something"}
    assert list(score.troubles([forged], tasks)) == [f"{lost['module']} {lost['number']} is not as the run wrote it"]
    told = lambda row: list(score.troubles([row | {"row": score.digest(row)}], tasks))
    assert not told(lost | {"why": "looked at"}) and told(lost | {"verdict": "seen"}) and told(lost | {"how": "proof"})
    seen = next(row for row in rows if row["how"] == "proof" and row["module"] == "prim_skid")
    assert told(seen | {"by": "no_task:a_x"}) == [f"prim_skid {seen['number']} is seen by no_task:a_x, which there is not"]
    assert any("twice" in line for line in score.troubles([lost, lost], tasks))


def test_rows_come_out_again(task, tmp_path):
    """Some rows of a module whose sources are those of its rows, asked anew: that nobody has made them up."""
    rows = [row for row in score.read_rows() if row["module"] == "prim_skid" and int(row["number"]) % 8 == 0]
    assert len(rows) > 10 and all(row["task"] == task["name"] for row in rows)
    assert rows[0]["inputs"] == score.inputs_of(task), "the rows are of older sources: formal/mutation/mutate.py prim_skid, half a minute"
    assert [row["mutant"] for row in rows[:2]] == [drawn.draw(script.drawing(task, task["files"]), PATH, 100, drawn.proved(task["props"]))[at][0] for at in (0, 8)]
    proof = circuit.Circuit(circuit.proving(task, [row["mutant"] for row in rows]), str(tmp_path))
    for number, row in enumerate(rows):
        found = [f"{task['name']}:{name}" for name in proof.ask(number, f"bmc3 -F {task['depth']}", 20)[0]]
        assert found == ([row["by"]] if row["verdict"] == "caught" else []), row


def test_unit_test_sees_what_is_switched_on():
    """One build of a unit test for several mutants of its module: it sees some that proofs see, and none that changes nothing."""
    module, path = "uplink_watchdog", sources.units()["uplink_watchdog"]
    rows = [row for row in score.read_rows() if row["module"] == module]
    task = next(task for task in run.load() if task["name"] == rows[0]["task"])
    differ = [row for row in rows if row["verdict"] == "caught"][::10]
    equal = next(row for row in rows if row["verdict"] == "equal")
    origin = drawn.Design(script.drawing(task, task["files"]), path)
    test = sources.tests_of(path)[0]
    built = unit_mutants.Test(test, unit_mutants.moved(test, {row["number"]: row["mutant"] for row in (*differ, equal)}, path, origin))
    assert any(built.sees(row["number"]) for row in differ)
    assert not built.sees(equal["number"]) and not built.sees("none of these")


def test_what_a_test_sees_soon(monkeypatch):
    """A test that does not come to its end in a second is asked again when there is time, and has seen a mutant only if it does not end at all."""
    test = object.__new__(unit_mutants.Test)
    test.keys, test.seconds = ["seen", "missed", "for ever"], 2
    programs = ["exit 1", "exit 0", "while :; do :; done"]
    asked = lambda _, value, seconds, environment: unit_mutants.circuit.limited(["bash", "-c", programs[value - 1]], seconds).returncode
    monkeypatch.setattr(unit_mutants, "run", asked)
    test.program = ""
    assert [test.sees_soon(key) for key in ("seen", "missed", "for ever", "of another")] == [True, False, None, False]
    assert [test.sees(key) for key in ("seen", "missed", "for ever")] == [True, False, True]


def test_several_modules_in_one_build(monkeypatch):
    """A test that modules are drawn in is built for the mutants of all of them, and of no module that has a proof."""
    tasks, known, built = run.load(), sources.units(), []
    monkeypatch.setattr(unit_mutants, "Test", lambda test, mutants: built.append((test, mutants)))
    modules = [mutate.chosen(module, tasks, known) for module in ("uplink_hash:test_uplink_choice", "uplink_override:test_uplink_choice", "prim_skid")]
    build = mutate.builder(modules, 3)
    build(modules[0][2])
    build(modules[1][2])
    (test, mutants), = built
    assert test[0] == "test_uplink_choice" and len(mutants) == 6 and all(key == mutant for key, mutant in mutants.items())


def test_induction_that_breaks(monkeypatch):
    """Where no trace is long enough; not where it is the same circuit."""
    monkeypatch.setattr(score, "replace", lambda *_: None)
    asked = object.__new__(mutate.Asked)
    asked.module, asked.began, asked.end, asked.broken = "m", mutate.spent(), float("inf"), {0: "t", 1: "t", 3: "t"}
    asked.rows = [{"number": number, "verdict": verdict, "how": "", "by": ""} for number, verdict in enumerate(("unknown", "survives", "unknown", "equal"))]
    asked.without_trace()
    assert [(row["verdict"], row["by"]) for row in asked.rows] == [("caught", "t:step"), ("caught", "t:step"), ("unknown", ""), ("equal", "")]


def test_what_is_due(monkeypatch):
    """Modules without rows, or with old ones; those that free slots first."""
    tasks, known = run.load(), sources.units()
    due = mutate.due(tasks, known)
    assert "prim_skid" not in due and len(due) == len(set(due)) and not any(module.endswith(("_pkg", "_props")) for module in due)
    monkeypatch.setattr(score, "read_rows", lambda: [])
    due = mutate.due(tasks, known)
    assert due.index("agg_slot_update") < due.index("agg_emit_read") < due.index("prim_skid") < due.index("gather_pool")


def test_quick_task_first(monkeypatch):
    """Unless it has rows of another one."""
    assert mutate.chosen("weir_rings", run.load(), sources.units())[2]["name"] == next(row["task"] for row in score.read_rows() if row["module"] == "weir_rings")
    monkeypatch.setattr(score, "read_rows", lambda: [])
    assert mutate.chosen("prim_fifo", run.load(), sources.units())[2]["name"] == "prim_fifo-3"
    assert mutate.chosen("weir_control", [], sources.units())[2][0] == "test_weir_control", "no proof has it"


def test_time_is_over(task):
    """What was not asked says so, and nothing more is asked."""
    options = argparse.Namespace(number=8, limit=0)
    asked = mutate.Asked("prim_skid", PATH, task | {"depth": 13}, options)
    assert [row["verdict"] for row in asked.rows] == 8 * ["unknown"] and len(asked.nobody()) == 8 and not asked.left()


def test_sees_old_rows(task):
    row = {"module": "prim_skid", "task": task["name"], "inputs": score.inputs_of(task)}
    assert score.stale_modules([row], [task]) == set()
    assert score.stale_modules([row | {"inputs": "of before"}], [task]) == {"prim_skid"}
    assert score.inputs_of(task) == score.inputs_of(task | {"mutants": []}) != score.inputs_of(task | {"depth": 1})
