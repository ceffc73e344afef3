"""What docs/tour.md relies on: tools/doccheck.py turns red where page and commands differ, and leaves no trace; tools/draw/wave.py and
tools/draw/cut.py draw what there is; formal/trace.py finds fields of structs."""
import os
import pathlib
import shutil
import subprocess
import sys
import xml.dom.minidom

import pytest

ROOT = pathlib.Path(__file__).parents[2]


def said_by(program, *arguments, where=ROOT, **variables):
    """Exit code, standard output, standard error of a Python program of the project."""
    done = subprocess.run([sys.executable, program, *map(str, arguments)], cwd=where, env=os.environ | variables, capture_output=True, text=True,
                          check=False)
    return done.returncode, done.stdout, done.stderr


# ------------------------------------------------------------------------------------------------------------------- doccheck

class Tree:
    """A project with one page, `docs/page.md`."""

    def __init__(self, path):
        self.path = path
        (path / "tools").mkdir()
        (path / "docs").mkdir()
        shutil.copy(ROOT / "tools/doccheck.py", path / "tools")
        subprocess.run(["git", "init", "--quiet", path], check=True)

    def check(self, *lines, options=()):
        """The page with one block of these lines: the verdicts, what was printed."""
        self.page("```console", *lines, "```")
        return self.run(*options)

    def page(self, *lines):
        (self.path / "docs/page.md").write_text("# Page\n\n" + "\n".join(lines) + "\n", encoding="utf-8")

    def run(self, *options):
        """Verdicts, and all that was printed; exit code and plan must agree with them."""
        code, output, _ = said_by(self.path / "tools/doccheck.py", *options, "docs/page.md", where=self.path, BUILD="build")
        verdicts = [line.split(" ")[0] for line in output.splitlines() if line.startswith(("ok ", "not ok "))]
        assert output.startswith(f"1..{len(verdicts)}\n") and code == ("not" in verdicts), output
        return verdicts, output


@pytest.fixture(name="tree")
def fixture_tree(tmp_path):
    """A project of its own."""
    return Tree(tmp_path)


@pytest.mark.parametrize("lines", [
    ("$ printf 'a\\nb\\nc\\n'", "a", "b", "c"),
    ("$ printf 'a\\nb\\nc\\n'", "a", "...", "c"),
    ("$ printf 'a\\nb\\nc\\n'", "...", "c"),
    ("$ printf 'a\\nb\\nc\\n'", "a", "..."),
    ("$ printf 'a\\nb\\nc\\n'", "a", "b", "...", "c"),
    ("$ printf 'a\\nb\\nc\\n'",),
    ("$ printf 'a  b took 3.2 s\\n'", "a b   took 11 s"),
    ("$ echo file.sv:12: wrong", "file.sv:345: wrong"),
    ("$ false || echo \"exit code $?\"", "exit code 1"),
    ("$ echo of standard output; echo other >&2", "of standard output"),
    ("$ echo one \\", "    two", "one two"),
])
def test_what_is_as_the_page_says(tree, lines):
    assert tree.check(*lines)[0] == ["ok"]


@pytest.mark.parametrize("lines, sentence", [
    (("$ echo a", "b"), "lacks there: b"),
    (("$ printf 'a\\nb\\nc\\n'", "a", "c"), "lacks there: c"),
    (("$ printf 'a\\nb\\nc\\n'", "...", "c", "b"), "lacks there: b"),
    (("$ printf 'a\\nb\\n'", "b"), "lacks there: b"),
    (("$ printf 'a\\nb\\n'", "a"), "goes on, and the page does not say so: b"),
    (("$ true", "a"), "lacks there: a"),
    (("$ echo took 3.2 ms", "took 3.3 ms"), "lacks there: took 3.3 ms"),
    (("$ echo a; exit 3", "a"), "exit code 3"),
    (("$ no-such-command",), "exit code 127"),
])
def test_what_is_not(tree, lines, sentence):
    verdicts, output = tree.check(*lines)
    assert verdicts == ["not"] and sentence in output


def test_a_failure_hides_no_other_command(tree):
    verdicts, output = tree.check("$ echo a > kept", "$ false", "$ cat kept", "a")
    assert verdicts == ["ok", "not", "ok"] and "not ok 2 - command 2: false" in output


def test_a_page_without_commands(tree):
    tree.page("```", "$ echo not a console block", "```")
    code, _, errors = said_by(tree.path / "tools/doccheck.py", "docs/page.md", where=tree.path)
    assert code == 1 and "docs/page.md has no command" in errors


