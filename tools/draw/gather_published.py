"""What NetSparse (MICRO '25) published of its evaluation, for gather_figures.py, and the few numbers that stand for what it did not."""

# Table 6, with all digits of the collection.
ROWS = {"arabic": 22744080, "europe": 50912018, "queen": 4147110, "stokes": 11449533, "uk": 18520486}
BATCH = {"arabic": 32768, "europe": 8192, "queen": 32768, "stokes": 32768, "uk": 8192}
KS = (1, 16, 128)

# Tables 1 and 4: redundant properties for each useful one, SU and SA; destinations among 64 PRs. Matrices are fitted to these.
STATISTICS = {"arabic": (1947, 27, 2.51), "europe": (582, 0.02, 7.43), "queen": (74, 25, 1.00), "stokes": (32, 3.6, 1.85), "uk": (966, 4.5, 5.61)}

# Table 7, the tail node, K=16: F+C, PRs a packet, hits, goodput, line, traffic less than SU, goodput of SAOpt, PRs less than SAOpt.
TABLE7 = {"arabic": (97, 5.7, 26, 35, 65, 283, 1, 3.8), "europe": (8, 4.5, 5, 37, 70, 188, 10, 1.3), "queen": (95, 19.6, 50, 40, 66, 42, 11, 1.1),
          "stokes": (90, 12.1, 6, 38, 64, 17, 8, 4.4), "uk": (61, 17, 30, 30, 50, 271, 9, 2.6)}

# Table 8: speed-up over SUOpt, traffic of the tail node less than SU, its goodput in %; RIG, Filter, Coalesce, Conc_NIC, Switch.
TABLE8 = {
    "arabic": {1: ((0.2, 3.1, 0.4), (3.4, 17.4, 0.8), (8.4, 34.6, 0.9), (12.6, 80.8, 1.1), (13.7, 115.5, 0.9)),
               16: ((1.8, 5.3, 22.9), (34.2, 63.2, 22.2), (88.0, 118.5, 23.8), (129.1, 191.2, 34.0), (184.1, 283.4, 35.2)),
               128: ((3.6, 8.5, 39.4), (78.7, 109.0, 56.7), (184.8, 279.9, 54.0), (184.2, 310.7, 52.6), (250.4, 398.0, 55.1))},
    "europe": {1: ((7.4, 8.8, 2.3), (7.5, 8.9, 2.4), (8.1, 9.6, 2.3), (14.1, 19.1, 4.1), (15.1, 24.8, 4.0)),
               16: ((82.8, 99.1, 26.2), (84.8, 100.8, 26.4), (91.3, 108.7, 26.4), (122.1, 159.6, 35.2), (132.1, 188.4, 36.5)),
               128: ((176.0, 248.0, 55.7), (175.5, 252.2, 54.7), (190.3, 272.1, 54.9), (197.8, 292.9, 57.1), (202.8, 301.5, 58.4))},
}

# Figure 12 gives numbers for two matrices (Table 8); of queen, stokes and uk with K=16 they follow from Table 7: less traffic times use of the line.
SPEEDUP = {(m, k): TABLE8[m][k][4][0] for m in TABLE8 for k in KS} | {(m, 16): TABLE7[m][5] * TABLE7[m][4] / 100 for m in ("queen", "stokes", "uk")}
OVER_SU, OVER_SA = 33, 15

# Figures 13 and 21, means: ideal, NetSparse, SAOpt, SUOpt; None: not in numbers.
END_TO_END = {"SPADE": (72, 38, 3, 0.7), "DDR": (None, 53, 13, 2.6), "HBM": (None, 42, 7, 1.4)}

# SAOpt: seconds of a core for a PR with K=16, and which share of it does not grow with K. The first is what 64 cores with 11 % of the line mean (Table 7, queen,
# whose load is balanced); the second is not published: half is taken.
SOFTWARE = (744e-9, 0.5)

# Bytes/s of memory, FP32 operations/s at the peak. Table 5 has the rates and 128 SPADE PEs of 1 GHz; 16 lanes each are assumed. CPUs: 48 cores of 2.2 GHz,
# and 56, 32 multiplications with additions a cycle.
MACHINES = {"SPADE": (800e9, 128 * 1e9 * 32), "DDR": (270e9, 48 * 2.2e9 * 64), "HBM": (800e9, 56 * 2.2e9 * 64)}
