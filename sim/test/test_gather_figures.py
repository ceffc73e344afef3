"""docs/figures/gather-figures.md, its CSV and tools/draw/gather_figures.py belong together, and the figures are what the page says of them."""
import csv
import re
import subprocess
import sys

import pytest

from conftest import BUILD, ROOT

sys.path.insert(0, str(ROOT / "tools/draw"))
import gather_figures as figures   # pylint: disable=wrong-import-position
import gather_measure as measure   # pylint: disable=wrong-import-position
import gather_published as published   # pylint: disable=wrong-import-position


@pytest.fixture
def rows(monkeypatch):
    monkeypatch.chdir(ROOT)
    with figures.CSV.open(newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


def test_page_is_of_the_csv(rows):
    text = figures.PAGE.read_text(encoding="utf-8")
    assert figures.page(text, rows) == text
    assert {r["part"] for r in rows} == set(measure.SCALE)
    for part in measure.SCALE:
        assert len([r for r in rows if r["part"] == part]) == len(measure.wanted(part)), part


@pytest.mark.parametrize("matrix", ["arabic", "queen"])
def test_csv_is_of_this_program(rows, matrix, tmp_path):
    """A run that takes little time, again."""
    (tmp_path / "gather-figures").mkdir()
    (tmp_path / "weir").symlink_to(BUILD / "weir")
    words = next(words for m, _, setting, words in measure.wanted("units") if m == matrix and setting == 64)
    s = measure.summary(tmp_path, words)
    row = figures.Rows(rows).one("units", matrix, None, 64)
    assert [s[key] for key in ("cycles", "prs_sent", "nonzeros")] == [row[key] for key in ("cycles", "prs_sent", "nonzeros")]
    assert measure.active(s) == row["active"]


def test_matrices_are_what_was_fitted(rows):
    """Tables 1 and 4 within 15 %, at the size of the page; europe's SA is 0.01 more than nothing, published as 0.02."""
    for matrix, (su, sa, locality) in published.STATISTICS.items():
        s = figures.Rows(rows).one("tail", matrix)
        assert s["redundant_su"] == pytest.approx(su, rel=0.15) and s["locality"] == pytest.approx(locality, rel=0.15)
        assert s["redundant_sa"] == pytest.approx(sa, rel=0.15) or 0 < s["redundant_sa"] < sa == 0.02


def test_published_numbers_agree_with_each_other():
    """A speed-up is less traffic times use of the line (Tables 7 and 8): what the page takes for those that are not in numbers."""
    for matrix in published.TABLE8:
        row = published.TABLE7[matrix]
        assert row[5] * row[4] / 100 == pytest.approx(published.TABLE8[matrix][16][4][0], rel=0.02)


def test_what_is_off_is_told_of(rows):
    """--off lists what is off by more than 1.5 times and nothing else; of each such value of Table 7 the page says why."""
    lines = figures.off(rows)
    assert "tail: uk, PRs a packet: 3.59 / 17 = **0.21**" in lines and not any(line.startswith("uneven") for line in lines)
    assert all(any(not 2 / 3 <= float(ratio) <= 1.5 for ratio in re.findall(r"= \*\*([\d.]+)\*\*", line)) for line in lines)
    s = figures.Rows(rows).one("tail", "queen")
    assert figures.TAIL[1][1] == "prs_per_packet" and 2 / 3 < s["last_prs_per_packet"] / published.TABLE7["queen"][1] < 1.5
    assert not any("queen, PRs a packet" in line for line in lines)
    reasons = re.findall(r"^- \*\*(.*?)\*\*(.*?)(?=^- |\n\n)", figures.PAGE.read_text(encoding="utf-8"), re.M | re.S)
    for matrix, column in re.findall(r"^tail: (\w+), (.*?)(?:, %)?: ", "\n".join(lines), re.M):
        word = {"traffic less than SU": "traffic"}.get(column, column)
        assert any(word in head and matrix in head + body for head, body in reasons), (matrix, column)


def test_unevenness_of_computing(rows):
    """An experiment: with nodes as uneven in computing as in what they receive, means are the published ones, and SUOpt, which knows no nodes, stays."""
    for machine, (_, net, _, su) in published.END_TO_END.items():
        (_, _), (_, slower), (_, both) = figures.means_each(figures.Rows(rows), machine)
        assert slower[3] == both[3] == figures.beside(su, su)
        assert float(re.search(r"\*\*(.*)\*\*", both[1])[1]) == pytest.approx(1, abs=0.2) and net > 0
        assert float(slower[0].split(" ")[0]) > 1.4 * float(both[0].split(" ")[0])


def test_usage():
    assert subprocess.run([sys.executable, ROOT / "tools/draw/gather_figures.py"], capture_output=True, check=False).returncode != 0
