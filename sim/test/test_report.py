"""The pages that `--report` writes: well-formed, without a reference to anything outside, with the numbers of the same run's --json; what cannot be
written is refused; and the check itself sees what is broken."""
import filecmp
import re
import shutil
import subprocess

import pytest
import pywellen

from conftest import BUILD, CAPTURES, ROOT, words

NAMES = sorted(path.name.removesuffix(".in.pcapng.gz") for path in CAPTURES.glob("*.in.pcapng.gz"))
RING4 = CAPTURES / "ring4.in.pcapng.gz"


def check(page, summary):
    """What tools/check_page.py finds."""
    return subprocess.run(["python3", ROOT / "tools/check_page.py", page, summary], capture_output=True, text=True, check=False)


class Page:
    """A page that a run wrote: its path, its text, the summary."""

    def __init__(self, command, code, options):
        self.path = command.folder / "page.html"
        self.json = command.folder / "summary.json"
        self.summary = command.summary(code, *options, "--report", self.path)
        self.text = self.path.read_text(encoding="utf-8")
        found = check(self.path, self.json)
        assert found.returncode == 0, found.stdout

    def says(self, *texts):
        """It does."""
        for text in texts:
            assert text in self.text


@pytest.fixture
def page(weir):
    """`page(code, command, option, ..)`: a run with page and summary, which agree."""
    return lambda code, command, *options: Page(weir(command), code, options)


@pytest.mark.parametrize("capture", NAMES)
def test_captures(page, capture):
    page(0, "replay", CAPTURES / f"{capture}.in.pcapng.gz")


def test_known_capture(page):
    """Numbers that follow from the capture (sim/captures/README.md)."""
    p = page(0, "replay", CAPTURES / "ring4-loss.in.pcapng.gz")
    p.says(">Replay of ring4-loss.in.pcapng.gz<", '<dd id="frames_in">1,935</dd>', "half of 768 results", "The 10 slowest of 192 columns",
           "all of them as unknown_message", "No frame went through ports 4 and 5.")
    assert re.findall("in: ([0-9]*) frames", p.text) == ["450", "373", "600", "512"]
    # The last event is a little before the last cycle, which waits whether there is another one; three digits are told.
    after = p.summary["cycles"] - 250 * float(re.search(r'id="time">([\d.]+) \S*s<', p.text).group(1))
    assert 0 <= after < 400


def test_time_stamps(page):
    """Time goes on in gaps in which nothing is clocked."""
    page(0, "replay", CAPTURES / "ring4-send-int32.in.pcapng.gz", "--pace recorded").says('<dd id="time">8.03 s</dd>')


def test_no_ring(page, tmp_path):
    (tmp_path / "rings.json").write_text("[]", encoding="utf-8")
    page(0, "replay", RING4, "--rings", tmp_path / "rings.json").says("No ring is set up", "Latency: nothing to measure")


def test_columns_without_an_end(page):
    """Of some ranks the capture holds nothing more."""
    p = page(0, "replay", RING4, "--limit 300")
    p.says("Not over at the end: ", 'id="undecided_incomplete">29<', "columns: of some rank no packet came in")


def test_packets_are_where_the_page_says_in_waves(page, tmp_path):
    """Each packet of the slowest columns is decided at its nanosecond of the waves."""
    wave = tmp_path / "wave.fst"
    p = page(0, "replay", RING4, "--limit 330 --wave", wave)
    signals = {re.sub(r"\[\d+:0\]$", "", var.full_name): var.signal for var in pywellen.Waveform(str(wave)).all_vars()}
    told, column = 0, None
    for msgid, offset, rank, time in re.findall(r'<tr><td>(?:ring 1, MsgID (\d+), offset (\d+))?</td><td class="number">(\d+)</td>.*?'
                                                r'<td class="number">(?:never|([\d,]+) ns)</td></tr>', p.text):
        column = (int(msgid), int(offset)) if msgid else column
        if not time:
            continue
        at = int(time.replace(",", ""))
        seen = [signals[f"weir.obs_state_o.{name}"].value_at(at) for name in ("valid", "kind", "fate", "msgid", "offset", "rank")]
        assert seen == [1, 0, 1, *column, int(rank)], (column, rank, time)
        told += 1
    assert told >= 40


def test_outputs_held_back(page):
    page(0, "replay", RING4, "--stall 0.7 --config wide8")


def test_ring(page):
    page(0, "ring", "--loss 0.01 --tensor 100000").says("6 hosts all-reduce 100000 bytes in 1 ring")


def test_two_rings(page):
    page(0, "ring", "--hosts 4 --rings 2 --tensor 50000 --msglen 16 --dup 0.01 --rtt 5")


