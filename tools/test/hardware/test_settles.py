"""Proofs of pipelines from any state (`settles`, formal/script.py): as many cycles as the pipeline is deep are needed, and mistakes are seen."""
import os
import sys

import pytest

ROOT = os.path.abspath(os.path.join(os.path.dirname(__file__), "../../.."))
sys.path.insert(0, os.path.join(ROOT, "formal"))
import jobs  # noqa: E402
import sources  # noqa: E402
import staleness  # noqa: E402

# Two cycles from the input to `out_q`; `known_q` says that there is something to compare.
PIPELINE = """module m_props (
  input logic       clk_i,
  input logic [3:0] in_i
);
  logic [3:0] mid_q, out_q, one_q, two_q;
  logic [1:0] known_q;
  initial known_q = '0;
  always_ff @(posedge clk_i) begin
    mid_q   <= in_i + 4'd1;
    out_q   <= mid_q + 4'd1;
    one_q   <= in_i;
    two_q   <= one_q;
    known_q <= {known_q[0], 1'b1};
    // Two more.
    a_two : assert (!known_q[1] || out_q == two_q + 4'd2);
  end
endmodule
"""


@pytest.fixture(name="prove")
def make_prove(tmp_path, monkeypatch):
    """A function that proves the pipeline, or another text, with so many cycles: the verdict and what failed."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(jobs, "BUILD", str(tmp_path / "build"))

    def prove(cycles, text=PIPELINE):
        (tmp_path / "m_props.sv").write_text(text)
        task = {"name": "m", "props": "m_props.sv", "files": ["m_props.sv"], "engine": "abc bmc3", "settles": cycles, "depth": 4, "mutants": []}
        result = jobs.Job(task, "prove", task["files"]).run(False)
        return result["verdict"], [cell["name"] for cell in result["cells"]]
    return prove


def test_settled(prove):
    assert prove(3) == ("pass", ["a_two"])


def test_too_few_cycles(prove):
    """From a state that is never reached what is left of it is seen."""
    assert prove(2)[0] == "fail"


@pytest.mark.parametrize("old, new", [
    ("mid_q + 4'd1", "mid_q + 4'd2"),
    # Right from reset for eight cycles and more, and wrong behind that.
    ("out_q   <= mid_q + 4'd1", "late_q <= late_q + 6'd1;\n    out_q   <= mid_q + 4'd1 + 4'(late_q == 6'd40)"),
    # Wrong in the first cycle alone.
    ("initial known_q = '0", "initial known_q = '1"),
])
def test_mistakes(prove, old, new):
    assert old in PIPELINE
    text = PIPELINE.replace(old, new).replace("  initial known_q", "  logic [5:0] late_q;\n  initial late_q = '0;\n  initial known_q")
    assert prove(3, text)[0] == "fail"


def test_stale(tmp_path, monkeypatch):
    """Another number of cycles is another proof."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "m_props.sv").write_text(PIPELINE)
    task = {"name": "m", "props": "m_props.sv", "files": ["m_props.sv"], "engine": "abc bmc3", "settles": 3, "depth": 4, "mutants": []}
    assert sources.labels("m_props.sv", "a_") == ["a_two"]
    assert staleness.inputs_of(task) != staleness.inputs_of(task | {"settles": 4})