def test_the_tree_and_its_build_stay_as_they_are(tree):
    """The copy has what is edited, new, and named of what was built; what commands do to it is theirs."""
    (tree.path / ".gitignore").write_text("build/\n", encoding="utf-8")
    (tree.path / "rtl").mkdir()
    (tree.path / "rtl/new.sv").write_text("as it is\n", encoding="utf-8")
    (tree.path / "build/deep").mkdir(parents=True)
    for name in ("program", "deep/object", "other"):
        (tree.path / "build" / name).write_text("built\n", encoding="utf-8")
        os.utime(tree.path / "build" / name, (1000, 1000))
    before = {path: path.stat().st_mtime_ns for path in tree.path.rglob("*") if path.is_file() and path.name != "page.md"}
    verdicts, output = tree.check("$ cat rtl/new.sv build/program build/deep/object", "as it is", "built", "built",
                                  "$ stat -c %Y build/program", "1000", "$ test ! -e build/other",
                                  "$ echo broken | tee rtl/new.sv build/program > build/deep/object; rm .gitignore; echo > more",
                                  options=("--built", "program", "--built", "deep/**"))
    assert verdicts == ["ok"] * 4, output
    assert before == {path: path.stat().st_mtime_ns for path in tree.path.rglob("*") if path.is_file() and path.name != "page.md"}
    assert (tree.path / "rtl/new.sv").read_text(encoding="utf-8") == "as it is\n"


def test_pictures(tree):
    """One that is missing, as made, not as made, and not made at all; --write takes what was made."""
    def verdicts(command, *options):
        tree.page("```console", f"$ {command}", "```", "", "![A wave](pictures/page-wave.svg)", "![Another page's](pictures/other.svg)")
        return tree.run(*options)

    assert verdicts("echo drawn > wave.svg")[0] == ["ok", "not"]
    assert verdicts("echo drawn > wave.svg", "--write")[0] == ["ok", "ok"]
    assert verdicts("echo drawn > wave.svg")[0] == ["ok", "ok"]
    result, output = verdicts("echo other > wave.svg")
    assert result == ["ok", "not"] and "`tools/doccheck.py --write` takes that" in output
    result, output = verdicts("true", "--write")
    assert result == ["ok", "not"] and "no command makes wave.svg" in output


# ------------------------------------------------------------------------------------------------------------------- pictures

# A clock, a bit, a bus, one that stands still; edges every 2 ns.
VCD = """$timescale 1ns $end
$scope module top $end
$var wire 1 ! clk $end $var wire 1 " bit $end $var wire 8 # bus [7:0] $end $var wire 4 $ still [3:0] $end
$upscope $end
$enddefinitions $end
#0 0! 0" b00001111 # b0101 $
#20 1" b11111111 #
#40 0"
#60
"""
SAVE = """@800200\n-one group\n@28\ntop.bit\n@22\ntop.bus[7:0]\n@1000200\n-one group\n@800200\n-of what stands still\n@200\n-a note\n@24\ntop.still[3:0]\n"""


@pytest.fixture(name="wave")
def fixture_wave(tmp_path):
    """`wave(option, ..)`: exit code, picture, what went wrong."""
    def run(*options, save=SAVE):
        (tmp_path / "wave.vcd").write_text(VCD, encoding="utf-8")
        (tmp_path / "wave.gtkw").write_text(save, encoding="utf-8")
        return said_by(ROOT / "tools/draw/wave.py", tmp_path / "wave.vcd", tmp_path / "wave.gtkw", *options)
    return run


def words(svg):
    """All texts of a picture, which is well-formed."""
    return [node.firstChild.data for node in xml.dom.minidom.parseString(svg).getElementsByTagName("text") if node.firstChild]