def test_a_run_that_fails(page):
    """Hosts try in vain for 10 ms, most of which nothing is on its way."""
    p = page(1, "ring", "--loss 0.95 --tensor 20000")
    p.says("FAILED: ", "no result message for 100 time-outs", "Columns: none got all its results")
    assert re.search(r'<dd id="time">(9\.[0-9]+|10\.0) ms<', p.text)


def test_a_name_like_markup(page, tmp_path):
    path = tmp_path / '<i>&amp;"x".pcapng.gz'
    shutil.copy(RING4, path)
    page(0, "replay", path, "--limit 50").says("&lt;i&gt;&amp;amp;&quot;x&quot;.pcapng.gz</h1>")


def test_repeatable(weir, page, tmp_path):
    """The same run gives the same page, and the run is the same without one."""
    first = page(0, "replay", RING4, "--stall 0.3")
    shutil.copy(first.path, tmp_path / "before.html")
    again = page(0, "replay", RING4, "--stall 0.3")
    assert filecmp.cmp(tmp_path / "before.html", again.path, shallow=False)
    without = weir("replay").summary(0, RING4, "--stall 0.3")
    for key in ("frames_per_second", "bench_share"):
        del without[key], again.summary[key]
    assert without == again.summary


# --------------------------------------------------------------------------------------------------------- refusals

def refused(folder, pattern, *options):
    """Exit code 2, one line that matches, and nothing is left behind."""
    (folder / "run").mkdir()
    done = subprocess.run([BUILD / "san/weir", *words(options)], cwd=folder / "run", capture_output=True, text=True, check=False)
    assert done.returncode == 2 and done.stderr.count("\n") == 1 and re.search(pattern, done.stderr), done.stderr
    assert not list((folder / "run").iterdir())


@pytest.mark.parametrize("command", [["replay", RING4, "--limit 20"], ["ring --tensor 1000"]], ids=["replay", "ring"])
@pytest.mark.parametrize("pattern, options", [
    ("no/page.html.*No such file", "--report no/page.html"),
    ("Is a directory", "--report .."),
    ("--report '': names no file", "--report ''"),
    ("--report ./one: is the file of --json", "--json one --report ./one"),
    ("no regular file", "--report page.html --wave /dev/null"),
    ("/dev/full: cannot write: No space left", "--report /dev/full"),
])
def test_refused(tmp_path, command, pattern, options):
    refused(tmp_path, pattern, *command, options)


def test_not_over_the_capture(tmp_path):
    shutil.copy(RING4, tmp_path / "capture")
    refused(tmp_path, "is the file of the capture", "replay", tmp_path / "capture", "--report", tmp_path / "capture")
    assert filecmp.cmp(RING4, tmp_path / "capture", shallow=False)


# ------------------------------------------------------------------------------------------------- the check itself

@pytest.fixture(scope="module")
def good(tmp_path_factory):
    """A good page and its summary."""
    folder = tmp_path_factory.mktemp("good")
    subprocess.run([BUILD / "weir", "replay", CAPTURES / "ring4-loss.in.pcapng.gz", "--report", folder / "page.html", "--json", folder / "json"],
                   capture_output=True, check=True)
    return (folder / "page.html").read_text(encoding="utf-8"), folder / "json"


@pytest.mark.parametrize("reason, pattern, new", [
    ("not well-formed", "</h1>", ""),
    ("not well-formed", "<h1>", "&x;<h1>"),
    ("outside: element img", "<main>", '<main><img src="x.png"/>'),
    ("outside: element script", "<main>", "<main><script>1</script>"),
    ("an address", "<style>", '<style>@import "x.css";'),
    ("url(x.woff)", "<style>", "<style>@font-face { src: url(x.woff); }"),
    ("an address", "<main>", '<main title="http://x">'),
    ("no element is called hatched", 'id="hatched"', 'id="hatch"'),
    ("two elements are called cycles", "<main>", '<main id="cycles">'),
    ("slots has neither", r'(?s)(<section id="slots">.*?)role="img"', r"\1"),
    ("frames_in: 1936, not 1935", 'id="frames_in">1,935', 'id="frames_in">1,936'),
    ("p99: ", '(id="latency_p99">[0-9,]*)', r"\g<1>1"),
    ("unknown_message: 31, not 30", 'id="fate_unknown_message">30', 'id="fate_unknown_message">31'),
    ("all other fates", 'id="fate_stored">768', 'id="fate_stored">769'),
    ("frames into all ports", "in: [0-9,]* frames", "in: 1 frame"),
    ("mark: p50: half within 1", ">p50: half within ", r"\g<0>1"),
    ("moments that never came: 1, not 0", r'<td class="number">[0-9.]* µs<', '<td class="number">never<'),
    ("latencies in the bars", ": [0-9]* result", ": 9999 result"),
    ("verdict: FAILED, not OK", "OK: every", "FAILED: every"),
    ("word of what is undecided", "Everything was decided.", "Everything is fine."),
    ("undecided gap: 1, not 0", '(<p class="empty">)(?=Everything was)', r'<p id="undecided_gap">1</p>\1'),
])
def test_check_sees(good, tmp_path, reason, pattern, new):
    """A good page, changed in one place, is not let through, and the reason is this one."""
    text, changes = re.subn(pattern, new, good[0], count=1)
    assert changes == 1 and text != good[0]
    (tmp_path / "page.html").write_text(text, encoding="utf-8")
    found = check(tmp_path / "page.html", good[1])
    assert found.returncode == 1 and reason in found.stdout


