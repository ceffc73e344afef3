"""Where two proofs meet: a line of the ledger that claims one expression of the same wires is believed only if the sources say so."""
import os
import sys

import pytest

ROOT = os.path.abspath(os.path.join(os.path.dirname(__file__), "../../.."))
sys.path.insert(0, os.path.join(ROOT, "formal"))
import handover  # noqa: E402
import ledger  # noqa: E402
import run as runner  # noqa: E402

SOURCES = {
    "rtl/maker.sv": "module maker (\n  input logic clk_i,\n  output logic more_o,\n  output logic less_o\n);\nendmodule\n",
    "rtl/eater.sv": "module eater (\n  input logic clk_i,\n  input logic more_i,\n  input logic less_i\n);\n  // Room.\n  a_room : assert (more_i);\nendmodule\n",
    "rtl/device.sv": "module device;\n  maker u_maker (.clk_i, .more_o(more), .less_o(less));\n  eater u_eater (.clk_i, .more_i(more), .less_i(less));\nendmodule\n",
    "formal/meets.sv": "module meets #(parameter int N = 2) (\n  input logic clk_i,\n  input logic more_i,\n  output logic one_o,\n  output logic two_o\n);\nendmodule\n",
    "formal/eater_props.sv": """module eater_props #(
  parameter int unsigned N = 2
) ();
  eater u_dut (.clk_i, .more_i(one), .less_i(two));
  meets #(.N(N)) u_meets (.clk_i, .more_i(one), .one_o(right), .two_o(other));
  always_ff @(posedge clk_i) begin
    if (rst_ni) begin
      e_more : assume (right);
    end
  end
endmodule
""",
    "formal/maker_props.sv": """module maker_props;
  maker u_dut (.clk_i, .more_o(up), .less_o(down));
  meets #(.N(2)) u_meets (.clk_i, .more_i(up), .one_o(good), .two_o(bad));
  always_ff @(posedge clk_i) begin
    if (rst_ni) begin
      if (follows) begin
        // Not at all times.
        a_sometimes : assert (good);
      end
      a_more : assert (good);
      a_other : assert (bad);
      a_said : assert (good && up);
    end
  end
endmodule
""",
    # The eater inside of the whole device.
    "formal/device_props.sv": """module device_props;
  device u_dut ();
  meets #(.N(2)) u_meets (.clk_i, .more_i(u_dut.u_eater.more_i), .one_o(good), .two_o(bad));
  always_ff @(posedge clk_i) begin
    if (rst_ni) begin
      a_more : assert (good);
    end
  end
endmodule
"""}
# The same, each in a module of its own, and the wires fields of what passes between these.
APART = [
    ("rtl/device.sv", SOURCES["rtl/device.sv"], """module device;
  behind u_behind (.both_i(both));
  front u_front (.both_o(both));
endmodule
""")]
SOURCES |= {
    "rtl/front.sv": "module front (\n  output both_t both_o\n);\n  maker u_maker (.clk_i, .more_o(both_o.more), .less_o(both_o.less));\nendmodule\n",
    "rtl/behind.sv": "module behind (\n  input both_t both_i\n);\n  eater u_eater (.clk_i, .more_i(both_i.more), .less_i(both_i.less));\nendmodule\n"}
TASKS = {module: [{"props": f"formal/{module}_props.sv"}] for module in ("maker", "eater", "device")}


@pytest.fixture(name="differs")
def make_differs(tmp_path, monkeypatch):
    """A function that compares `eater`'s assumption with a property, after changes to the sources, [(file, old, new)]."""
    monkeypatch.chdir(tmp_path)

    def clear():
        for cached in (handover.read, handover.units, handover.instances, handover.users, handover.outside):
            cached.cache_clear()

    def differs(shown, name="e_more", changes=()):
        for path, text in SOURCES.items():
            for _, old, new in (change for change in changes if change[0] == path):
                assert text.count(old) == 1
                text = text.replace(old, new)
            os.makedirs(os.path.dirname(path), exist_ok=True)
            with open(path, "w", encoding="utf-8") as f:
                f.write(text)
        clear()
        return handover.differs(TASKS, "eater", name, *shown.split(".", 1))
    yield differs
    clear()


def test_same(differs):
    """The neighbour's wire, the port of the instance inside a device, and the assertion of the RTL itself."""
    assert differs("maker.a_more") is None
    assert differs("device.a_more") is None
    assert differs("device.a_more", changes=[("formal/device_props.sv", "u_eater.more_i", "u_maker.more_o")]) is None
    assert differs("device.u_dut.u_eater.a_room", "u_dut.a_room") is None


def test_from_module_to_module(differs):
    """Wires keep their names as they pass from module to module, or are others."""
    assert differs("maker.a_more", changes=APART) is None
    for change in [("rtl/front.sv", "both_o.more)", "both_o.other)"), ("rtl/behind.sv", "both_i.more)", "both_i.less)"),
                   ("rtl/behind.sv", "both_i.more)", "!both_i.more)"), ("rtl/behind.sv", "input both_t both_i", "input both_t other_i")]:
        assert "not one wire" in differs("maker.a_more", changes=[*APART, change])
    (path, old, new), = APART
    for wire in ("other", "~both", "{both, both}"):
        assert "not one wire" in differs("maker.a_more", changes=[(path, old, new.replace("(both)", f"({wire})", 1))])
    # A bench may look at a field of what passes.
    fields = [("formal/maker_props.sv", "maker u_dut (.clk_i, .more_o(up), .less_o(down));", "front u_dut (.both_o(both));"),
              ("formal/maker_props.sv", ".more_i(up)", ".more_i(both.more)")]
    assert differs("maker.a_more", changes=APART + fields) is None
    assert "not one wire" in differs("maker.a_more", changes=APART + [fields[0], (fields[1][0], fields[1][1], ".more_i(both.less)")])


