"""Machines with several accelerators in `weir fabric`: what goes over which cable, and how long that takes (NetReduce 3.4 and A)."""
import pytest

from fabric_runs import WIRE, good, quiet

# Those of NetReduce 3.4: flat ring, Tencent's, parallel rings, parallel NetReduce. The model has whole chunks in a flat ring.
MACHINES = {"all-reduce": "1024M", "master-ring": "170K", "parallel-ring": "170K", "parallel-netreduce": "170K"}


@pytest.mark.parametrize("load", MACHINES)
@pytest.mark.parametrize("shape", ["2x2", "5x4", "16x1"])
@pytest.mark.parametrize("options", ["", "--prepare 3 --message 5000 --inflight 3", "--loss 0.001 --timeout 200 --message 40000 --mtu 1024",
                                     "--qps 3 --qp-mode split --channels 2 --message 50000"])
def test_machines(fabric, load, shape, options):
    """Every accelerator gets the sum over all of them, whatever the way, also when packets are lost."""
    if load == "parallel-netreduce" and "qps" in options:
        fabric.refused("netreduce", f"--topology machines:{shape} --load {load}", options)
        return
    s = good(fabric, f"--topology machines:{shape} --load {load} --size 300001", options)
    assert (s["again"] > 0) == ("loss" in options) and (s["summed"] > 0) == (load == "parallel-netreduce")


@pytest.mark.parametrize("load,cable,inner", [("all-reduce", 2 * 31 / 32, 2 * 31 / 32), ("master-ring", 2 * 3 / 4, None), ("parallel-ring", 2 * 3 / 4, 2 * 7 / 8 + 2 * 3 / 4 / 8),
                                              ("parallel-netreduce", 1, 2 * 7 / 8 + 1 / 8)])
def test_bytes_of_machines(fabric, load, cable, inner):
    """What goes over a machine's cable and over an accelerator's is what the model's M terms say (NetReduce A), each way; and 82 bytes a packet."""
    size, share = 16 << 20, 4096 / WIRE
    s = quiet(fabric, f"--topology machines:4x8 --load {load} --size {size} --message {MACHINES[load]} --ack-every 64")
    for way in ("up", "down"):
        assert s["cables"][way]["bytes"] * share == pytest.approx(4 * cable * size, rel=0.003)
    if inner is not None:
        assert s["cables"]["host_up"]["bytes"] * share == pytest.approx(32 * inner * size, rel=0.003)
    # A master sends its part of the ring, and its part of the broadcast.
    fullest = inner or (2 * 3 / 4 + 7 / 8 + 7 / 8 + 7 / 8)
    assert s["cables"]["host_up"]["fullest"] * s["cables"]["host_up"]["bytes"] / 32 * share == pytest.approx(fullest * size, rel=0.003)


@pytest.mark.parametrize("load,machines,n,size", [("all-reduce", 32, 1, 64 << 20), ("master-ring", 4, 8, 32 << 20), ("parallel-netreduce", 4, 8, 32 << 20),
                                                  ("parallel-netreduce", 64, 8, 8 << 20)])
@pytest.mark.parametrize("alpha", [0, 10, 100])
def test_time_of_machines(fabric, load, machines, n, size, alpha):
    """Formulas (1) to (3) of NetReduce A, with the first part of (2) as its total has it; rates are of payload."""
    inner, outer, logarithm = 32e3 * 4096 / WIRE, 12.5e3 * 4096 / WIRE, n.bit_length() - 1
    ranks = machines * n
    wanted = {"all-reduce": 2 * (ranks - 1) * alpha + 2 * (ranks - 1) / ranks * size / outer,
              "master-ring": (2 * logarithm + 2 * (machines - 1) + logarithm + n - 1) * alpha + 4 * (n - 1) / n * size / inner + 2 * (machines - 1) / machines * size / outer,
              "parallel-netreduce": (2 * n - 1) * alpha + 2 * (n - 1) / n * size / inner + size / outer}[load]
    s = quiet(fabric, f"--topology machines:{machines}x{n} --inner-rate 256 --cable 1 --latency 1 --load {load} --size {size} --message {MACHINES[load]} --prepare {alpha}")
    assert s["time_ps"] / 1e6 == pytest.approx(wanted, rel=0.01)


def test_refused_machines(fabric):
    for options in ("--topology machines:4", "--topology machines:0x4", "--topology machines:4x4x4", "--topology machines:1x8 --load parallel-ring",
                    "--topology machines:4x6 --load master-ring", "--topology clos:4x4x2 --load parallel-netreduce", "--topology machines:129x1 --load parallel-netreduce",
                    "--topology machines:4x4 --load parallel-ring --ranks 6", "--topology machines:4x4 --load parallel-ring --placement spread"):
        fabric.refused("", options)
