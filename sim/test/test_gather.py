"""Sparse gathers: `weir gather` over what its users may ask for. Each run compares the product bit by bit with one computed directly, and counts
each PR in and out of each switch; here it is looked at that it does, and that it tells what happened. What goes wrong on the way is in
test_gather_faults.py, the RTL in test_gather_rtl.py.

Real matrices are those of sim/matrices; MATRICES in the environment names a folder with more Matrix Market files (*.mtx.gz)."""
import gzip
import os
import pathlib

import pytest

from conftest import GATHER_SMALL as SMALL, one_response_each

SHAPE = "--rows 1500 --degree 8 --nodes 12 --racks 3 --batch 64"
MATRICES = sorted(path for folder in ("sim/matrices", os.environ.get("MATRICES")) if folder for path in pathlib.Path(folder).glob("*.mtx.gz"))


def plain(gather, *options):
    """A run in which nothing goes wrong (one_response_each), and queues leave in time. The summary."""
    s = gather.summary(0, *options)
    one_response_each(s)
    assert s["expiry_lateness"] == 0
    return s


@pytest.mark.parametrize("options", [
    *(f"--generate {kind} {SHAPE}" for kind in ("power-law", "road", "banded", "block", "hot")),
    # Each mode of the cache, in both kinds of queues, and lines that are longer than what is in them.
    *(f"--generate power-law {SHAPE} --k {k} --queues {queues}"
      for k in (1, 3, 4, 8, 16, 32, 64, 128, 200) for queues in ("static", "virtual")),
    f"--generate banded {SHAPE} --k 4 --mode 512",
    f"--generate road {SHAPE} --mtu 4096 --cache-sets 1",
    f"--generate banded {SHAPE} --upper 50 --racks 1",
    f"--generate block {SHAPE} --units 1 --batch 1",
    f"--generate block {SHAPE} --delay-nic 0 --delay-switch 0",
    *(f"--generate banded {SHAPE} --without {what}" for what in ("filter", "coalesce", "concat-nic", "switch", "cache")),
])
def test_plain(gather, options):
    plain(gather, options)


@pytest.mark.parametrize("matrix", MATRICES, ids=lambda path: path.name)
@pytest.mark.parametrize("options", ["", "--nodes 7 --racks 3 --k 128 --queues virtual", "--nodes 128 --racks 8 --units 16 --batch 64"])
def test_matrices(gather, matrix, options):
    """Real ones; at the published number of nodes, some of which then have no row at all."""
    plain(gather, matrix, options)


@pytest.mark.parametrize("mtu", [256, 300, 576, 1107, 1108, 2369, 2370, 3548, 3549, 3900, 8999, 9000])
def test_mtu(gather, mtu):
    """All MTUs, those at which the RTL begins and ends, too; a longer one has no fewer PRs a packet."""
    s = plain(gather, SMALL, f"--mtu {mtu} --buffers 32")
    assert s["prs_per_packet"] >= plain(gather, SMALL, "--mtu 256")["prs_per_packet"]


@pytest.mark.parametrize("options", ["", "--cache-from uplinks", "--without switch", "--queues virtual --buffers 32"])
def test_spread(gather, options):
    """Spines are chosen by the pipe of the property's node, too: the same there and back, so that what is shared is still found."""
    base = f"--generate power-law --rows 4096 --degree 12 --nodes 36 --racks 3 --batch 256 --k 16 --cache-sets 1024 {options}"
    s, both = plain(gather, base, "--routing spread"), plain(gather, base)
    assert s["compared"] == both["compared"] and s["cache_hits"] >= 0.7 * both["cache_hits"]


def test_mtu_refused(gather):
    gather.refused("256 to 9000", SMALL, "--mtu 255")
    gather.refused("256 to 9000", SMALL, "--mtu 9001")
    gather.refused("does not fit into a packet of 256", SMALL, "--mtu 256 --k 64")


def ordered(of, key, *names):
    """The values of a key descend in the order of these runs."""
    values = [of[name][key] for name in names]
    assert values == sorted(values, reverse=True) and len(set(values)) == len(values), f"{key} of {names}: {values}"


