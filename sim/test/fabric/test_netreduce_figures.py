"""docs/figures/netreduce-figures.md, its CSV, its pictures and tools/draw/fabric_fig7.py belong together, and the figures are what the page says of them."""
import sys

import pytest

from conftest import BUILD, ROOT

sys.path.insert(0, str(ROOT / "tools/draw"))
import fabric_fig7 as figures   # pylint: disable=wrong-import-position


@pytest.fixture
def rows(monkeypatch):
    monkeypatch.chdir(ROOT)
    return figures.read()


def test_page_and_pictures_are_of_the_csv(rows):
    text = figures.PAGE.read_text(encoding="utf-8")
    assert figures.page(text, rows) == text
    for path, drawn in figures.pictures(rows):
        assert path.read_text(encoding="utf-8") == drawn, path


def test_csv_has_all_points(rows):
    assert [{key: row[key] for key in point} for row, point in zip(rows, figures.points(), strict=True)] == list(figures.points())


@pytest.mark.parametrize("part", ["many", "small", "micro", "round trip"])
def test_csv_is_of_this_program(rows, part):
    """The runs that take little time, again."""
    for row in figures.of(rows, part):
        assert figures.measure(BUILD, row) == row


def test_parallel_netreduce_does_not_grow(rows):
    """With P not at all, with alpha as (2n - 1) alpha (NetReduce 3.4)."""
    times = [r["us"] for r in figures.of(rows, "ranks", "parallel-netreduce")]
    assert len(times) == 6 and max(times) < 1.002 * min(times)
    assert all(r["us"] == pytest.approx(figures.formula(r, figures.SHARE), rel=0.01)
               for load in ("parallel-netreduce", "master-ring") for part in ("intra", "ranks", "alpha") for r in figures.of(rows, part, load))


def test_rings_grow_with_machines(rows):
    """NetReduce takes the same time with any number, a ring 2 (H - 1) / H (NetReduce 5.4)."""
    inside, ring = ({r["machines"]: r["us"] for r in figures.of(rows, "hosts", load)} for load in ("netreduce", "all-reduce"))
    assert max(inside.values()) < 1.02 * min(inside.values())
    assert all(us / ring[2] == pytest.approx(2 * (machines - 1) / machines, rel=0.02) for machines, us in ring.items())


def test_formulas_are_those_of_the_paper():
    """Sizes worked out by hand: 100 MB, n 8, P 32 and 1024."""
    for ranks, alpha, intra, wanted in ((32, 1, 15.75, (15.56, 34.24, 19.13)), (32, 1, 100, (15.56, 15.52, 9.77)), (1024, 10, 15.75, (36.44, 40.80, 19.26)),
                                        (1024, 100, 100, (220.58, 46.38, 11.25))):
        got = [figures.formula(figures.point("", load, ranks, 10 ** 8, intra, alpha)) / 1e3 for load in ("all-reduce", "master-ring", "parallel-netreduce")]
        assert got == [pytest.approx(value, abs=0.006) for value in wanted]
