"""What leaves a proof true: edits that leave the circuits of a task as they were. All others are seen, and nothing is fresh again without a look."""
import copy
import os
import sys

import pytest

ROOT = os.path.abspath(os.path.join(os.path.dirname(__file__), "../../.."))
sys.path.insert(0, os.path.join(ROOT, "formal"))
import run as runner  # noqa: E402
import staleness  # noqa: E402
import table  # noqa: E402

MODULE = """
module m #(
  parameter int unsigned Width = 4
) (
  input  logic             clk_i,
  input  logic [Width-1:0] a_i,
  input  logic [Width-1:0] b_i,
  output logic             odd_o
);
  logic [Width-1:0] held_q, mask;
  logic [3:0]       ring_q = 4'b0001;
  assign mask  = a_i & ~b_i;
  assign odd_o = ^held_q;
  always_ff @(posedge clk_i) begin
    held_q <= mask;
    ring_q <= {ring_q[2], ring_q[3], ring_q[0], ring_q[1]};
  end
  always_ff @(posedge clk_i) begin
    // One is on.
    a_one : assert (^ring_q);
    // It is at one place.
    a_two : assert (!(ring_q[0] && ring_q[2]));
  end
endmodule
"""
PROPS = """
module m_props (
  input logic       clk_i,
  input logic [3:0] a_i,
  input logic [3:0] b_i
);
  logic odd;
  m u_dut (.clk_i, .a_i, .b_i, .odd_o(odd));
  always_ff @(posedge clk_i) begin
    // Whoever asks, asks for something.
    e_some : assume (a_i != '0);
    // It is odd.
    a_odd : assert (odd);
  end
endmodule
"""
TASK = {"name": "m-1", "engine": "smtbmc yices", "depth": 8, "props": "formal/m_props.sv", "files": ["formal/m_props.sv", "rtl/m.sv"],
        "mutants": [{"name": "wrong", "task": "m-1", "sentence": "it is wrong", "file": "rtl/m.sv", "old": "^held_q", "new": "|held_q"}]}


@pytest.fixture(name="house")
def make_house(tmp_path, monkeypatch):
    """write(module, props): a folder with the two files, in which we are."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "rtl").mkdir()
    (tmp_path / "formal").mkdir()
    (tmp_path / "docs").mkdir()

    def write(module=MODULE, props=PROPS):
        (tmp_path / "rtl/m.sv").write_text(module)
        (tmp_path / "formal/m_props.sv").write_text(props)
    write()
    return write


@pytest.fixture(scope="module", name="before")
def make_before(tmp_path_factory):
    """The hashes of the house as it is."""
    place, here = tmp_path_factory.mktemp("before"), os.getcwd()
    for name, text in (("rtl/m.sv", MODULE), ("formal/m_props.sv", PROPS)):
        (place / name).parent.mkdir()
        (place / name).write_text(text)
    os.chdir(place)
    try:
        return staleness.design_of(TASK), staleness.inputs_of(TASK)
    finally:
        os.chdir(here)


def edited(old, new, text=MODULE):
    assert text.count(old) >= 1
    return text.replace(old, new)


SAME = {
    "a comment": edited("  assign mask", "  // What is left.\n  assign mask"),
    "a signal's name": edited("mask", "left_over"),
    "a register's name": edited("ring_q", "wheel_q"),
    "an input's name": edited("b_i", "but_i"),
    "a parameter more": edited("Width = 4\n", "Width = 4,\n  parameter bit Clever = 0\n"),
    "a feature that is off": edited("  assign odd_o", "  if (Width > 8) begin : gen_wide\n    logic x;\n    assign x = a_i[0];\n  end\n  assign odd_o"),
    "another order": edited("  assign mask  = a_i & ~b_i;\n", "").replace("endmodule", "  assign mask  = a_i & ~b_i;\nendmodule"),
    "a signal nobody uses": edited("  assign odd_o", "  logic idle;\n  assign idle = a_i[0] ^ b_i[1];\n  assign odd_o"),
    "a name for what there was": edited("held_q <= mask", "held_q <= other").replace("  assign odd_o", "  logic [3:0] other;\n  assign other = mask;\n  assign odd_o"),
}
OTHER = {
    "an operator": edited("a_i & ~b_i", "a_i | ~b_i"),
    "a bit": edited("^held_q;", "^held_q[2:0];"),
    "operands": edited("a_i & ~b_i", "b_i & ~a_i"),
    "a width": edited("[3:0]       ring_q = 4'b0001", "[4:0]       ring_q = 5'b10001"),
    "how a register begins": edited("4'b0001", "4'b0010"),
    # Two rings of two registers, and one of four: from each register on, everything looks alike.
    "a ring of four": edited("{ring_q[2], ring_q[3], ring_q[0], ring_q[1]}", "{ring_q[2:0], ring_q[3]}"),
    "a clock's edge": edited("@(posedge clk_i) begin\n    held_q", "@(negedge clk_i) begin\n    held_q"),
    "an assertion": edited("(^ring_q)", "(|ring_q)"),
    "an assertion less": edited("    a_one : assert (^ring_q);\n", ""),
    "an assertion's name": edited("a_one", "a_single"),
}


@pytest.mark.parametrize("what", SAME)
def test_same(house, before, what):
    module = SAME[what]
    # An instance's ports are named, so both sides have the name.
    house(module, edited(".b_i,", ".but_i(b_i),", PROPS) if "but_i" in module else PROPS)
    assert staleness.design_of(TASK) == before[0]
    assert (staleness.inputs_of(TASK) == before[1]) == (what == "a comment")


@pytest.mark.parametrize("what", OTHER)
def test_other(house, before, what):
    house(OTHER[what])
    assert staleness.design_of(TASK) != before[0]
    assert staleness.inputs_of(TASK) != before[1]


@pytest.mark.parametrize("old, new", [("a_i != '0", "a_i != '1"), ("e_some : assume", "e_some : assert"), ("assert (odd)", "assert (!odd)")])
def test_other_properties(house, before, old, new):
    house(props=edited(old, new, PROPS))
    assert staleness.design_of(TASK) != before[0] and staleness.inputs_of(TASK) != before[1]


@pytest.mark.parametrize("key, value", [("engine", "smtbmc boolector"), ("engine", "smtbmc --presat yices"), ("depth", 9), ("induction", 3), ("bound", 12), ("search", "abc bmc3"),
                                        ("contracts", ["u_dut.a_one"]), ("only", ["u_dut.a_one"]), ("cuts", ["u_dut.mask"]),
                                        ("multiclock", True), ("by", {"e_some": ["a_odd"]}), ("left", {"task": "m-2", "names": ["a_odd"]})])
def test_a_task_that_says_something_else(house, before, key, value):
    assert staleness.design_of(TASK | {key: value}) != before[0] and staleness.inputs_of(TASK | {key: value}) != before[1]


@pytest.mark.parametrize("key, value", [("new", "&held_q"), ("file", "formal/m_props.sv"), ("by", ["a_odd"]), ("name", "bad")])
def test_another_mutant(house, before, key, value):
    task = copy.deepcopy(TASK)
    task["mutants"][0] |= {key: value} if key != "file" else {"file": value, "old": "assert (odd)", "new": "assert (!odd)"}
    assert staleness.design_of(task) != before[0] and staleness.inputs_of(task) != before[1]


@pytest.mark.parametrize("module, name", [("script", "elaborating"), ("script", "changing"), ("jobs", "command")])
def test_the_scripts_count(house, before, monkeypatch, module, name):
    """Whoever edits what writes the scripts, or calls the provers."""
    told = getattr(getattr(staleness, module), name)
    more = ["log more"] if module == "script" else ["--more"]
    monkeypatch.setattr(getattr(staleness, module), name, lambda *arguments: told(*arguments) + more)
    assert staleness.design_of(TASK) != before[0] and staleness.inputs_of(TASK) != before[1]


def test_the_tools_count(house, before, monkeypatch):
    monkeypatch.setitem(staleness.jobs.TOOLS, "pyosys", "0.1")
    assert staleness.design_of(TASK) != before[0] and staleness.inputs_of(TASK) != before[1]


def test_a_job_tells_its_circuit(house, monkeypatch, tmp_path):
    """What a proof and a mutant's search have elaborated counts as elaborated again, and no other circuit does."""
    house()
    monkeypatch.setattr(runner.jobs, "BUILD", str(tmp_path / "build"))
    told = {"": runner.jobs.Job(TASK, "prove", TASK["files"]).run(False)["circuit"],
            "wrong": runner.jobs.Job(TASK, "mutant", TASK["files"], TASK["mutants"][0]).run(False)["circuit"]}
    assert staleness.design_of(TASK, told) == staleness.design_of(TASK)
    assert staleness.design_of(TASK, told | {"wrong": told[""]}) != staleness.design_of(TASK)