def test_a_waveform(wave):
    code, svg, _ = wave("--from", 0, "--to", 60, "--title", "a < b", "--mark", "20=up", "--mark", "24=and a word that would be on it")
    assert code == 0
    assert words(svg) == ["a < b", "0", "40", "ns", "up", "and a word that would be on it", "one group", "top.bit", "top.bus", "f", "ff"]
    # The bit is high from 20 to 40 ns, a third of the width.
    points = [float(point.split(",")[0]) for point in svg.split('class="bit" points="')[1].split('"')[0].split()]
    width = points[-1] - points[0]
    assert points[1] == points[2] and all(abs((points[i] - points[0]) / width - i // 2 / 3) < 0.001 for i in (2, 4))
    # Marks that would touch have lines of their own.
    heads = [line for line in svg.splitlines() if 'class="word"' in line]
    assert len({line.split(' y="')[1].split('"')[0] for line in heads}) == 2


def test_what_stands_still(wave):
    assert words(wave("--from", 0, "--to", 60, "--still")[1])[-5:] == ["ff", "of what stands still", "a note", "top.still", "5"]
    assert "top.bus" not in wave("--from", 20, "--to", 60)[1]


def test_a_signal_that_is_not_there(wave):
    code, svg, errors = wave("--from", 0, "--to", 60, save="@28\ntop.bit\ntop.gone[2:0]\n")
    assert code == 1 and not svg and errors.endswith("wave.gtkw:\ntop.gone[2:0]\n")
    code, svg, errors = wave("--from", 0, "--to", 60, save="@28\n")
    assert code == 1 and not svg and errors.endswith("wave.gtkw names no signal\n")
    code, svg, errors = wave("--from", 40, "--to", 40)
    assert code == 1 and not svg and "--to must be a cycle" in errors


def test_a_picture_of_a_report(tmp_path):
    page = tmp_path / "page.html"
    page.write_text("""<html><style>
:root { --paper: #fff; }
</style><section id="one"><svg viewBox="0 0 26 14" aria-hidden="true"><path d=""/></svg>
<svg viewBox="0 0 900 100" role="img" aria-label="A"><text>first</text></svg>
<svg viewBox="0 0 900 100" role="img" aria-label="B"><text>second</text></svg></section><section id="two">text</section></html>""",
                    encoding="utf-8")
    code, svg, _ = said_by(ROOT / "tools/draw/cut.py", page, "one")
    assert code == 0 and words(svg) == ["first"] and "--paper: #fff" in svg and 'viewBox="-16 -16 932 132"' in svg
    for section, sentence in (("two", "section two has no picture"), ("three", "no section three; there are: one, two")):
        code, svg, errors = said_by(ROOT / "tools/draw/cut.py", page, section)
        assert code == 1 and not svg and sentence in errors


# ------------------------------------------------------------------------------------------------------------------- traces

# Three steps and the time behind them, as sby writes them.
TRACE = """$timescale 1ns $end
$var integer 32 t smt_step $end
$scope module props $end
$var wire 8 a rec $end
$var wire 1 b go $end
$scope module dut $end
$var wire 40 c wide $end
$upscope $end
$upscope $end
$enddefinitions $end
#0
b00000000 a
b0 b
b1 c
#5
#10
b10100011 a
b1 b
b1010000000000000000000000000000000000000 c
#15
#20
b01000011 a
#25
#30
"""
STRUCTS = """enum {
  rec_t__BITS = 8,
  rec_t__tag__AT = 4, rec_t__tag__BITS = 4,
  rec_t__inner__low__AT = 0, rec_t__inner__low__BITS = 2,
  rec_t__doubtful__AT = 2, rec_t__doubtful__BITS = 1,
};
enum {
  other_t__BITS = 8,
  other_t__doubtful__AT = 3, other_t__doubtful__BITS = 1,
};
enum { some_enum_e__BITS = 8, Red = 1 };
"""


@pytest.fixture(name="trace")
def fixture_trace(tmp_path):
    """`trace(signal, ..)`: exit code, table, what went wrong."""
    (tmp_path / "gen/structs").mkdir(parents=True)
    (tmp_path / "gen/structs/some_pkg.h").write_text(STRUCTS, encoding="utf-8")
    (tmp_path / "trace.vcd").write_text(TRACE, encoding="utf-8")
    return lambda *signals: said_by(ROOT / "formal/trace.py", tmp_path / "trace.vcd", *signals, BUILD=str(tmp_path))


def test_a_trace(trace):
    code, table, errors = trace("go", "rec.tag", "rec.inner.low", "rec", "dut.wide")
    assert code == 0, errors
    assert [line.split() for line in table.splitlines()] == [
        ["step", "0", "1", "2"], ["go", "0", "1", "1"], ["rec.tag", "0", "10", "4"], ["rec.inner.low", "0", "3", "3"],
        ["rec", "0", "163", "67"], ["dut.wide", "1", "0xa000000000", "0xa000000000"]]
    assert len({len(line) for line in table.splitlines()}) == 1


@pytest.mark.parametrize("signal, sentence", [
    ("gone", "no signal gone"), ("rec.gone", "rec has no field gone"), ("go.tag", "go has no field tag"),
    ("rec.doubtful", "several structs of 8 bits have it")])
def test_what_a_trace_does_not_have(trace, signal, sentence):
    code, table, errors = trace("go", signal)
    assert code == 1 and not table and sentence in errors


def test_what_a_trace_has(trace):
    assert trace()[1].split() == ["rec", "go", "dut.wide"]