def test_kinds(gather):
    """Kinds of matrices in the order in which NetSparse's Tables 1 and 7 have theirs."""
    of = {kind: gather.summary(0, f"--generate {kind} --rows 65536 --nodes 64 --racks 8 --rate 100 --batch {batch} --cache-sets {sets}")
          for kind, batch, sets in (("power-law", 8192, 4), ("road", 4096, 2), ("banded", 8192, 16), ("block", 8192, 4))}
    ordered(of, "filter_rate", "power-law", "banded", "block", "road")
    ordered(of, "prs_per_packet", "banded", "block", "power-law", "road")
    ordered(of, "hit_rate", "banded", "power-law", "block", "road")
    ordered(of, "redundant_sa", "power-law", "banded", "block", "road")
    ordered(of, "redundant_su", "road", "power-law", "banded", "block")
    ordered(of, "locality", "road", "power-law", "block", "banded")


def test_ablation(gather):
    """The same nonzeros are wanted whatever the mechanisms; with each of them less is on the cables (NetSparse Table 8)."""
    for kind in ("power-law", "banded"):
        base = f"--generate {kind} --rows 4096 --degree 24 --batch 256 --k 16"
        rig = gather.summary(0, base, "--without filter --without coalesce --without concat-nic --without switch")
        filtered = gather.summary(0, base, "--without coalesce --without concat-nic --without switch")
        coalesced = gather.summary(0, base, "--without concat-nic --without switch")
        concat = gather.summary(0, base, "--without switch")
        s = gather.summary(0, base)
        assert rig["prs_sent"] == rig["prs_wanted"] == s["prs_wanted"]
        assert rig["prs_per_packet"] == 1 == coalesced["prs_per_packet"]
        assert rig["bytes_on_links"] == s["bytes_sa"]
        assert rig["tail_bytes"] > filtered["tail_bytes"] > coalesced["tail_bytes"] > concat["tail_bytes"]
        assert concat["bytes_on_links"] > s["bytes_on_links"] and s["cache_hits"] > 0 == concat["cache_lookups"]


def test_virtual_queues(gather):
    """With room enough, virtual queues make the same packets in the same cycles."""
    s, virtual = gather.summary(0, SMALL), gather.summary(0, SMALL, "--queues virtual")
    assert all(virtual[k] == s[k] for k in s)


def test_small_pool(gather):
    """Without room, PRs wait; the product is right all the same."""
    s = plain(gather, SMALL, "--queues virtual --pieces 16")
    assert s["waits_pool"] > 0 and s["pool_flushes"] > 0


def test_small_expiry(gather):
    assert plain(gather, SMALL, "--expiry 2")["waits_expiry"] > 0


def test_small_pending(gather):
    assert plain(gather, SMALL, "--pending 2")["stalls_pending"] > 1000


def test_hot(gather):
    """All ask one node: nothing is lost, that node's cables are what takes the time."""
    s = plain(gather, "--generate hot --rows 8192 --nodes 32 --racks 4 --without cache --k 64")
    assert s["longest_backlog"] > 0 and s["served"] == s["prs_sent"]


def test_tiles(gather):
    """Two tiles of 512 bytes for K = 256, because no line of the cache is longer; a single one per packet where nothing is cached."""
    assert plain(gather, SMALL, "--k 256")["tiles"] == 2
    s = plain(gather, SMALL, "--k 256 --without switch")
    assert s["tiles"] == 1 and 1 < s["prs_per_packet"] < 20


@pytest.mark.parametrize("options", [
    "", "--k 256", "--k 200 --queues virtual", "--without switch", "--without cache", "--nodes 5 --racks 1"])
def test_iterations(gather, options):
    """Y becomes X, and each product is right; nothing is drained between them."""
    s = plain(gather, SMALL, "--iterations 3", options)
    assert s["compared"] == 3 * gather.summary(0, SMALL, options)["compared"] and s["older_prs"] == 0


def test_iterations_refused(gather, tmp_path):
    (tmp_path / "a.mtx").write_text("%%MatrixMarket matrix coordinate real general\n4 6 1\n1 6 1\n", encoding="utf-8")
    gather.refused("must be square", tmp_path / "a.mtx", "--iterations 2")


@pytest.mark.parametrize("kind, less", [("banded", 2.5), ("block", 1.4), ("power-law", 1.1)])
def test_merge(gather, kind, less):
    """Units of a node share reads: fewer are sent, next to none of what is under way twice, and the same product comes of it."""
    options = f"--generate {kind} --rows 4096 --degree 24 --nodes 8 --racks 2 --batch 256 --units 8"
    alone, shared = (plain(gather, options, f"--merge {slots}") for slots in (0, 4096))
    assert alone["merged"] == 0 < shared["merged"] and alone["fetched_twice"] > 10 * shared["fetched_twice"]
    assert alone["prs_sent"] > less * shared["prs_sent"] and alone["bytes_on_links"] > shared["bytes_on_links"]


