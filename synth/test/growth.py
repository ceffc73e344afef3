"""A row of another RTL is noticed, and how much its module has grown since; so is growth that is not the line it is taken for."""
import os
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(__file__), ".."))
import cli  # noqa: E402
import report  # noqa: E402
import run  # noqa: E402
import scale  # noqa: E402

PATH = "synth/reports/xcup/paper6.csv"
with tempfile.TemporaryDirectory() as work:
    rows = report.read(PATH)
    first = run.elaborate.device("paper6", cli.build())
    # Every row is made one of this RTL, then the one of agg_flush one of a smaller agg_flush; the committed rows may be of a device that had it elsewhere.
    now = {key: run.tree.logic(kinds) for key, kinds in run.tree.groups(first)}
    for row in rows:
        row["logic"] = now.get((row["module"], row["where"]), row["logic"])
    flush = next(row for row in rows if row["module"] == "agg_flush")
    flush["where"] = next(where for module, where in now if module == "agg_flush")
    flush["logic"], flush["own_lut"] = "0" * 12, "50"
    run.REPORTS = work
    run.elaborate.device = lambda configuration, build: first
    report.write(f"{work}/xcup/paper6.csv", rows, list(rows[0]))
    found = [sentence for _, _, sentence in run.stale("paper6", cli.build(), True) if "agg_flush" in sentence]

good = len(found) == 1 and "out of date" in found[0] and "lut 50 ->" in found[0] and "more than 10%" in found[0]
print(f"{'ok' if good else 'not ok'} synth_growth_is_noticed" + ("" if good else f" # {found}"))

# Growth that is a line, and growth that is none.
straight = [{"series": "s", "module": "m", "parameter": "P", "value": str(x), "lut": str(100 + 50 * x), "ff": "7", "bram36": "0", "source": "measured"}
            for x in (2, 4, 8, 16)]
straight.append(straight[-1] | {"value": "32", "lut": "1700", "source": "line"})
bent = [row | {"lut": str(int(row["value"]) ** 2 * 10)} for row in straight]
lines = not scale.off_line(straight) and any(" lut," in fault for fault in scale.off_line(bent))
print(f"{'ok' if lines else 'not ok'} synth_growth_off_its_line_is_noticed" + ("" if lines else f" # {scale.off_line(straight)}"))
sys.exit(not (good and lines))