def rows_of(inputs):
    """Rows that say that the task was proved of these inputs."""
    row = dict.fromkeys(table.COLUMNS, "") | {"module": "m", "task": "m-1", "kind": "unbounded", "property": "a_odd", "seconds": "3.0", "inputs": inputs}
    table.write_rows([row, row | {"property": "u_dut.a_one"}])


@pytest.fixture(name="proved")
def make_proved(house, monkeypatch):
    """The house after a proof of it; no page is made."""
    monkeypatch.setattr(table, "write_document", lambda _tasks: None)
    rows_of(staleness.inputs_of(TASK))
    staleness.note(TASK, table.read_status(), [TASK])
    assert table.stale_tasks([TASK]) == {}
    return house


def test_fresh_again(proved, capsys):
    """An edit makes it stale until somebody has looked; so does the next edit; and what was proved stays as it was."""
    for what in ("a parameter more", "a signal's name"):
        proved(SAME[what])
        assert table.stale_tasks([TASK]) == {"m-1": 3.0}
        runner.same([TASK])
        assert table.stale_tasks([TASK]) == {} and "1 fresh again, 0 stale" in capsys.readouterr().out
    proved()
    assert table.stale_tasks([TASK]) == {}


def test_not_fresh_again(proved, capsys):
    proved(OTHER["an operator"])
    runner.same([TASK])
    assert table.stale_tasks([TASK]) == {"m-1": 3.0} and "0 fresh again, 1 stale" in capsys.readouterr().out
    other = TASK | {"engine": "abc pdr"}
    proved()
    runner.same([other])
    assert "m-1" in table.stale_tasks([other])


@pytest.mark.parametrize("forge", ["rows", "a row", "design", "nothing known"])
def test_never_fresh_by_hand(proved, forge):
    """Rows of other sources than the circuits that are written down, and circuits that somebody else's sources make."""
    proved(SAME["a parameter more"])
    if forge == "rows":
        rows_of("0123456789ab")
    elif forge == "a row":
        with open(table.STATUS, encoding="utf-8") as f:
            lines = f.read().splitlines()
        lines[-1] = lines[-1].rpartition(",")[0] + ",0123456789ab"
        with open(table.STATUS, "w", encoding="utf-8") as f:
            f.write("\n".join(lines) + "\n")
    else:
        known = staleness.read()["m-1"]
        staleness.write({"m-1": known | {"design": "0123456789ab"}} if forge == "design" else {}, [TASK])
    runner.same([TASK])
    assert "m-1" in table.stale_tasks([TASK])
