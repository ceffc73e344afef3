"""What tests of `weir fabric` share: runs that must end well, and lists of what there is. Each run compares what collectives bring with what they must,
and accounts for every packet."""

# Wire bytes of a packet of 4096, in the middle of a message.
WIRE = 4096 + 82
ROUTINGS = ("ecmp", "e-ecmp", "pinned", "te", "flowlet", "spray")
COLLECTIVES = ("all-reduce", "tree-all-reduce", "rabenseifner", "nodes", "reduce-scatter", "all-gather")


def good(fabric, *options):
    """A run in which all that was to be sent arrived, and was right. The summary."""
    s = fabric.summary(0, *options)
    assert s["open"] == s["wrong"] == s["mismatches"] == 0 and s["packets_delivered"] > 0
    return s


def quiet(fabric, *options):
    """The same, and nothing was lost or sent twice."""
    s = good(fabric, *options)
    assert s["again"] == s["timeouts"] == s["dropped"] == s["unreachable"] == s["duplicates"] == s["lost"] == 0
    return s


def flows(tmp_path, *lines):
    """The options of a run with these flows: source, destination, bytes."""
    path = tmp_path / "flows.csv"
    path.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    return f"--load matrix --matrix {path}"
