"""Pages of the fabric's figures have the tables that their CSV files make, and these have a row for all that is measured."""
import pathlib
import sys

import pytest

sys.path.insert(0, str(pathlib.Path(__file__).parents[1] / "draw"))
import fabric_allreduce   # pylint: disable=wrong-import-position
import fabric_cluster   # pylint: disable=wrong-import-position
import fabric_figures   # pylint: disable=wrong-import-position


@pytest.mark.parametrize("tool", [fabric_allreduce, fabric_figures, fabric_cluster])
def test_tables_are_of_the_figures(tool):
    page = tool.PAGE.read_text(encoding="utf-8")
    assert tool.with_tables(page, tool.read_rows()) == page


def test_all_is_measured():
    rows = fabric_allreduce.read_rows()
    there = {fabric_allreduce.place(row) for row in rows}
    assert {point[:4] for point in fabric_allreduce.points(False)} <= there
    assert [row["command"] for row in rows] == [f"weir fabric {point[4]}" for point in fabric_allreduce.points(True) if point[:4] in there]
    rows = fabric_figures.read_rows()
    assert [row["options"] for row in rows] == [options for _, _, options, _ in fabric_figures.experiments()]