def test_beat(gather):
    """A pipe that takes 64 bytes a cycle, as RTL does: a response of 64 bytes and its header take 82, so no more than 64 / 82 of one a cycle."""
    busy = "--generate block --rows 6000 --degree 40 --nodes 8 --racks 2 --k 16 --units 16 --batch 4096 --cable 10 --switch 10 --memory 10 --rate 1600"
    published, rtl, half = (plain(gather, busy, f"--beat {beat}")["cycles"] for beat in (0, 64, 32))
    assert 1.03 < rtl / published < 82 / 64 and rtl < half < published * 82 / 32


@pytest.mark.parametrize("kind, k", [("power-law", 32), ("block", 32), ("hot", 4)])
def test_sixteen_racks(gather, kind, k):
    """Sixteen racks with small buffers that push back, and nobody who throws anything away."""
    options = f"--generate {kind} --rows 32768 --degree 24 --nodes 64 --racks 16 --batch 2048 --units 16 --memory 10 --k {k}"
    s = plain(gather, options, "--buffers 32 --pause-limit 0")
    assert s["not_turned"] > 0 and s["packets_stopped"] == 0


def test_delays(gather):
    """More delay: fuller packets, up to a point at which all wait in vain (NetSparse Figure 17)."""
    of = {delay: gather.summary(0, f"--generate block --rows 16384 --rate 100 --batch 2048 --delay-nic {delay} --delay-switch {delay // 4}")
          for delay in (0, 500, 50000)}
    assert of[0]["prs_per_packet"] < of[500]["prs_per_packet"] < of[50000]["prs_per_packet"]
    assert of[0]["cycles"] > 1.5 * of[500]["cycles"] and of[50000]["cycles"] > 1.5 * of[500]["cycles"]


def test_caches(gather):
    """More cache, more hits, up to all there are (NetSparse Figure 18); none without a way back through the same pipe."""
    base = "--generate power-law --rows 8192 --nodes 32 --racks 4 --k 64"
    of = {sets: gather.summary(0, base, f"--cache-sets {sets}") for sets in (0, 1, 8, 64, 4096)}
    # Eight spines in two pipes, and a rack for each.
    spines = f"{base} --racks 8 --spines 8 --cache-sets 4096 --cache-from uplinks"
    dest, both = gather.summary(0, spines, "--routing dest"), gather.summary(0, spines)
    rates = [of[sets]["hit_rate"] for sets in (0, 1, 8, 64, 4096)]
    assert 0 == rates[0] < rates[1] < rates[2] < rates[3] <= rates[4]
    assert of[4096]["cache_evicted"] == 0 < of[1]["cache_evicted"]
    assert of[4096]["bytes_on_links"] < of[0]["bytes_on_links"]
    assert dest["cache_hits"] < 0.7 * both["cache_hits"]


def test_files(gather, tool, tmp_path):
    """What a node receives can be looked at: good frames, as many as are counted; the page shows the numbers of the summary."""
    out, page = tmp_path / "out.pcapng.gz", tmp_path / "page.html"
    s = gather.summary(0, SMALL, "--report", page, "--out", out)
    tool("python3", "tools/check_page.py", "--gather", page, tmp_path / "summary.json")
    counts = [int(n) for n in tool("tshark", "-X", "lua_script:tools/dissect/weir_gather.lua", "-r", out, "-Y", "gather", "-T", "fields",
                                   "-e", "gather.count").split()]
    assert tool("tshark", "-r", out).count("\n") == len(counts)
    # Nodes receive each read that no cache answers, and each response.
    assert sum(counts) == s["served"] + s["prs_sent"] and abs(sum(counts) / len(counts) - s["prs_per_packet"]) <= 1e-9


def test_repeatable(gather):
    runs = []
    for seed in (5, 5, 6):
        s = gather.summary(0, f"--generate power-law --rows 1000 --seed {seed}")
        runs.append((s["cycles"], s["prs_sent"], s["bytes_on_links"]))
    assert runs[0] == runs[1] != runs[2]


