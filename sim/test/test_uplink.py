"""Captures of real hosts through the uplink device in RTL, in lock step with its golden model: ways, back-pressure, a link that goes down. What is
checked here beside that is what a user sees."""
import pytest

from conftest import CAPTURES

NAMES = sorted(path.name.removesuffix(".in.pcapng.gz") for path in CAPTURES.glob("*.in.pcapng.gz"))
RING4 = CAPTURES / "ring4.in.pcapng.gz"


@pytest.fixture
def replay(weir):
    return weir("replay")


def accounted(s):
    """Nothing is lost without a name."""
    return s["frames_in"] == s["frames_out"] + s["control"] + sum(s["drops"].values())


@pytest.mark.parametrize("capture", NAMES)
@pytest.mark.parametrize("options", ["", "--flowlets 8 --stall 0.3 --seed 2"])
def test_capture(replay, capture, options):
    s = replay.summary(0, CAPTURES / f"{capture}.in.pcapng.gz", "--device uplink --limit 800", options)
    assert s["mismatches"] == 0 and s["frames_out"] > 0 and accounted(s)
    flowlets = sum(s["ways"][w] for w in ("goes_on", "first", "gap", "dead"))
    assert (flowlets, s["ways"]["hash"])["flowlets" in options] == 0


def test_hash_keeps_a_flow_together(replay):
    """The same frames by the same uplinks however outputs are held back, and by others in a switch with another seed."""
    plain, held, other = (replay.summary(0, RING4, "--device uplink", o)["out_by_port"][2:] for o in ("", "--stall 0.05", "--seed 7"))
    assert plain == held != other


@pytest.mark.parametrize("options", ["", "--flowlets 200"])
def test_a_link_goes_down(replay, options):
    whole = replay.summary(0, RING4, "--device uplink", options)
    cut = replay.summary(0, RING4, "--device uplink --cut --stall 0.2", options)
    assert (cut["ways"]["dead"] > 0) == bool(options) and cut["out_by_port"][2] < whole["out_by_port"][2]


def test_what_finds_no_room_has_a_name(replay):
    s = replay.summary(0, RING4, "--device uplink --stall 0.9")
    assert s["drops"]["room"] > 0 and accounted(s)


@pytest.mark.parametrize("wrong", ["--flowlets 7", "--config tiny", "--pace line"])
def test_refused(replay, wrong):
    assert replay.run(2, RING4, "--device uplink", wrong).stderr.count("\n") == 1
