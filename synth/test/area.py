"""Shares of a RIG unit's area are of one unit, as NetSparse's Table 9 has them: of the one server of a network interface a unit has its part."""
import os
import re
import sys

sys.path.insert(0, os.path.join(os.path.dirname(__file__), ".."))
import report  # noqa: E402
from energy import estimate  # noqa: E402

# By hand: a unit of 920 with its memories and, of a server of 80 times as many as there are units, 80 more.
AREAS = {"gather_rig": 520, "gather_pending": 400, "gather_fetch": 40, "gather_return": 30, "gather_server": 30 * estimate.UNITS}
RAM_BITS = {"gather_rig": 800, "gather_fetch": 120, "gather_return": 140, "gather_server": 100 * estimate.UNITS}
text = report.shares([{"module": name, "area_um2": str(area), "ram_bits": str(RAM_BITS.get(name, 0))} for name, area in AREAS.items()])
found = [int(share) for share in re.findall(r"\| (\d+) % \| \d+ % \|", text)]
good = found == [10, 40, 8, 10, 32]
print(f"{'ok' if good else 'not ok'} synth_shares_are_of_one_rig_unit" + ("" if good else f" # {found}"))
sys.exit(not good)