def test_by_hand(gather, tmp_path):
    """A file by hand: 4 by 6, complex, more nodes than some have rows of."""
    text = "%%MatrixMarket matrix coordinate complex general\n4 6 5\n1 6 1 2\n2 1 3 0\n4 4 -1 .5\n4 6 1 1\n1 1 7 7\n"
    (tmp_path / "a.mtx").write_text(text, encoding="utf-8")
    (tmp_path / "a.mtx.gz").write_bytes(gzip.compress(text.encode()))
    s = plain(gather, tmp_path / "a.mtx", "--nodes 5 --racks 2 --k 3")
    assert s["rows"] == 4 and s["columns"] == 6 and s["nonzeros"] == 5
    s = plain(gather, tmp_path / "a.mtx.gz", "--nodes 1 --racks 1")
    assert s["prs_wanted"] == 0 == s["packets"]


def test_broken(gather, tmp_path):
    """A matrix that is broken, and one that is to be written over."""
    bad = tmp_path / "bad.mtx"
    text = "%%MatrixMarket matrix coordinate real general\n3 3 2\n1 1 1\n9 1 1\n"
    bad.write_text(text, encoding="utf-8")
    gather.refused("bad.mtx: line 4: row 9 is not within 1 to 3", bad)
    gather.refused("bad.mtx: is the file of the matrix", bad, "--out", bad)
    gather.refused("only one matrix", bad, bad)
    assert bad.read_text(encoding="utf-8") == text


@pytest.mark.parametrize("word, options", [
    ("no matrix", "--nodes 4"), ("cannot be opened", "/nowhere.mtx"), ("racks", "--generate road --nodes 4 --racks 5"),
    ("would be empty", "--generate road --nodes 9 --racks 6"), ("power of two", "--generate road --cache-sets 3"),
    ("power of two", "--generate road --merge 3"), ("mode", "--generate road --mode 48"), ("does not fit", "--generate road --k 400 --without switch"), ("16 to", "--generate road --pieces 1"),
    ("static or virtual", "--generate road --queues none"), ("power-law", "--generate nothing"), ("whole", "--generate road --k 0"),
    ("unknown", "--bogus"), ("arabic, europe or uk", "--generate queen --uneven 2"),
    ("arabic or uk --uneven", "--generate uk --lists"), ("arabic or uk --uneven", "--generate europe --uneven 2 --lists"), ("generate europe", "--generate uk --near"), ("generate europe", "--generate uk --regions 5"),
    ("rows, turns or batches", "--generate road --cores none"),
])
def test_refused(gather, word, options):
    gather.refused(word, options)


@pytest.mark.parametrize("kind,rows,redundant_su,redundant_sa,locality", [
    ("arabic", 200000, 1947, 27, 2.51), ("europe", 1000000, 582, None, 7.43), ("queen", 100000, 74, 25, 1.00), ("stokes", 100000, 32, 3.6, 1.85),
    ("uk", 200000, 966, 4.5, 5.61)])
def test_fitted(gather, kind, rows, redundant_su, redundant_sa, locality):
    """Matrices in the likeness of published ones have the statistics that they were fitted to (NetSparse Tables 1 and 4), for 128 nodes."""
    s = gather.summary(0, f"--generate {kind} --rows {rows} --nodes 128 --racks 8 --units 16 --k 1 --batch 1024")
    assert s["redundant_su"] == pytest.approx(redundant_su, rel=0.12)
    assert s["locality"] == pytest.approx(locality, rel=0.12 if kind != "queen" else 0.01)
    if kind == "europe":
        assert 0 < s["redundant_sa"] < 0.03   # published: 0.02
    else:
        assert s["redundant_sa"] == pytest.approx(redundant_sa, rel=0.12)


@pytest.mark.parametrize("panel", [1, 7, 100000])
def test_panel(gather, panel):
    """The order in which a node reads its nonzeros changes neither what it needs nor the product; by columns it goes from one owner to the next."""
    base = "--generate queen --rows 20000 --nodes 128 --racks 8 --panel"
    s, by_rows = plain(gather, base, panel), plain(gather, base, 1)
    assert s["prs_needed"] == by_rows["prs_needed"] and s["compared"] == by_rows["compared"]
    assert (panel == 1) == (s["events_hash"] == by_rows["events_hash"])
    assert by_rows["locality"] > 1.3 and (panel == 1 or s["locality"] < by_rows["locality"] - 0.3)


def test_pcie(gather):
    """A NIC is not faster than what is between it and its host: a list has 8 bytes a nonzero."""
    base = "--generate block --rows 16000 --nodes 16 --units 16 --batch 512"
    slow, fast = plain(gather, base, "--pcie 2"), plain(gather, base, "--pcie 0")
    assert slow["compared"] == fast["compared"] and slow["cycles"] > 2 * fast["cycles"]
    assert slow["cycles"] >= 8 * slow["most_nonzeros"] / 2e9 * 2e9


