#!/usr/bin/env python3
"""Writes what a tool must be told of a port's shell (rtl/shell): the paths between its clocks, and the parameters that follow from the clocks.

Usage: shell_constraints.py [xdc | sdc | parameters] [options]
  xdc         constraints for Vivado
  sdc         the same for tools that read plain SDC
  parameters  -G switches of shell_port for these clocks
"""
import argparse
import fractions
import math

# Instances of a port, and the registers on both sides of each crossing: source, its clock, synchronizer, its clock.
QUEUES = {"u_rx/u_queues": ("rx", "core"), "u_tx/u_queues": ("core", "tx")}
COUNTERS = ("rx", "rx", "rx", "core", "tx", "rx")   # event_e of shell_pkg
# Inputs that stand still while the port works.
CONSTANT = ("mac_i", "untagged_i", "pfc_prios_i", "pfc_quanta_i", "watchdog_limit_i", "watchdog_ignore_i")
QUANTUM_BITS = 512


def crossings(queues):
    """(source register, its clock, destination register, its clock, why): those whose bits must arrive together."""
    for place, (writer, reader) in QUEUES.items():
        yield f"{place}/u_reset/wr_phase_q", writer, f"{place}/u_reset/u_sync_wr/meta_q", reader, "phases of the resets"
        yield f"{place}/u_reset/rd_phase_q", reader, f"{place}/u_reset/u_sync_rd/meta_q", writer, "phases of the resets"
        for q in range(queues):
            fifo = f"{place}/gen_queue[{q}].u_fifo"
            yield f"{fifo}/frames_gray_q", writer, f"{fifo}/u_sync_frames/meta_q", reader, "frames that are in"
            yield f"{fifo}/read_gray_q", reader, f"{fifo}/u_sync_read/meta_q", writer, "beats that are out"
    for number, clock in enumerate(COUNTERS):
        if clock != "core":
            count = f"gen_count[{number}].u_count"
            yield f"{count}/gray_q", clock, f"{count}/u_sync/meta_q", "core", "counted events"


def levels():
    """(destination register, its clock): bits that stand each for itself."""
    return (("u_tx/u_sync/meta_q", "tx"), ("u_sync/meta_q", "core"))


def cells(tool, port, register):
    name = f"{port}/{register}"
    # Square brackets of generate blocks are part of the name; those behind it are the bits.
    return f"[get_cells {{{name}_reg[*]}}]" if tool == "xdc" else f"[get_cells {{{name}*}}]"


def constraints(tool, port, queues, periods):
    """The lines."""
    yield f"# Shell of {port}; tools/shell_constraints.py made this. Clocks: " + ", ".join(f"{k} {v:.3f} ns" for k, v in periods.items()) + "."
    yield "# No path of a reset crosses: each of the three must be synchronous to its clock."
    for source, from_clock, target, to_clock, why in crossings(queues):
        limit = min(periods[from_clock], periods[to_clock])
        ends = f"-from {cells(tool, port, source)} -to {cells(tool, port, target)}"
        yield f"# {why}, {from_clock} to {to_clock}"
        if tool == "xdc":
            yield f"set_max_delay -datapath_only {ends} {limit:.3f}"
            yield f"set_bus_skew {ends} {limit:.3f}"
        else:
            yield f"set_max_delay {limit:.3f} {ends}"
            yield f"set_false_path -hold {ends}"
    for target, clock in levels():
        yield f"# bits that stand each for itself, to {clock}"
        yield f"set_false_path -to {cells(tool, port, target)}"
    for place in QUEUES:
        for q in range(queues):
            # Only where the memory is made of LUTs is there a path from the writing clock; a word is read long after it was written.
            memory = f"{port}/{place}/gen_queue[{q}].u_fifo/u_ram"
            limit = min(periods[c] for c in QUEUES[place])
            if tool == "xdc":
                yield f"set_max_delay -quiet -datapath_only -from [get_cells -quiet -hier -filter {{NAME =~ {memory}/mem_reg*}}] " \
                      f"-to [get_cells -quiet {{{memory}/rdata_o_reg[*]}}] {limit:.3f}"
            else:
                yield f"set_max_delay {limit:.3f} -from [get_cells {{{memory}/mem*}}] -to [get_cells {{{memory}/rdata_o*}}]"
    yield "# stand still while the port works"
    for pin in CONSTANT:
        yield f"set_false_path -through [get_pins {{{port}/{pin}*}}]"


def parameters(rate, mhz):
    """-G switches for a line of `rate` Gb/s."""
    def step(clock):
        return fractions.Fraction(str(rate)) * 1000 * 65536 / (QUANTUM_BITS * fractions.Fraction(str(mhz[clock])))
    for clock in ("rx", "tx"):
        if not 1 <= step(clock) <= 65536:
            raise SystemExit(f"shell_constraints: {mhz[clock]} MHz: more than {QUANTUM_BITS} bits of {rate} Gb/s go by in a cycle")
    return [f"-GRxQuantumStep={math.floor(step('rx'))}", f"-GTxQuantumStep={math.ceil(step('tx'))}",
            f"-GTickCycles={math.ceil(fractions.Fraction(str(mhz['rx'])) * 1000)}"]


def main(arguments=None):
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("what", choices=("xdc", "sdc", "parameters"))
    parser.add_argument("--port", default="u_port", help="path of the instance of shell_port; may have wildcards")
    parser.add_argument("--queues", type=int, default=1, help="NumQueues")
    parser.add_argument("--rate", type=float, default=100, help="Gb/s")
    for clock, default in (("core", 250.0), ("rx", 322.265625), ("tx", 322.265625)):
        parser.add_argument(f"--{clock}", type=float, default=default, metavar="MHZ", help=f"the {clock} clock")
    options = parser.parse_args(arguments)
    mhz = {clock: getattr(options, clock) for clock in ("core", "rx", "tx")}
    if not 1 <= options.queues <= 8 or min(mhz.values()) <= 0:
        parser.error("1 to 8 queues, clocks above 0 MHz")
    if options.what == "parameters":
        lines = [" ".join(parameters(options.rate, mhz))]
    else:
        lines = constraints(options.what, options.port, options.queues, {clock: 1000 / f for clock, f in mhz.items()})
    print("\n".join(lines))


if __name__ == "__main__":
    main()
