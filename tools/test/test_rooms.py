"""tools/rooms.py: the sources keep to who may use whom, and a use that is not allowed is seen."""
import pathlib
import re
import shutil
import subprocess
import sys
import xml.dom.minidom

import pytest

ROOT = pathlib.Path(__file__).parents[2]
PROGRAM = ROOT / "tools/rooms.py"


def rooms(where, *options):
    done = subprocess.run([sys.executable, PROGRAM, *options], cwd=where, capture_output=True, text=True, check=False)
    return done.returncode, done.stdout


def rules():
    """The rooms that have a rule."""
    sys.path.insert(0, str(PROGRAM.parent))
    import rooms as program   # pylint: disable=import-outside-toplevel
    return program.RULES


@pytest.fixture(scope="module", name="copy")
def fixture_copy(tmp_path_factory):
    """A copy of all sources that are looked at."""
    to = tmp_path_factory.mktemp("tree")
    for top in ("rtl", "lib", "host", "tb", "sim", "formal"):
        shutil.copytree(ROOT / top, to / top, ignore=lambda folder, names: [
            n for n in names if not (pathlib.Path(folder) / n).is_dir() and not n.endswith((".c", ".h", ".cpp", ".sv"))])
    return to


def test_sources_keep_to_their_rooms():
    code, said = rooms(ROOT)
    assert code == 0, said


@pytest.mark.parametrize("path, line, fault", [
    ("lib/base/map.c", '#include "wire/roce.h"', "lib/base may not use code of lib/wire"),
    ("host/plain.c", '#include "model/model.h"', "host may not use code of tb/model"),
    ("tb/model/model.c", '#include "drive/drive.h"', "tb/model may not use code of tb/drive"),
    ("tb/model/model.c", '#include "oracle/witness.h"', "tb/model may not use code of tb/oracle"),
    ("tb/oracle/witness.c", '#include "model/model.h"', "tb/oracle may not use code of tb/model"),
    ("tb/hosts/link.c", '#include "../drive/drive.h"', "tb/hosts may not use code of tb/drive"),
    ("sim/ring/ring.c", '#include "sim/replay/plan.h"', "sim/ring may not use code of sim/replay"),
    ("rtl/prim/prim_skid.sv", "localparam X = roce_pkg::Beat;", "rtl/prim may not use packages of rtl/roce"),
    ("rtl/roce/roce_out.sv", "import agg_pkg::*;", "rtl/roce may not use packages of rtl/aggregate"),
    ("rtl/gather/gather_axis.sv", "import agg_pkg::*;", "rtl/gather may not use packages of rtl/aggregate"),
    ("rtl/gather/nic/gather_nic.sv", "gather_cache #(.A(1)) u_x ();", "rtl/gather/nic may not use code of rtl/gather/cache"),
    ("rtl/relay/relay_take.sv", "agg_emit u_emit (", "rtl/relay may not use code of rtl/aggregate/emit"),
    ("rtl/aggregate/slot/agg_slot_state.sv", "agg_lookup\n #(", "rtl/aggregate/slot may not use code of rtl/aggregate/classify"),
    ("rtl/new/new.sv", "import agg_pkg::*;", "rtl/new: a room without a rule"),
])
def test_wrong_use_is_seen(copy, path, line, fault):
    file = copy / path
    before = file.read_text(encoding="utf-8") if file.exists() else None
    file.parent.mkdir(exist_ok=True)
    file.write_text(f"{before or ''}\n{line}\n", encoding="utf-8")
    code, said = rooms(copy)
    if before is None:
        shutil.rmtree(file.parent)
    else:
        file.write_text(before, encoding="utf-8")
    assert code == 1 and fault in said, said


def test_circle_is_seen(tmp_path):
    """Also where the table would let it be: two rooms that may use each other do not, nor do three."""
    for path in ("sim/engine/a.h", "sim/cli/b.h", "sim/ring/c.h"):
        (tmp_path / path).parent.mkdir(parents=True)
        (tmp_path / path).write_text("", encoding="utf-8")
    (tmp_path / "sim/engine/a.h").write_text('#include "sim/cli/b.h"\n', encoding="utf-8")
    fault = "sim/engine: uses sim/cli, and is used by it or by what it uses"
    assert fault not in rooms(tmp_path)[1]
    (tmp_path / "sim/cli/b.h").write_text('#include "sim/ring/c.h"\n', encoding="utf-8")
    assert fault not in rooms(tmp_path)[1]
    (tmp_path / "sim/ring/c.h").write_text('#include "sim/engine/a.h"\n', encoding="utf-8")
    assert fault in rooms(tmp_path)[1]


def test_words_in_comments_are_no_use(copy):
    file = copy / "rtl/prim/prim_skid.sv"
    before = file.read_text(encoding="utf-8")
    file.write_text(f'{before}\n// roce_pkg::x\n/* roce_out u_x ( */ localparam S = "agg_pkg::y";\n', encoding="utf-8")
    code, said = rooms(copy)
    file.write_text(before, encoding="utf-8")
    assert code == 0, said


def test_no_sources_are_no_pass(tmp_path):
    code, said = rooms(tmp_path)
    assert code == 1 and "rtl/prim: a rule in tools/rooms.py without a folder" in said


def test_drawing_is_of_these_sources(copy):
    code, said = rooms(ROOT, "--draw")
    assert code == 0 and said == (ROOT / "docs/pictures/rooms.svg").read_text(encoding="utf-8"), \
        "tools/rooms.py --draw > docs/pictures/rooms.svg"
    file = copy / "host/plain.c"
    before = file.read_text(encoding="utf-8")
    file.write_text(before + '#include "model/model.h"\n', encoding="utf-8")
    other = rooms(copy, "--draw")[1]
    file.write_text(before, encoding="utf-8")
    assert other != said, "an arrow more is another drawing"
    assert rooms(copy, "--draw")[1] == said


def test_the_page_has_all_rooms():
    """docs/architecture.md has a row for each room, or names it in the row of the one above it."""
    page = (ROOT / "docs/architecture.md").read_text(encoding="utf-8")
    rows = {name: row for row in page.split("\n") if row.startswith("| `") for name in re.findall(r"`([^`]+)`", row.split("|")[1])}
    assert len(rules()) > 40
    assert not [room for room in rules() if room not in rows and f"`{room.rpartition('/')[2]}`" not in rows.get(room.rpartition("/")[0], "")]


def test_drawing_is_xml():
    xml.dom.minidom.parseString(rooms(ROOT, "--draw")[1])
