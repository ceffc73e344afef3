"""What of `weir gather` is run for gather_figures.py, with which options, and what is kept of it: rows of docs/figures/gather-figures.csv, by part, matrix, scale, K and setting."""
import hashlib
import json
import subprocess
import sys

import gather_published as published

NAMES = list(published.ROWS)
CLOCK = 2200            # MHz
LINE = 400e9 / 8        # bytes/s of a cable
# A matrix of a part has one in so many of the published rows; batches, caches and latencies are as many times smaller.
SCALE = {"tail": {"arabic": 1, "europe": 64, "queen": 4, "stokes": 4, "uk": 4}, "all K": 64, "ablation": 64, "batch": 64, "units": 64, "delay": 64, "cache": 64, "topology": 64,
         "uneven": {"arabic": 4, "europe": 64, "uk": 4}, "cores": {"arabic": 64, "europe": 64, "queen": 16, "stokes": 64, "uk": 16}, "units, larger": {"europe": 16, "queen": 4, "uk": 4}}
SWEPT = NAMES   # of which parameters are swept
# Experiments, not fits: loads as uneven as the published ones, with batches of which each node has fewer, or with other orders of pages, points and reading.
LISTS = ("--uneven", 2.2, "--lists", None)
UNEVEN = {"arabic": (("even", ()), ("even, no delay", ("--delay-nic", 0, "--delay-switch", 0)), ("uneven", ("--uneven", 5)), ("uneven, batches 4 x", ("--uneven", 5, "--batch", 32768))),
          "europe": (("even", ()), ("uneven", ("--uneven", 1.64)), ("regions near", ("--near", None)), ("regions near, caches hold all", ("--near", None, "--cache-sets", 512))),
          "uk": (("even", ()), ("uneven", ("--uneven", 2.2)), ("uneven, batches 4 x", ("--uneven", 2.2, "--batch", 8192)), ("uneven by lists", LISTS),
                 ("panels of 8,192 rows", ("--panel", 8192)), ("lists, panels of 8,192 rows", (*LISTS, "--panel", 8192)))}
DEALINGS = ("rows", "turns", "batches")
SHAPES = ("leaf-spine", "hyperx", "dragonfly")
STEPS = (("RIG", ("filter", "coalesce", "concat-nic", "switch")), ("Filter", ("coalesce", "concat-nic", "switch")),
         ("Coalesce", ("concat-nic", "switch")), ("Conc_NIC", ("switch",)), ("Switch", ()))
KEPT = ["rows", "nonzeros", "columns", "cycles", "mean_cycles", "prs_sent", "prs_needed", "filter_rate", "prs_per_packet", "hit_rate", "asked_hit_rate", "goodput",
        "tail_less_than_su", "speedup_su", "tail_bytes_su", "redundant_su", "redundant_sa", "locality", "last_filter_rate", "last_prs_per_packet", "last_hit_rate",
        "last_goodput", "last_utilisation", "last_less_than_su", "last_less_than_software", "software_core_prs", "software_tail_prs", "most_nonzeros", "most_columns", "stalls_pending",
        "stalls_tx"]
KEYS = ["part", "matrix", "scale", "k", "setting"]
COLUMNS = KEYS + KEPT + ["active", "commit"]


def options(matrix, k, scale):
    """The published system (NetSparse Table 5), scaled."""
    return ["--generate", matrix, "--rows", published.ROWS[matrix] // scale, "--nodes", 128, "--racks", 8, "--units", 16, "--k", k, "--clock", CLOCK,
            "--batch", published.BATCH[matrix] // scale, "--cache-sets", 512 // scale, "--cable", 450 / scale, "--switch", 300 / scale, "--memory", 200 / scale,
            "--delay-nic", 500, "--delay-switch", 138, "--upper", 50, "--routing", "spread"]


def summary(build, words):
    """What a run says; one that was made is not made again."""
    words = [str(w) for w in words]
    path = build / "gather-figures" / f"{words[1]}-{hashlib.sha256(' '.join(words).encode()).hexdigest()[:16]}.json"
    if not path.exists():
        print("weir gather", *words, file=sys.stderr, flush=True)
        subprocess.run([build / "weir", "gather", *words, "--json", path], check=True, stdout=subprocess.DEVNULL)
    return json.loads(path.read_text(encoding="utf-8"))


def active(s):
    """At 1, 2, .. 10 tenths of the time: nodes that have not all yet."""
    ends = s["finished"]
    return " ".join(str(sum(end > max(ends) * tenth / 10 for end in ends)) for tenth in range(11))


def changed(words, *more):
    """Options with others in their place, or further ones; those with None have no value."""
    words = [str(w) for w in words]
    for name, value in zip(more[::2], more[1::2]):
        if name in words:
            words[words.index(name) + 1] = str(value)
        else:
            words += [name] if value is None else [name, str(value)]
    return words


def scale_of(part, matrix):
    """That of a part, or of a matrix in it: those that take longest are smaller."""
    return SCALE[part][matrix] if isinstance(SCALE[part], dict) else SCALE[part]


def wanted(part):
    """(matrix, k, setting, options) of a part."""
    scale = SCALE[part]
    if part == "tail":
        return [(m, 16, "", options(m, 16, scale_of(part, m))) for m in NAMES]
    if part == "all K":
        return [(m, k, "", options(m, k, scale)) for m in NAMES for k in published.KS]
    if part == "ablation":
        return [(m, k, name, options(m, k, scale) + [w for one in without for w in ("--without", one)])
                for m in published.TABLE8 for k in published.KS for name, without in STEPS]
    if part == "topology":
        return [(m, 16, t, changed(options(m, 16, scale), "--topology", t)) for m in NAMES for t in SHAPES]
    if part == "uneven":
        return [(m, 16, name, changed(options(m, 16, scale[m]), *more)) for m, runs in UNEVEN.items() for name, more in runs]
    if part == "cores":
        return [(m, 16, name, changed(options(m, 16, scale[m]), "--cores", name)) for m in NAMES for name in DEALINGS]
    if part == "units, larger":
        return [(m, 16, 2 * u, changed(options(m, 16, scale[m]), "--units", u)) for m in scale for u in (16, 32)]
    sweeps = {"batch": [(b, ("--batch", b * 1024 // scale)) for b in (1, 16, 64)],
              "units": [(2 * u, ("--units", u)) for u in (1, 16, 32)],
              "delay": [(d, ("--delay-nic", d, "--delay-switch", d * 138 // 500)) for d in (0, 500, 50000)],
              "cache": [(f"{s / 16:g}", ("--cache-sets", s // scale)) for s in (0, 512, 65536)]}
    return [(m, 16, setting, changed(options(m, 16, scale), *more)) for m in SWEPT for setting, more in sweeps[part]]


def measure(build, parts, chosen):
    """Rows of the CSV: of all matrices of the parts, or of those that `chosen` ((part, matrix)) has."""
    commit = subprocess.run(["git", "describe", "--always", "--dirty", "--exclude=*"], check=True, capture_output=True, text=True).stdout.strip()
    (build / "gather-figures").mkdir(parents=True, exist_ok=True)
    rows = []
    for part in parts:
        for matrix, k, setting, words in wanted(part):
            if (part, matrix) not in chosen:
                continue
            s = summary(build, words)
            rows.append(dict(zip(KEYS, (part, matrix, scale_of(part, matrix), k, setting))) |
                        {key: f"{s[key]:.5g}" if isinstance(s[key], float) else s[key] for key in KEPT} | {"active": active(s), "commit": commit})
    return [{key: str(value) for key, value in row.items()} for row in rows]
