"""Power of the network interface's extension in the size of the published system, beside what NetSparse 9.5 has: what the measured energies of its blocks
(synth/power.py) and published figures of memories make together.

A block's energy is that of a cycle, so its power is that times a clock. Energies are scaled by the equation of Stillmaker and Baas (Integration 58, 2017), which
NetSparse 8.3 scales by too; leakage by their equation of power, since they have none of its own.
"""
import csv

MACROS = "synth/energy/macros.csv"
CLOCK_45, CLOCK_10 = 1.5, 2.2   # GHz (NetSparse 8.3)
VOLTS_45, VOLTS_10 = 1.1, 0.75  # of the library, and of the models that the equations were made with
# Stillmaker and Baas, table of coefficients, high performance: factors by V squared, V and 1.
ENERGY = {45: (1.018, -0.3107, 0.1539), 10: (0.2068, -0.09311, 0.02375)}
POWER = {45: (5462, -1760, 522.4), 10: (1456, -621.6, 143.8)}
# NetSparse 9.5: watts at work at most, idle ones as the share of a chip's 50 W that it names.
WATTS, IDLE_WATTS = 2.1, 0.01 * 50
UNITS = 16   # client RIG units of a network interface (NetSparse Table 5)
# (block, how many there are, what it is); memories: (macro, how many, what it is, whose accesses, accesses of how many blocks).
BLOCKS = (("gather_rig", UNITS, "RIG units"), ("gather_server", 1, "server"), ("gather_host", 1, "ports of the host"), ("gather_concat", 1, "concatenation"),
          ("gather_frame", 1, "headers and ICRC"), ("gather_split", 1, "deconcatenation"))
MEMORIES = (("32 KB", UNITS, "L1 caches of RIG units, 32 KB each", "gather_rig"), ("128 KB", UNITS, "L2 caches, 128 KB each", "gather_rig"),
            ("512 KB", 1, "concatenation's 512 KB", "gather_concat"))


def factor(coefficients):
    """What is to be multiplied with at 45 nm for 10 nm."""
    def at(nm, volts):
        square, linear, constant = coefficients[nm]
        return square * volts ** 2 + linear * volts + constant
    return at(10, VOLTS_10) / at(45, VOLTS_45)


def macros():
    """Memories by name."""
    with open(MACROS, newline="", encoding="utf-8") as file:
        return {row["name"]: {key: float(value) for key, value in row.items() if key != "name"}
                for row in csv.DictReader(line for line in file if not line.startswith("#"))}


def lines(rows):
    """[(what, watts of leakage, of clocks, of all else at most, of all else in the mean)] at 10 nm; `rows`: of the report of power."""
    measured, known, out = {row["module"]: {key: float(value) for key, value in row.items() if key not in ("module", "logic")} for row in rows}, macros(), []
    dynamic, static = factor(ENERGY) * CLOCK_10 * 1e-6, factor(POWER) * 1e-9   # fJ a cycle at so many GHz are so many uW
    own = known["4 KB"]
    for module, count, name in BLOCKS:
        row = measured[module]
        # What the block itself remembers, beside the published memories: by bits of the smallest macro.
        bit_pj, leak = (own["read_pj"] + own["write_pj"]) / 2 / 512, own["leakage_mw"] * 1e6 / own["bytes"] / 8
        out.append((name, count * static * (row["leakage_nw"] + leak * row["memory_bits"]), count * dynamic * row["clock_fj"],
                    *(count * dynamic * (row[f"{which}_fj"] + 1e3 * bit_pj * row[f"{which}_bits"]) for which in ("most", "mean"))))
    for name, count, what, module in MEMORIES:
        macro, row = known[name], measured[module]
        access = 1e3 * (macro["read_pj"] + macro["write_pj"]) / 2
        out.append((what, count * static * macro["leakage_mw"] * 1e6, 0.0, *(count * dynamic * access * row[f"{which}_accesses"] for which in ("most", "mean"))))
    return out


def table_rows(rows):
    """Cells of the table, text; the last is the sum beside the published one."""
    parts = lines(rows)
    total = [sum(column) for column in list(zip(*parts))[1:]]
    made = [[name, f"{leak:.3f}", f"{clock:.3f}", f"{most:.3f}", f"{leak + clock + most:.3f}", f"{leak + clock + mean:.3f}"] for name, leak, clock, most, mean in parts]
    leak, clock, most, mean = total
    made.append(["**together**", f"**{leak:.2f}**", f"{clock:.2f}", f"{most:.2f}", f"**{leak + clock + most:.2f}**", f"{leak + clock + mean:.2f}"])
    made.append(["NetSparse 9.5", f"{IDLE_WATTS:.1f}", "", "", f"{WATTS}", ""])
    made.append(["ours / published", f"**{leak / IDLE_WATTS:.2f}**", "", "", f"**{(leak + clock + most) / WATTS:.2f}**", ""])
    return made


HEAD = ["part", "leakage, W", "clock of registers, W", "at most, W", "all at most, W", "all in the mean, W"]
