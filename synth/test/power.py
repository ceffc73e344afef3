"""Power on a netlist whose energy is known: a library of three cells, a gate and a register by hand, and waves of eight segments. A netlist that does anything else
than the waves is refused, and so is a library in other units."""
import os
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(__file__), ".."))
import power  # noqa: E402
from energy import activity, estimate, liberty  # noqa: E402

WRONG = []
LIBRARY = """library(small) { time_unit : "1ns"; voltage_unit : "1V"; leakage_power_unit : "1nW"; capacitive_load_unit(1,ff); nom_voltage : 2.0;
wire_load("wires") { capacitance : 0.5; slope : 2.0; fanout_length(1, 2.0); fanout_length(2, 6.0); }
cell (NAND) { cell_leakage_power : 7.0;
  pin (A) { direction : input; capacitance : 1.0; } pin (B) { direction : input; capacitance : 3.0; }
  pin (Z) { direction : output; function : "!(A & B)"; internal_power () { related_pin : "A";
    fall_power(t) { index_1 ("0.01,0.03"); index_2 ("0.0,10.0"); values ("1.0,2.0", "3.0,4.0"); }
    rise_power(t) { index_1 ("0.01,0.03"); index_2 ("0.0,10.0"); values ("5.0,6.0", "7.0,8.0"); } } } }
cell (DFF) { ff ("IQ", "IQN") { next_state : "D"; clocked_on : "CK"; } cell_leakage_power : 11.0;
  pin (D) { direction : input; capacitance : 1.5; internal_power () { fall_power(scalar) { values ("0.2"); } rise_power(scalar) { values ("0.4"); } } }
  pin (CK) { direction : input; capacitance : 2.0;
    internal_power () { when : "!D & !Q"; fall_power(scalar) { values ("3.0"); } rise_power(scalar) { values ("1.0"); } }
    internal_power () { when : "D & !Q"; fall_power(scalar) { values ("5.0"); } rise_power(scalar) { values ("0.0"); } } }
  pin (Q) { direction : output; function : "IQ"; internal_power () { related_pin : "CK"; fall_power(scalar) { values ("2.0"); } } } } }
"""
# q is the last NAND of a and itself: with a at 1 it changes in each cycle, with 0 it stays 1.
MODULE = {"ports": {"clk_i": {"direction": "input", "bits": [2]}, "a_i": {"direction": "input", "bits": [3]}, "q_o": {"direction": "output", "bits": [4]}},
          "netnames": {"q_q": {"bits": [4]}},
          "cells": {"gate": {"type": "NAND", "connections": {"A": [3], "B": [4], "Z": [5]}, "port_directions": {}},
                    "state": {"type": "DFF", "connections": {"D": [5], "CK": [2], "Q": [4]}, "port_directions": {}}}}
SEGMENTS = 8


def check(name, good, found):
    """One line of the test's result."""
    print(f"{'ok' if good else 'not ok'} synth_{name}" + ("" if good else f" # {found}"))
    WRONG.extend([] if good else [name])


def near(one, other):
    """Two energies that are the same."""
    return abs(one - other) < 1e-9


def waves(path, broken):
    """Eight segments of the circuit, a_i 1 in every second of them; `broken`: q_o is once what it is not."""
    lines, state = ["$timescale 1ns $end", "$scope module top $end", *(f"$var wire 1 {letter} {name} $end" for letter, name in zip("aqr", ("a_i", "q_o", "q_q"))),
                    "$upscope $end", "$enddefinitions $end"], 1
    for cycle in range(SEGMENTS * activity.SEGMENT):
        given = cycle // activity.SEGMENT % 2
        wrong = broken and cycle == 7 * activity.SEGMENT + 5
        lines += [f"#{cycle * activity.CYCLE}", f"{given}a", f"{state ^ wrong}q", f"{state}r"]
        state = 1 - (given & state)
    with open(path, "w", encoding="utf-8") as file:
        file.write("\n".join([*lines, f"#{SEGMENTS * activity.SEGMENT * activity.CYCLE}", "0a", ""]))
    return activity.Waves(path, "top")


