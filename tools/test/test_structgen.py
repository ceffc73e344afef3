"""tools/generate/structgen.py on a package of its own: where C finds fields is where SystemVerilog has them."""
import pathlib
import shutil
import subprocess

import pytest

VERILATOR = shutil.which("verilator")
PACKAGE = """package some_pkg;
  localparam int unsigned W = 3;
  typedef enum logic [W-1:0] {Red = 3'd1, Green = 3'd6} colour_e;
  typedef struct packed {
    logic        deep;
    logic [W:0]  wide;
  } inner_t;
  typedef struct packed {
    logic              top;
    inner_t            inner;
    logic [3:0][W-1:0] many;
    inner_t [1:0]      pair;
    colour_e           colour;
  } outer_t;
endpackage
"""
EXPECTED = {
    "inner_t__BITS": 5, "inner_t__deep__AT": 4, "inner_t__deep__BITS": 1, "inner_t__wide__AT": 0, "inner_t__wide__BITS": 4,
    "outer_t__BITS": 31, "outer_t__top__AT": 30, "outer_t__inner__AT": 25, "outer_t__inner__BITS": 5, "outer_t__inner__deep__AT": 29,
    "outer_t__inner__wide__AT": 25, "outer_t__many__AT": 13, "outer_t__many__BITS": 12, "outer_t__many__EACH": 3, "outer_t__pair__AT": 3,
    "outer_t__pair__EACH": 5, "outer_t__colour__AT": 0, "outer_t__colour__BITS": 3, "colour_e__BITS": 3, "Red": 1, "Green": 6,
}


def run(room, *packages):
    return subprocess.run(["python3", "tools/generate/structgen.py", VERILATOR, room / "out", *packages], capture_output=True, text=True, check=False)


@pytest.fixture(name="package")
def package_of(tmp_path):
    path = tmp_path / "some_pkg.sv"
    path.write_text(PACKAGE)
    return path


def test_fields_are_where_they_are(tmp_path, package):
    assert run(tmp_path, package).returncode == 0
    source = tmp_path / "check.c"
    checks = "".join(f'_Static_assert({name} == {value}, "{name}");\n' for name, value in EXPECTED.items())
    source.write_text('#include "out/some_pkg.h"\n' + checks)
    told = subprocess.run(["gcc", "-std=c17", "-fsyntax-only", f"-I{tmp_path}", source], capture_output=True, text=True, check=False)
    assert told.returncode == 0, told.stderr


def test_what_has_not_changed_is_left_alone(tmp_path, package):
    run(tmp_path, package)
    header = tmp_path / "out" / "some_pkg.h"
    before = header.stat().st_mtime_ns
    run(tmp_path, package)
    assert header.stat().st_mtime_ns == before
    package.write_text(PACKAGE.replace("logic              top;", "logic [1:0]        top;"))
    run(tmp_path, package)
    assert "outer_t__BITS = 32," in header.read_text()


def test_a_package_that_went_leaves_no_header(tmp_path, package):
    other = pathlib.Path(tmp_path / "other_pkg.sv")
    other.write_text(PACKAGE.replace("some_pkg", "other_pkg"))
    run(tmp_path, package, other)
    run(tmp_path, package)
    assert sorted(path.name for path in (tmp_path / "out").iterdir()) == ["some_pkg.h"]


def test_a_package_that_cannot_be_read_is_an_error(tmp_path, package):
    package.write_text(PACKAGE.replace("endpackage", ""))
    told = run(tmp_path, package)
    assert told.returncode == 1 and "cannot read the packages" in told.stderr
