"""A device that is mapped to an ECP5 as a whole has each of its instances, though each kind is mapped once, and LUTs are counted as nextpnr counts them."""
import os
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(__file__), ".."))
import elaborate  # noqa: E402
import route  # noqa: E402

with tempfile.TemporaryDirectory() as work:
    kinds = elaborate.kinds("shape_top", [f"synth/test/{name}.sv" for name in ("shape_leaf", "prim_ram_of_luts", "shape_top")], work)
    top = route.top_of(kinds)
    ports = elaborate.port_list(kinds[top])
    framed = sum(width * (1 if direction == "input" else 2) for width, direction, name in ports if name != "clk_i")
    found = route.counted(route.map_block(kinds, top, work, route.hierarchical))
# By hand: seven leaves of 7 flip-flops, 33 of the top, and the frame's; 128 words of 64 bits, 16 words of 4 bits in 6 LUTs; a count of 32 bits.
good = found["ff"] == 7 * 7 + 33 + framed and found["lutram"] == 8 * 16 * 6 and found["carry"] == 32 and \
    found["lut4"] == found["plain"] + found["carry"] + found["lutram"]
print(f"{'ok' if good else 'not ok'} synth_whole_device_has_all_its_instances" + ("" if good else f" # {found}, frame {framed}"))
sys.exit(not good)
