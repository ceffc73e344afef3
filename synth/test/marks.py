"""What was measured anew is no longer told to be stale; what was not is."""
import os
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(__file__), ".."))
import cli  # noqa: E402
import report  # noqa: E402

ROWS = [("xcup-a", "m", ""), ("xcup-b", "m", ""), ("scaling", "m", "ranks, wide 2"), ("scaling", "m", "ranks 2")]
with tempfile.TemporaryDirectory() as work:
    report.STALE = os.path.join(work, "stale.csv")
    report.write(report.STALE, [dict(zip(report.STALE_COLUMNS, row)) for row in ROWS], report.STALE_COLUMNS)
    cli.unmark("xcup-a")
    cli.unmark("scaling", lambda row: row["where"] == "ranks 2")
    cli.unmark("xcup-c")
    found = [tuple(row.values()) for row in report.read(report.STALE)]
good = found == ROWS[1:3]
print(f"{'ok' if good else 'not ok'} synth_what_is_measured_anew_is_not_stale" + ("" if good else f" # {found}"))
sys.exit(not good)