# ------------------------------------------------------------------------------------------------------- the page of a fabric

@pytest.mark.parametrize("code,options", [
    (0, "--topology clos:8x4x4 --load incast --senders 12 --size 1M --leaf-buffer 2M --spine-buffer 4M --dcqcn --leaf-mark 100K --leaf-mark-all 400K"),
    (0, "--topology clos:4x2x2,2x2 --load all-to-all --size 1M --leaf-buffer 1M --no-pfc --timeout 500"), (0, "--topology clos:2x1x0 --size 64K"),
    (0, "--topology clos:40x4x4 --size 64K --loss 0.001 --timeout 500"), (0, "--topology clos:2x97x2 --size 4K --load all-reduce"),
    (0, "--topology clos:2x20x20 --size 4K --load all-reduce"), (0, "--topology clos:1x257x1 --size 4K"),
    (1, "--topology clos:4x4x4 --time 30"), (1, "--topology clos:4x1x0 --load all-reduce --size 1M --kill-host 1@5 --timeout 100")])
def test_fabric(weir, tmp_path, code, options):
    """What its rows sum up to is what the summary says, and it is the same page on two processes."""
    fabric, path = weir("fabric"), tmp_path / "page.html"
    summary = fabric.summary(code, options, "--report", path)
    found = subprocess.run(["python3", ROOT / "tools/check_page.py", "--fabric", path, tmp_path / "summary.json"], capture_output=True, text=True, check=False)
    assert found.returncode == 0, found.stdout
    text = re.sub("Made with.*", "", path.read_text(encoding="utf-8"))
    assert f">{summary['packets_delivered']:,}<" in text
    fabric.on_processes(2, options, "--report", path, code=code)
    assert re.sub("Made with.*", "", path.read_text(encoding="utf-8")) == text


@pytest.mark.parametrize("shape,kind,cables", [("clos:2x4x3", "path", 8 + 12), ("clos:2x97x2", "path", 194), ("clos:2x20x20", "rect", 400), ("clos:4x8x8,4x8", "rect", 4 * 64 + 4 * 8 * 8)])
def test_each_cable_is_on_the_map(weir, tmp_path, shape, kind, cables):
    """As a line or, where there would be too many of these, as a cell, with its load; the busiest line is drawn over the others."""
    weir("fabric").summary(0, f"--topology {shape} --size 16K --load all-to-all --ranks 8 --report", tmp_path / "page.html")
    section = re.search(r'<section id="map".*?</section>', (tmp_path / "page.html").read_text(encoding="utf-8"), re.S).group(0)
    drawn = re.findall(rf'<{kind}[^>]*><title>(\w+) to (\w+): ([\d.]+) %', section)
    assert len({frozenset(ends) for *ends, _ in drawn}) == cables
    loads = [float(load) for *_, load in drawn]
    assert max(loads) > 0 and (kind == "rect" or (len(drawn) == cables and loads == sorted(loads)))


def test_fabric_page_is_looked_at(weir, tmp_path):
    """The check sees a row that is missing, and a figure that is another one."""
    weir("fabric").summary(0, "--topology clos:2x2x1 --size 64K --report", tmp_path / "page.html")
    text = (tmp_path / "page.html").read_text(encoding="utf-8")
    for broken in (re.sub(r'(<text class="tick end" x="204"[^>]*>)[\d,]+', r"\g<1>1", text, count=1), re.sub(r'(id="packets_delivered_figure">)\d+', r"\g<1>5", text),
                   text.replace('id="pauses"', 'id="other"')):
        (tmp_path / "page.html").write_text(broken, encoding="utf-8")
        assert broken != text and subprocess.run(["python3", ROOT / "tools/check_page.py", "--fabric", tmp_path / "page.html", tmp_path / "summary.json"], capture_output=True, check=False).returncode == 1
