#!/usr/bin/env python3
"""Turns the corrected memories of a Verilated device into the table that tb/drive/library/drive.cpp is compiled with.

Reads Verilator's header of the root class, where tb/drive/library/faults.vlt has made memories public, and prints a line for each that is coded
(rtl/prim/prim_ram_ecc.sv, prim_frame_fifo_ecc.sv, rtl/aggregate/slot/agg_slot_records.sv,
rtl/aggregate/classify/agg_conn_way.sv, agg_message_table.sv; packets, messages and sums of a tree node). Without such it prints nothing.
"""
import re
import sys

MEMORY = re.compile(r"VlUnpacked<(\w+(?:<\d+>)?)/\*(\d+):0\*/, (\d+)> (\w+__DOT__mem);")
POINTER = "__DOT__u_ram__DOT__mem"
ALL = None   # of the bits of an entry
NODE = 8     # any memory of a tree node: behind those of mem_e
# Part of the name, number of the memory (mem_e of rtl/aggregate/agg_pkg.sv), bits of an entry that are no code but kept five times (a frame's end, in a queue).
KINDS = (("__DOT__u_bank__DOT__u_rows__DOT__", 0, 0), ("__DOT__u_bank__DOT__u_headers__DOT__", 1, 0),
         ("__DOT__u_slot_state__DOT__u_records__DOT__u_ram__DOT__mem", 2, 10),
         ("__DOT__u_ingress__DOT__u_beats__DOT__gen_ecc__", 3, 5), ("__DOT__u_egress__DOT__u_words__DOT__gen_ecc__", 4, 5),
         ("__DOT__u_egress__DOT__u_rows__DOT__gen_ecc__", 4, 5), ("__DOT__u_out__DOT__u_pass__DOT__gen_ecc__", 5, 5),
         ("__DOT__u_way__DOT__u_keys__DOT__mem", 6, 0), ("__DOT__u_way__DOT__u_states__DOT__mem", 6, ALL),
         ("__DOT__u_way__DOT__u_copy__DOT__mem", 6, ALL), ("__DOT__u_messages__DOT__u_rows__DOT__mem", 7, 0),
         ("__DOT__u_queue__DOT__u_ram__DOT__", NODE, 0), ("__DOT__u_send_buffer__DOT__u_ram__DOT__", NODE, 0),
         ("__DOT__u_inbox__DOT__u_rows__DOT__", NODE, 0), ("__DOT__u_casts__DOT__u_rows__DOT__", NODE, 0), ("__DOT__u_sum__DOT__u_results__DOT__", NODE, 0))


def main():
    header = open(sys.argv[1], encoding="utf-8").read()
    for _, high, words, name in MEMORY.findall(header):
        for part, kind, ends in KINDS:
            if part not in name:
                continue
            at = f"top->rootp->{name}"
            first, last = "nullptr", "nullptr"
            if name.endswith("__DOT__u_fifo" + POINTER):
                fifo = name[:-len(POINTER)]
                first, last = (f"top->rootp->{fifo}__DOT__{p}" for p in ("fetch_q", "write_q"))
                for pointer in (first, last):
                    if not re.search(rf"\bSData/\*\d+:0\*/ {pointer[len('top->rootp->'):]};|\bCData/\*\d+:0\*/ {pointer[len('top->rootp->'):]};", header):
                        sys.exit(f"memgen: {sys.argv[1]}: {name} has no {pointer}")
                first, last = f"&{first}", f"&{last}"
            print(f"add({kind}, &{at}[0], sizeof({at}[0]), {int(high) + 1}, {int(high) + 1 if ends is ALL else ends}, {words}, {first}, {last}, "
                  f"{'sizeof(*' + first + ')' if first != 'nullptr' else 0});")


if __name__ == "__main__":
    main()
