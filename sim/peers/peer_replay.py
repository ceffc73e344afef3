"""The cocotb side: a capture through the device, all ports at once, and what comes out against what weir says hosts receive.

WEIR_IN: the capture. WEIR_OUT: what `weir replay --out` made of it. WEIR_FRAMES: so many frames of it. WEIR_RESULT: JSON file for
what was measured; seconds are processor time.
"""
import json
import logging
import os
import pathlib
import re
import time

import cocotb
from cocotb.clock import Clock
from cocotb.triggers import ClockCycles, RisingEdge
from cocotb.utils import get_sim_time
from cocotbext.axi import AxiLiteBus, AxiLiteMaster, AxiStreamBus, AxiStreamFrame, AxiStreamSink, AxiStreamSource

from peer_capture import frames

PORTS, SLOTS = 6, 680
PERIOD_NS = 4
# Registers and fields: docs/registers/aggregator.md.
MAP = pathlib.Path(__file__).resolve().parents[2] / "rtl/csr/weir_csr.h"
LEARN, ENABLE, STORE = 1 << 16, 1 << 17, 1
# The ring of ring6-paper (sim/captures/README.md).
RING, WORKERS, WINDOW_LOG2, MSGLEN = 1, 6, 1, 170
SILENCE_CYCLES = 400


def addresses():
    """Address of each register by name, from the structure in the generated header: words, and gaps of bytes between them."""
    found, at = {}, 0
    for name, gap in re.findall(r"^ +uint(?:32_t (\w+)|8_t \w+\[(0x\w+)\]);$", MAP.read_text(encoding="utf-8"), re.MULTILINE):
        if name:
            found[name] = at
        at += 4 if name else int(gap, 16)
    return found


async def set_ring(registers):
    at = addresses()
    for name, value in (
        ("PORT_OPEN", (1 << PORTS) - 1),
        ("RING_SELECT", 0),
        ("RING_ID", RING),
        ("RING_SHAPE", WORKERS | WINDOW_LOG2 << 8 | LEARN | ENABLE),
        ("RING_REGION", MSGLEN << 16),
        ("RING_COMMAND", STORE),
    ):
        await registers.write_dword(at[name], value)


async def send(source, port_frames):
    for frame in port_frames:
        await source.send(AxiStreamFrame(frame))
    await source.wait()


async def receive(sink, received):
    while True:
        frame = await sink.recv()
        received.append((get_sim_time("ns"), time.process_time(), bytes(frame.tdata)))


async def silence(dut, received):
    """Waits until nothing has come out for a while."""
    count = -1
    while count != sum(map(len, received)):
        count = sum(map(len, received))
        await ClockCycles(dut.clk, SILENCE_CYCLES)


@cocotb.test()
async def replay(dut):
    # A line for each frame would be most of the time.
    logging.getLogger("cocotb").setLevel(logging.WARNING)
    limit = int(os.environ["WEIR_FRAMES"])
    sent = list(frames(os.environ["WEIR_IN"]))[:limit]

    sources = [AxiStreamSource(AxiStreamBus.from_prefix(dut, f"s{p}_axis"), dut.clk, dut.rst_n, False) for p in range(PORTS)]
    sinks = [AxiStreamSink(AxiStreamBus.from_prefix(dut, f"m{p}_axis"), dut.clk, dut.rst_n, False) for p in range(PORTS)]
    registers = AxiLiteMaster(AxiLiteBus.from_prefix(dut, "s_axil"), dut.clk, dut.rst_n, False)
    dut.rst_n.value = 0
    Clock(dut.clk, PERIOD_NS, unit="ns").start()
    await ClockCycles(dut.clk, 8)
    dut.rst_n.value = 1
    await RisingEdge(dut.clk)
    await set_ring(registers)
    await ClockCycles(dut.clk, SLOTS)  # the device empties its slots

    received = [[] for _ in range(PORTS)]
    for sink, into in zip(sinks, received):
        cocotb.start_soon(receive(sink, into))
    start, start_ns = time.process_time(), get_sim_time("ns")
    senders = [cocotb.start_soon(send(s, [f for port, f in sent if port == p])) for p, s in enumerate(sources)]
    for sender in senders:
        await sender
    await silence(dut, received)

    # The time of the last frame out; the silence behind it is not counted.
    last_ns, last, _ = max(row for port in received for row in port)
    ours = {frame for port in received for _, _, frame in port}
    theirs = {frame for _, frame in frames(os.environ["WEIR_OUT"])}
    assert ours == theirs, f"{len(ours - theirs)} frames that weir does not have, {len(theirs - ours)} that only weir has"
    with open(os.environ["WEIR_RESULT"], "w", encoding="utf-8") as file:
        json.dump(
            {
                "frames": len(sent),
                "frames_out": sum(map(len, received)),
                "cycles": (last_ns - start_ns) / PERIOD_NS,
                "seconds": last - start,
            },
            file,
        )