@pytest.mark.parametrize("shown, changes, words", [
    ("maker.a_other", (), "one_o of meets is not two_o"),
    ("maker.a_said", (), "not the output of a module of conditions alone"),
    ("maker.a_sometimes", (), "under conditions of its own"),
    ("nobody.a_more", (), "no proof of nobody"),
    ("maker.a_more", [("rtl/device.sv", ".more_i(more)", ".more_i(less)")], "not one wire"),
    ("maker.a_more", [("formal/maker_props.sv", ".more_i(up)", ".more_i(down)")], "not one wire"),
    ("maker.a_more", [("formal/maker_props.sv", ".more_i(up)", ".more_i(up && down)")], "not one wire"),
    ("maker.a_more", [("rtl/device.sv", "eater u_eater", "other u_eater")], "not one wire"),
    ("device.a_more", [("formal/device_props.sv", "u_eater.more_i", "u_eater.less_i")], "not one wire"),
    ("maker.a_more", [("formal/maker_props.sv", ".N(2)", ".N(3)")], "other parameters"),
    ("maker.a_more", [("formal/eater_props.sv", "assume (right)", "assume (!right)")], "not the output"),
    ("maker.a_more", [("formal/eater_props.sv", "if (rst_ni) begin", "if (rst_ni && two) begin")], "under conditions of its own"),
    ("maker.a_more", [("formal/eater_props.sv", "if (rst_ni) begin", "begin")], "in reset as well"),
])
def test_differs(differs, shown, changes, words):
    """Another expression, another wire, another condition or size: each is something else."""
    assert words in differs(shown, changes=changes)


def test_contract_in_a_block(differs):
    """Two modules of one name of instance, in two blocks: the one that has the assertion."""
    changes = [("rtl/device.sv", "eater u_eater", "if (0) begin : gen_other\n  maker u_eater ();\n  end\n  eater u_eater")]
    assert differs("device.u_dut.u_eater.a_room", "u_dut.a_room", changes) is None


def test_contract_of_another(differs):
    """An assertion of the same name in another module is another one."""
    changes = [("rtl/maker.sv", "endmodule", "  // Room.\n  a_room : assert (1);\nendmodule")]
    assert "is not a_room of rtl/maker.sv" in differs("device.u_dut.u_maker.a_room", "u_dut.a_room", changes)
    assert "no module" in differs("device.u_dut.u_nobody.a_room", "u_dut.a_room")


def test_elsewhere(differs, tmp_path):
    """What is shown of one user is not shown of another one: neither of a wire, nor of an assertion of the RTL."""
    contract = ("u_dut.a_room", "device", "u_dut.u_eater.a_room")

    def elsewhere(name, other, shown, second, changes=()):
        (tmp_path / "rtl").mkdir(exist_ok=True)
        (tmp_path / "rtl/second.sv").write_text(f"module second;\n  {second}\nendmodule\n")
        assert differs(f"{other}.{shown}", name, changes) is None
        return handover.elsewhere(TASKS, "eater", name, other, shown)
    nothing, alone = "logic one;", "eater u_eater (.clk_i, .more_i(free), .less_i(free));"
    assert elsewhere("e_more", "maker", "a_more", nothing) == set()
    assert elsewhere("e_more", "maker", "a_more", alone) == {"rtl/second.sv"}
    # One has it inside that stands beside the neighbour, or elsewhere as well.
    assert elsewhere("e_more", "maker", "a_more", nothing, APART) == set()
    assert elsewhere("e_more", "maker", "a_more", "behind u_behind (.both_i(free));", APART) == {"rtl/second.sv"}
    assert elsewhere(*contract, nothing) == {"rtl/behind.sv"}
    assert elsewhere(*contract, alone) == {"rtl/behind.sv", "rtl/second.sv"}
    # The other proof is of any device, wherever it stands.
    assert elsewhere(*contract, "device u_device ();") == {"rtl/behind.sv"}


def test_of_the_project(monkeypatch):
    """What the ledger claims of the project's proofs holds, and would not if an assertion were another one."""
    monkeypatch.chdir(ROOT)
    book = ledger.Ledger(runner.load())
    claimed = [(module, name, what[0]) for (module, name), parts in book.rows.items() for how, *what in parts if how == "same"]
    assert claimed
    for module, name, shown in claimed:
        assert book.differs(module, name, shown) is None
        assert handover.differs(book.tasks, module, name, *(shown + "_not").split(".", 1))
        assert not book.elsewhere(module, name, shown)
    # One that has other users: without a word of them it is not believed.
    module, name = "roce_icrc_place", "e_icrc"
    book.why[(module, name)] = ""
    assert "roce_icrc_insert" in "".join(book.row_troubles(module, name, book.rows[(module, name)], {"roce_icrc_join.a_stays": None}))
