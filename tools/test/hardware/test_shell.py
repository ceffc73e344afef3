"""Constraints of the shell name what there is, all of it, with the right periods; the example of docs/integration.md elaborates."""
import glob
import os
import re
import shutil
import subprocess
import sys

import pytest

ROOT = os.path.abspath(os.path.join(os.path.dirname(__file__), "../../.."))
INSTANCE = re.compile(r"^ *(shell_\w+) (?:#\((?:[^;]*?)\n *\) )?(u_\w+) \(", re.M)
BLOCK = re.compile(r"begin : (gen_queue|gen_count)\b")


def run(*arguments):
    return subprocess.run([sys.executable, "tools/shell_constraints.py", *arguments], cwd=ROOT, capture_output=True, text=True, check=False)


def module(name):
    with open(f"{ROOT}/rtl/shell/{name}.sv", encoding="utf-8") as f:
        return re.sub(r"//[^\n]*", "", f.read())


def tree(name="shell_port", path=""):
    """(path, module) of each instance below a module; generate blocks without their number."""
    text = module(name)
    for match in INSTANCE.finditer(text):
        blocks = BLOCK.findall(text[:match.start()])
        inside = blocks and match.group(2) in ("u_fifo", "u_count")
        here = f"{path}{blocks[-1]}." if inside else path
        yield here + match.group(2), match.group(1)
        yield from tree(match.group(1), f"{here}{match.group(2)}/")


def registers(text, port):
    """Paths of the registers that constraints name, without numbers of generate blocks."""
    found = re.findall(re.escape(port) + r"/([^}\]\s]+(?:\[\d+\][^}\]\s]*)*?)\[\*\]", text)
    return {re.sub(r"\[\d+\]", "", name).removesuffix("_reg") for name in found}


@pytest.mark.parametrize("queues", [1, 2, 8])
def test_every_register_is_there(queues):
    instances = dict(tree())
    names = registers(run("xdc", "--queues", str(queues)).stdout, "u_port")
    assert len(names) > 20
    for name in names:
        place, register = name.rsplit("/", 1)
        assert place in instances, name
        assert re.search(rf"\b{register}\b", module(instances[place])), name


@pytest.mark.parametrize("tool", ["xdc", "sdc"])
def test_every_synchronizer_is_constrained(tool):
    text = re.sub(r"\[\d+\]", "", run(tool).stdout)
    places = {place for place, name in tree() if name == "shell_sync"}
    assert len(places) >= 10
    # Numbers of generate blocks are left out, so the counter of the core's own events, which crosses nothing, is not missed.
    missing = {place for place in places if not re.search(rf"-to \[get_cells \{{u_port/{re.escape(place)}/meta_q", text)}
    assert not missing


def test_number_of_queues():
    one, two = (run("xdc", "--queues", n).stdout.count("frames_gray_q_reg") for n in "12")
    assert two == 2 * one == 8


def test_periods():
    text = run("xdc", "--core", "200", "--rx", "400", "--tx", "100", "--port", "top/p3").stdout
    limits = dict(re.findall(r"set_max_delay -datapath_only -from \[get_cells \{(\S+?)_reg\[\*\]\}\].* (\S+)$", text, re.M))
    assert limits["top/p3/u_rx/u_queues/gen_queue[0].u_fifo/frames_gray_q"] == "2.500"
    assert limits["top/p3/u_tx/u_queues/gen_queue[0].u_fifo/frames_gray_q"] == "5.000"
    assert limits["top/p3/gen_count[4].u_count/gray_q"] == "5.000"
    assert text.count("set_bus_skew") == text.count("set_max_delay -datapath_only")
    assert "-datapath_only" not in run("sdc").stdout


def test_parameters():
    # The defaults of the RTL are those of a CMAC.
    text = run("parameters").stdout.split()
    port = module("shell_port")
    for switch in text:
        name, value = switch.removeprefix("-G").split("=")
        assert re.search(rf"{name} = {value}\b", port)
    assert run("parameters", "--rx", "250", "--tx", "195.3125").stdout.split() == ["-GRxQuantumStep=51200", "-GTxQuantumStep=65536",
                                                                                   "-GTickCycles=250000"]
    slow = run("parameters", "--tx", "195")
    assert slow.returncode != 0 and "195" in slow.stderr


def test_constants():
    text = run("xdc").stdout
    port = module("shell_port")
    named = re.findall(r"set_false_path -through \[get_pins \{u_port/(\w+)\*\}\]", text)
    inputs = re.search(r"input logic \[47:0\] +mac_i.*?input logic +watchdog_ignore_i", port, re.S).group(0)
    assert named == re.findall(r"(\w+_i)\b", inputs)


@pytest.mark.skipif(not shutil.which(os.environ.get("VERILATOR", "verilator")), reason="no verilator")
def test_example_elaborates():
    packages = ["rtl/shell/shell_pkg.sv"]
    command = [os.environ.get("VERILATOR", "verilator"), "--lint-only", "-Wall", "-y", "rtl/prim", "-y", "rtl/shell", "-y", "tools/test/hardware",
               *packages, "--top-module", "cmac_port", "docs/examples/cmac_port.sv"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert glob.glob(f"{ROOT}/docs/examples/*.sv")


def test_tree_node_behind_shells_elaborates():
    rooms = ["rtl/prim", "rtl/prim/float", "rtl/roce", *sorted(glob.glob("rtl/tree/*", root_dir=ROOT)), "rtl/csr", "rtl/top", "rtl/shell"]
    first = ["rtl/roce/roce_pkg.sv", "rtl/tree/sat/sat_pkg.sv", "rtl/csr/tree_csr_pkg.sv"]
    others = [name for room in rooms if room != "rtl/csr" for name in sorted(glob.glob(f"{room}/*_pkg.sv", root_dir=ROOT)) if name not in first]
    command = [os.environ.get("VERILATOR", "verilator"), "--lint-only", "-Wall", *(word for room in rooms for word in ("-y", room)),
               *first, *others, "--top-module", "tree_node_board", "docs/examples/tree_node_board.sv"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
