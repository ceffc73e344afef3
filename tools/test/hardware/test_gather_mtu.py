"""MTUs of the gather devices: those whose packets their receivers take elaborate, all others stop with a sentence."""
import os
import pathlib
import subprocess

import pytest

ROOT = pathlib.Path(__file__).parents[3]
ROOMS = ["rtl/prim", "rtl/roce", "rtl/gather", "rtl/gather/concat", "rtl/gather/cache", "rtl/gather/hold", "rtl/gather/nic", "rtl/gather/switch", "rtl/csr"]
PACKAGES = ["rtl/roce/roce_pkg.sv", *(f"rtl/csr/gather_{d}_csr_pkg.sv" for d in ("nic", "switch")), "rtl/gather/gather_cfg_pkg.sv", "rtl/gather/gather_obs_pkg.sv", "rtl/gather/gather_pkg.sv",
            "rtl/prim/prim_crc32_pkg.sv", "rtl/prim/prim_secded_pkg.sv", "rtl/roce/roce_icrc_pkg.sv"]


# A switch of the fewest ports: it has every kind of receiver.
SIZES = {"switch": ["-GNumPorts=2", "-GNumPipes=1", "-GNumNodes=4"], "nic": []}


def elaborate(device, mtu):
    """Exit code of Verilator, and what it said."""
    command = [os.environ.get("VERILATOR", "verilator"), "--lint-only", "-Wall", *(word for room in ROOMS for word in ("-y", room)), *PACKAGES,
               "--top-module", f"weir_gather_{device}", f"-GMtu={mtu}", *SIZES[device], f"rtl/top/weir_gather_{device}.sv"]
    done = subprocess.run(command, capture_output=True, text=True, cwd=ROOT, check=False)
    return done.returncode, done.stderr


@pytest.mark.parametrize("device", ["switch", "nic"])
@pytest.mark.parametrize("mtu", [1108, 2369])
def test_elaborates(device, mtu):
    code, said = elaborate(device, mtu)
    assert code == 0, said


@pytest.mark.parametrize("device", ["switch", "nic"])
@pytest.mark.parametrize("mtu", [1107, 2370])
def test_is_refused(device, mtu):
    code, said = elaborate(device, mtu)
    assert code != 0 and "Mtu must be 1108 to 2369" in said, said
