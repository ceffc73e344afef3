"""The synthesis flow on logic of known size and depth, and on a memory that is not where it should be."""
import dataclasses
import os
import pathlib
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(__file__), ".."))
import elaborate  # noqa: E402
import fpga  # noqa: E402
import netlist  # noqa: E402
import tree  # noqa: E402

WRONG = []


def check(name, good, found):
    """One line of the test's result."""
    print(f"{'ok' if good else 'not ok'} synth_{name}" + ("" if good else f" # {found}"))
    WRONG.extend([] if good else [name])


with tempfile.TemporaryDirectory() as work:
    kinds = elaborate.kinds("shape_top", [f"synth/test/{name}.sv" for name in ("shape_leaf", "prim_ram_of_luts", "shape_top")], work)
    mapper = fpga.Mapper(os.path.join(work, "cache"))
    netlists = {name: mapper.mapped(kind, kinds)[0] for name, kind in kinds.items()}
    top = next(name for name in kinds if name.startswith("shape_top"))
    rows, memories, device = tree.analyse(top, kinds, netlists)
    lines = {line["module"]: line for line in (row.line() for row in rows)}

    leaf = lines["shape_leaf"]
    check("counts", (leaf["lut"], leaf["ff"], leaf["instances"]) == (2, 7, 7), leaf)
    check("roll_up", all(lines["shape_top"][name] == sum(line[f"all_own_{name}"] for line in lines.values()) for name in tree.FIGURES)
          and lines["shape_top"]["ff"] == 7 * 7 + 1 + 32, lines["shape_top"])
    check("depth_across_modules", leaf["levels"] == 4 and "shape_leaf 2, shape_top 2" in leaf["path"] and
          leaf["path"].startswith("gen_leaf[") and "-> parity_o:" in leaf["path"], leaf["path"])
    check("memory_in_luts_is_a_fault", len(memories) == 1 and memories[0]["fault"], memories)
    check("cache", mapper.mapped(kinds[top], kinds)[1] == 0, "mapped again")

    # An elaboration is kept as long as the text of its sources and the parameters are the same.
    source, kept = pathlib.Path(work, "shape.sv"), pathlib.Path(work, "again", "elaborated.il")

    def leaf_of(text, *parameters):
        """The leaf's own kind, and whether it was elaborated for this."""
        source.write_text(text, encoding="utf-8")
        before = kept.stat().st_ino if kept.exists() else None
        return list(elaborate.kinds("leaf", [*parameters, str(source)], str(kept.parent)))[0], kept.stat().st_ino != before

    TEXT = "module leaf #(parameter int N = 2) (input logic [N-1:0] a_i, output logic b_o);\n  assign b_o = ^a_i;\nendmodule\n"
    told = [leaf_of(TEXT), leaf_of(TEXT), leaf_of(TEXT.replace("^a", "|a")), leaf_of(TEXT), leaf_of(TEXT, "-GN=3")]
    check("elaborated_again_if_something_is_new", [anew for _, anew in told] == [True, False, True, True, True] and
          told[0][0] == told[1][0] == told[3][0] and len({name for name, _ in told}) == 3, told)

    # A bit of a memory that nobody reads is not waited for in the netlist.
    source.write_text("module leaf (input logic clk_i, input logic we_i, input logic [5:0] a_i, input logic [15:0] d_i, output logic [15:0] q_o);\n"
                      "  logic [15:0] mem[64];\n  always_ff @(posedge clk_i) if (we_i) mem[a_i] <= d_i;\n  assign q_o = mem[a_i] & 16'hffc1;\nendmodule\n")
    part = next(iter(elaborate.kinds("leaf", [str(source)], str(kept.parent)).values()))
    check("bits_that_nobody_reads_are_no_fault", tree.bits_read(part.text, "\\mem", 16) == {0, *range(6, 16)}, part.text)

    def fault(text):
        """Of a queue with this text, of which the netlist has no cell."""
        queue = dataclasses.replace(part, module="prim_fifo", text=text, places=["u_queue"])
        return tree.memories({queue.name: queue}, {queue.name: {"cells": {}}})[0]["fault"]

    check("one_word_is_a_register", fault(part.text) and not fault(part.text.replace("size 64", "size 1")), fault(part.text))


def luts(*inputs, carries=()):
    """A module of LUTs with these inputs each; outputs are nets from 100 on, those in `carries` go into a carry chain."""
    cells = {f"l{at}": {"type": f"LUT{len(mine)}", "connections": {"O": [100 + at], **{f"I{n}": [bit] for n, bit in enumerate(mine)}}}
             for at, mine in enumerate(inputs)}
    if carries:
        cells["chain"] = {"type": "CARRY8", "connections": {"S": list(carries), "DI": []}}
    return {"cells": cells}


# Two choices with one select have five inputs; a LUT5 takes a LUT2 of its inputs; LUT6, seven inputs, nothing in common, a carry: none.
for name, module, pairs in (("choices", luts((1, 2, 9), (3, 4, 9)), 1), ("lut5_and_lut2", luts((1, 2, 3, 4, 5), (2, 5)), 1),
                            ("lut6", luts((1, 2, 3, 4, 5, 6), (1, 2)), 0), ("six_inputs", luts((1, 2, 3, 4), (4, 5, 6)), 0),
                            ("nothing_common", luts((1, 2), (3, 4)), 0), ("carry", luts((1, 2), (1, 2), carries=(100,)), 0),
                            ("three_alike", luts((1, 2), (1, 2), (1, 2)), 1), ("large_one_first", luts((1, 2), (1, 2, 3), (1, 2, 3, 4, 5)), 1)):
    check(f"pairs_{name}", netlist.paired(module) == pairs, netlist.paired(module))

sys.exit(bool(WRONG))
