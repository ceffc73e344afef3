"""`weir bench`: it takes the figures that are asked for, writes them in the right form, and refuses what it does not know. The figures themselves are
those of `make bench`; here are the quick ones."""
import csv
import re

import pytest


@pytest.fixture
def bench(weir):
    return weir("bench")


def test_figures(bench, tmp_path):
    """Rate, latency and window of a short run meet their targets, and the file has their rows and no others."""
    bench.run(0, "--quick --csv", tmp_path / "csv", "--only latency_idle_cycles --only small_* --only payload_gbps_per_port_h2",
              "--only window_util_n1_rtt22")
    with open(tmp_path / "csv", newline="", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    values = {row["name"]: float(row["value"]) for row in rows}
    assert list(rows[0]) == ["name", "value", "unit", "bound_by"]
    assert all(row[column] for row in rows for column in row)
    assert list(values) == ["payload_gbps_per_port_h2", "latency_idle_cycles", "small_frames_mpps_per_port", "small_frames_line_rate",
                            "window_util_n1_rtt22"]
    assert 92.5 < values["payload_gbps_per_port_h2"] < 92.6
    assert 40 <= values["latency_idle_cycles"] <= 54
    assert 39.8 < values["window_util_n1_rtt22"] < 41.4
    assert abs(values["small_frames_line_rate"] - 100 * values["small_frames_mpps_per_port"] / 148.81) < 0.1


def test_held_output(bench, tmp_path):
    """An output of one job that is held is not for another to notice."""
    bench.run(0, "--quick --only isolation_ratio --csv", tmp_path / "csv")
    with open(tmp_path / "csv", newline="", encoding="utf-8") as file:
        values = {row["name"]: float(row["value"]) for row in csv.DictReader(file)}
    assert list(values) == ["isolation_ratio"] and values["isolation_ratio"] >= 0.99


def test_tree(bench, tmp_path):
    """A streaming tree gives each host what RC carries on its cable, but for ACK packets."""
    bench.run(0, "--quick --only tree_bandwidth_ratio_1k --csv", tmp_path / "csv")
    with open(tmp_path / "csv", newline="", encoding="utf-8") as file:
        values = {row["name"]: float(row["value"]) for row in csv.DictReader(file)}
    assert list(values) == ["tree_bandwidth_ratio_1k"] and 0.97 < values["tree_bandwidth_ratio_1k"] < 1


def test_tree_latency(bench, tmp_path):
    """An operation through an idle node; a packet of more rows takes a cycle more for each."""
    bench.run(0, "--quick --only tree_latency_* --csv", tmp_path / "csv")
    with open(tmp_path / "csv", newline="", encoding="utf-8") as file:
        values = {row["name"]: int(row["value"]) for row in csv.DictReader(file)}
    assert list(values) == ["tree_latency_row_cycles", "tree_latency_1k_cycles", "tree_latency_barrier_cycles", "tree_latency_64_cycles"]
    # 4 ports; a device of 8 takes ten cycles more in the half rings, and 64 are wanted of it.
    assert values["tree_latency_row_cycles"] <= 64 - 10
    assert values["tree_latency_1k_cycles"] == values["tree_latency_row_cycles"] + 15
    assert values["tree_latency_barrier_cycles"] < values["tree_latency_64_cycles"] <= 80


def test_list(bench, places):
    """Each figure of docs/figures/performance.csv is one that can be taken, or the peer's."""
    listed = bench.run(0, "--list").stdout.splitlines()
    assert len(listed) == len(set(listed))
    with open(places.root / "docs/figures/performance.csv", newline="", encoding="utf-8") as file:
        page = [row[0] for row in csv.reader(file)][1:]
    assert sorted(name for name in page if not name.startswith("cocotb_")) == sorted(listed)


def test_speed(bench, places):
    """The speed is that of a capture. A check that fails in its replay is no speed."""
    said = bench.run(0, "--quick --only sim_* --capture", places.captures / "ring4.in.pcapng.gz").stdout
    assert re.search("^sim_frames_per_second  *[1-9]", said, re.M)
    said = bench.run(1, "--quick --only sim_* --capture", places.captures / "README.md").stderr
    assert "README.md: ends with code 2" in said


@pytest.mark.parametrize("word, options", [
    ("latency_of_light: no such figure", "--only latency_of_light"), ("bogus", "--bogus"), ("everything", "everything"), ("only", "--only"),
    ("seed", "--seed minus"), ("nothing", "--only bench_share --capture FOLDER/nothing"), ("capture", "--capture FOLDER/none"),
])
def test_refused(bench, places, tmp_path, word, options):
    """One line on stderr with this word, and nothing else. The last one is the file of the capture."""
    file = tmp_path / "none"
    done = bench.run(2, options.replace("FOLDER", str(tmp_path)), "--csv", file, program=places.build / "san/weir")
    assert done.stderr.count("\n") == 1 and not done.stdout and not file.exists() and word in done.stderr