def test_filter_memory(gather):
    """Each 64 bytes of the filter come once from the NIC's memory."""
    base = "--generate europe --rows 200000 --nodes 8 --batch 2048"
    slow, half, none = (plain(gather, base, "--filter-memory", rate)["cycles"] for rate in (0.05, 0.1, 0))
    assert half > 1.3 * none and slow == pytest.approx(2 * half, rel=0.2)


def test_last(gather):
    """The node that is last, and what it did, is one of all nodes; what software fetches is what cores want, each once."""
    s = plain(gather, "--generate uk --rows 20000 --nodes 32 --racks 4 --units 4 --batch 256")
    assert len(s["finished"]) == 32 and s["finished"][s["last_node"]] == max(s["finished"]) == s["cycles"]
    assert s["prs_needed"] <= s["software_prs"] <= s["prs_wanted"]
    assert s["software_prs"] / 32 <= s["software_tail_prs"] <= 64 * s["software_core_prs"]
    assert 0 < s["last_filter_rate"] < 1 and 0 < s["asked_hit_rate"] < 1 and s["last_less_than_su"] >= s["tail_less_than_su"]
    one = plain(gather, "--generate uk --rows 640 --degree 4 --nodes 10")
    assert one["software_core_prs"] <= 3 * 6   # a core has one row or two


def test_cores(gather):
    """What software would do depends on what its cores have, the gather does not. Cores that have rows of everywhere ask for what their neighbours ask for."""
    base = "--generate arabic --rows 80000 --nodes 16 --units 4 --batch 256 --cores"
    rows, turns, batches = (plain(gather, base, dealing) for dealing in ("rows", "turns", "batches"))
    assert rows["events_hash"] == turns["events_hash"] == batches["events_hash"]
    assert turns["software_prs"] > 1.5 * rows["software_prs"] and all(s["prs_needed"] <= s["software_prs"] <= s["prs_wanted"] for s in (rows, turns, batches))
    # One batch a node: one core has it all, and asks for each property once.
    one = plain(gather, "--generate uk --rows 6400 --nodes 8 --batch 100000 --cores batches")
    assert one["software_prs"] == one["prs_needed"] and one["software_core_prs"] == one["software_tail_prs"]
    # Panels by column: a batch names few columns, each often.
    panels = "--generate queen --rows 40000 --nodes 8 --batch 4096 --panel 1000 --cores"
    assert plain(gather, panels, "batches")["software_prs"] < 0.7 * plain(gather, panels, "rows")["software_prs"]


def test_near(gather):
    """Streets of a region that one rack has are wanted by several of its nodes."""
    base = "--generate europe --rows 400000 --nodes 128 --racks 8 --units 2 --batch 128 --cache-sets 512 --cable 5 --switch 5 --memory 5"
    near, apart = plain(gather, base, "--near"), plain(gather, base)
    assert near["asked_hit_rate"] > 2 * apart["asked_hit_rate"] and near["nonzeros"] == apart["nonzeros"]
    assert near["redundant_su"] == pytest.approx(apart["redundant_su"], rel=0.15)
    # Small regions: who reads on comes to other ones soon.
    small = plain(gather, base, "--regions 24")
    assert small["locality"] > 1.5 * apart["locality"] and small["nonzeros"] == apart["nonzeros"]


@pytest.mark.parametrize("options", ["", "--without switch", "--k 128 --buffers 32", "--faults 0.001 --watchdog 100000 --tries 20"])
@pytest.mark.parametrize("topology", ["hyperx", "dragonfly"])
def test_grids(gather, topology, options):
    """Other networks than racks and spines: all products are right, caches find what neighbours have asked for, and nothing waits for itself."""
    s = gather.summary(0, f"--generate power-law --rows 4096 --degree 12 --nodes 64 --batch 128 --topology {topology} {options}")
    assert s["mismatches"] == 0 and s["compared"] > 0 and s["busiest_up"] > 0 == s["busiest_down"]
    assert ("switch" in options) == (s["cache_hits"] == 0)


def test_grids_refused(gather):
    gather.refused("multiple of 32", "--generate road --nodes 100 --topology hyperx")
    gather.refused("of models only", "--generate road --nodes 64 --topology dragonfly --rtl switch")