with tempfile.TemporaryDirectory() as work:
    path = os.path.join(work, "small.lib")
    with open(path, "w", encoding="utf-8") as file:
        file.write(LIBRARY)
    cells, volts, wire = liberty.read(path, {"NAND", "DFF"}, "wires")
    check("library_is_read", volts == 2.0 and cells["NAND"].inside["Z"] == [(0.0, 4.0), (10.0, 5.0)] and (cells["DFF"].held, cells["DFF"].taken) == (4.0, 5.0)
          and near(cells["DFF"].data, 0.3) and [wire(n) for n in range(4)] == [0.0, 1.0, 3.0, 4.0], cells)
    check("functions_are_tables", liberty.table("!((A & B) | C)", ["A", "B", "C"]) == 0b00000111 and liberty.table("A ^ B", ["A", "B"]) == 0b0110, "")

    block = activity.netlist(MODULE, cells)
    change, clock, leak = power.energies(block, cells, volts, wire)
    # By hand: a_i has a pin of 1 fF and a wire of 1; the gate's output 1.5 and 1, with 4.25 inside, and 0.3 in the register's input; the register's output is a pin
    # of the gate, an output of 5 fF and a wire of 3, 2 inside, and 1 more of the clock than if it had kept its value.
    net = {name: number for number, name, _ in block.given + block.seen} | {"d": block.flops[0][0]}
    check("energies_are_those_by_hand", near(change[net["a_i"]], 2 * 2) and near(change[net["d"]], 2.5 * 2 + 4.25 + 0.3) and near(change[net["q_o"]], 11 * 2 + 2 + 1)
          and near(clock, 4 + (2 + 1) * 4) and near(leak, 18), (change, clock, leak))

    segments = activity.changes(block, waves(os.path.join(work, "good.vcd"), False), SEGMENTS * activity.SEGMENT, work, "good")
    counted = [(counts[net["a_i"]], counts[net["q_o"]]) for counts in segments]
    check("changes_are_counted", [a for a, _ in counted] == [1] * 4 and [q for _, q in counted][1::2] == [activity.SEGMENT - 1] * 2 and max(q for _, q in counted[::2]) <= 1, counted)
    try:
        activity.changes(block, waves(os.path.join(work, "broken.vcd"), True), SEGMENTS * activity.SEGMENT, work, "broken")
        check("other_netlist_is_refused", False, "nothing said")
    except ValueError as said:
        check("other_netlist_is_refused", "1 bits of its outputs differ, first q_o[0] in cycle 7173" in str(said), said)
    with open(path, "w", encoding="utf-8") as file:
        file.write(LIBRARY.replace("(1,ff)", "(1,pf)"))
    try:
        liberty.read(path, {"NAND"}, "wires")
        check("other_units_are_refused", False, "nothing said")
    except ValueError as said:
        check("other_units_are_refused", "capacitive_load_unit" in str(said), said)

# A fJ in each of 2.2e9 cycles is 2.2 uW; energies are scaled by 0.0673.
row = {"leakage_nw": 0, "clock_fj": 1e6, "most_fj": 0, "mean_fj": 0, "memory_bits": 0, "most_bits": 0, "mean_bits": 0, "most_accesses": 0, "mean_accesses": 0, "logic": ""}
found = {name: clocked for name, _, clocked, _, _ in estimate.lines([row | {"module": module} for module, *_ in estimate.NIC.blocks], estimate.NIC)}
check("watts_are_scaled", abs(found["RIG units"] - 16 * 2.2 * 0.06729) < 1e-3 and abs(found["server"] - 2.2 * 0.06729) < 1e-4, found)
# A switch's eight pipes at 2 GHz; a segment of a cache by the bits of 128 KB, of which a word of 512 takes 118 pJ.
known = [row | {"module": module, "most_bits": 512 * (module == "gather_cache_data")} for module, *_ in estimate.SWITCH.blocks]
found = {name.split(",")[1]: (clocked, most) for name, _, clocked, most, _ in estimate.lines(known, estimate.SWITCH) if "," in name}
check("switch_is_of_eight_pipes", abs(found[" tags and their control"][0] - 8 * 2 * 0.06729) < 1e-3
      and abs(found[" 32 MB in segments of 128 KB"][1] - 8 * 2 * 0.06729 * 0.11764) < 1e-3, found)
sys.exit(len(WRONG) > 0)
