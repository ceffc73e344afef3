"""tools/generate/bundle.py: what Verilator wrote is compiled in fewer files, all of it, and each kind by itself."""
import pathlib
import re
import subprocess
import sys

import pytest

PROGRAM = pathlib.Path(__file__).parents[2] / "tools/generate/bundle.py"
FAST = ["Vx", "Vx_big", "Vx__Trace__0"]
SLOW = ["Vx__Slow", "Vx__Trace__0__Slow"]
SUPPORT_SLOW = ["Vx__Syms"]


def listed(name, classes, indent):
    return f"{name} += \\\n" + "".join(f"{indent}{c} \\\n" for c in classes) + "\n"


def words(text, name):
    return re.search(rf"^{name} \+= \\\n((?:[ \t].*\\\n)*)", text, re.M).group(1).replace("\\", " ").split()


@pytest.fixture(name="bundle")
def fixture_bundle(tmp_path):
    """`bundle(parallel)`: runs it on a model that Verilator has split (1) or not (0); the list of classes then, and what was printed."""
    def run(parallel, lists=("VM_CLASSES_FAST", "VM_CLASSES_SLOW", "VM_SUPPORT_FAST", "VM_SUPPORT_SLOW"), indent="\t"):
        of = dict(zip(("VM_CLASSES_FAST", "VM_CLASSES_SLOW", "VM_SUPPORT_FAST", "VM_SUPPORT_SLOW"), (FAST, SLOW, [], SUPPORT_SLOW)))
        for name in FAST + SLOW + SUPPORT_SLOW:
            (tmp_path / f"{name}.cpp").write_text(f"// {name}\n" + "/" * (3_000_000 if name == "Vx_big" else 1_500_000), encoding="utf-8")
        path = tmp_path / "Vx_classes.mk"
        path.write_text(f"VM_PARALLEL_BUILDS = {parallel}\n" + "".join(listed(name, of[name], indent) for name in lists), encoding="utf-8")
        done = subprocess.run([sys.executable, PROGRAM, tmp_path, "Vx"], capture_output=True, text=True, check=False)
        return done, path.read_text(encoding="utf-8")
    return run


@pytest.mark.parametrize("indent", ["\t", "  "], ids=["5.006", "5.48"])
def test_each_file_is_in_one_bundle_of_its_kind(bundle, tmp_path, indent):
    done, text = bundle(1, indent=indent)
    assert done.returncode == 0, done.stderr
    inside = {}
    for name in words(text, "VM_CLASSES_FAST") + words(text, "VM_CLASSES_SLOW"):
        for part in re.findall(r'#include "(parts/.*)"', (tmp_path / f"{name}.cpp").read_text(encoding="utf-8")):
            assert (tmp_path / part).read_text(encoding="utf-8").startswith(f"// {pathlib.Path(part).stem}\n")
            inside.setdefault(pathlib.Path(part).stem, []).append(name)
    # The large one does not fit beside the other.
    assert inside == {"Vx_big": ["Vx___Fast_0"], "Vx": ["Vx___Fast_1"], "Vx__Trace__0": ["Vx__Trace__Fast_0"], "Vx__Slow": ["Vx___Slow_0"],
                      "Vx__Syms": ["Vx___Slow_0"], "Vx__Trace__0__Slow": ["Vx__Trace__Slow_0"]}
    assert set(words(text, "VM_CLASSES_SLOW")) == {"Vx___Slow_0", "Vx__Trace__Slow_0"}
    assert not words(text, "VM_SUPPORT_FAST") and not words(text, "VM_SUPPORT_SLOW")
    assert not [p for p in tmp_path.glob("*.cpp") if p.stem in inside]


def test_a_small_model_stays(bundle, tmp_path):
    done, text = bundle(0)
    assert done.returncode == 0 and words(text, "VM_CLASSES_FAST") == FAST and not (tmp_path / "parts").exists()


def test_another_verilator_is_told(bundle):
    """Without one of the lists its files would not be compiled at all."""
    done, _ = bundle(1, lists=("VM_CLASSES_FAST", "VM_CLASSES_SLOW", "VM_SUPPORT_FAST"))
    assert done.returncode == 1 and "has no VM_SUPPORT_SLOW" in done.stderr
