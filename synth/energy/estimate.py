"""Power of the network interface's and the switch's extension in the size of the published system, beside what NetSparse 9.5 has: what the measured energies of
their blocks (synth/power.py) and published figures of memories make together.

A block's energy is that of a cycle, so its power is that times a clock. Energies are scaled by the equation of Stillmaker and Baas (Integration 58, 2017), which
NetSparse 8.3 scales by too; leakage by their equation of power, since they have none of its own.
"""
import csv
import dataclasses

MACROS = "synth/energy/macros.csv"
CLOCK_45 = 1.5                  # GHz (NetSparse 8.3)
VOLTS_45, VOLTS_10 = 1.1, 0.75  # of the library, and of the models that the equations were made with
# Stillmaker and Baas, table of coefficients, high performance: factors by V squared, V and 1.
ENERGY = {45: (1.018, -0.3107, 0.1539), 10: (0.2068, -0.09311, 0.02375)}
POWER = {45: (5462, -1760, 522.4), 10: (1456, -621.6, 143.8)}
UNITS, PIPES = 16, 8   # client RIG units of a network interface, middle pipes of a switch (NetSparse Table 5)


@dataclasses.dataclass(frozen=True)
class Extension:
    """What NetSparse adds to a device, in its size."""
    configuration: str   # whose blocks are measured
    measured: tuple      # modules whose energies are measured in this device
    clock: float         # GHz at 10 nm
    blocks: tuple        # (module, how many there are, what it is, the macro that what it remembers itself is taken by)
    memories: tuple      # (macro, how many, what it is, whose accesses)
    watts: float         # NetSparse 9.5: at work at most
    idle_watts: float    # and idle, as the share of a chip's 50 W that it names; 0: not published


PIPE = ("gather_concat", "gather_split", "gather_frame")
NIC = Extension(
    "gather_nic4", ("gather_rig", "gather_server", "gather_host", *PIPE), 2.2,
    (("gather_rig", UNITS, "RIG units", "4 KB"), ("gather_server", 1, "server", "4 KB"), ("gather_host", 1, "ports of the host", "4 KB"), ("gather_concat", 1, "concatenation", "4 KB"),
     ("gather_frame", 1, "headers and ICRC", "4 KB"), ("gather_split", 1, "deconcatenation", "4 KB")),
    (("32 KB", UNITS, "L1 caches of RIG units, 32 KB each", "gather_rig"), ("128 KB", UNITS, "L2 caches, 128 KB each", "gather_rig"),
     ("512 KB", 1, "concatenation's 512 KB", "gather_concat")), 2.1, 0.01 * 50)
# A segment of a pipe's cache is as large as the macro of 128 KB. What both devices have is measured in the network interface.
SWITCH = Extension(
    "gather_switch8", ("gather_cache_look", "gather_cache_data"), 2.0,
    (("gather_cache_look", PIPES, "property caches, tags and their control", "128 KB"), ("gather_cache_data", PIPES, "property caches, 32 MB in segments of 128 KB", "128 KB"),
     ("gather_concat", PIPES, "concatenation", "4 KB"), ("gather_frame", PIPES, "headers and ICRC", "4 KB"), ("gather_split", PIPES, "deconcatenation", "4 KB")),
    (("512 KB", PIPES, "concatenation's 512 KB a pipe", "gather_concat"),), 10, 0)


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


def lines(rows, extension):
    """[(what, watts of leakage, of clocks, of all else at most, of all else in the mean)] at 10 nm; `rows`: of the reports of power."""
    measured, known, out = {row["module"]: {key: float(value) for key, value in row.items() if key not in ("module", "logic")} for row in rows}, macros(), []
    dynamic, static = factor(ENERGY) * extension.clock * 1e-6, factor(POWER) * 1e-9   # fJ a cycle at so many GHz are so many uW
    for module, count, name, kind in extension.blocks:
        row, own = measured[module], known[kind]
        # What the block itself remembers, beside the memories below: by bits.
        bit_pj, leak = (own["read_pj"] + own["write_pj"]) / 2 / 512, own["leakage_mw"] * 1e6 / own["bytes"] / 8
        out.append((name, count * static * (row["leakage_nw"] + leak * row["memory_bits"]), count * dynamic * row["clock_fj"],
                    *(count * dynamic * (row[f"{which}_fj"] + 1e3 * bit_pj * row[f"{which}_bits"]) for which in ("most", "mean"))))
    for name, count, what, module in extension.memories:
        macro, row = known[name], measured[module]
        access = 1e3 * (macro["read_pj"] + macro["write_pj"]) / 2
        out.append((what, count * static * macro["leakage_mw"] * 1e6, 0.0, *(count * dynamic * access * row[f"{which}_accesses"] for which in ("most", "mean"))))
    return out


def table_rows(rows, extension):
    """Cells of the table, text; the last is the sum beside the published one."""
    parts = lines(rows, extension)
    total = [sum(column) for column in list(zip(*parts))[1:]]
    made = [[name, f"{leak:.3f}", f"{clock:.3f}", f"{most:.3f}", f"{leak + clock + most:.3f}", f"{leak + clock + mean:.3f}"] for name, leak, clock, most, mean in parts]
    leak, clock, most, mean = total
    idle = extension.idle_watts
    made.append(["**together**", f"**{leak:.2f}**", f"{clock:.2f}", f"{most:.2f}", f"**{leak + clock + most:.2f}**", f"{leak + clock + mean:.2f}"])
    made.append(["NetSparse 9.5", f"{idle:.1f}" if idle else "", "", "", f"{extension.watts}", ""])
    made.append(["ours / published", f"**{leak / idle:.2f}**" if idle else "", "", "", f"**{(leak + clock + most) / extension.watts:.2f}**", ""])
    return made


HEAD = ["part", "leakage, W", "clock of registers, W", "at most, W", "all at most, W", "all in the mean, W"]
