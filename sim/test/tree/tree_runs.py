"""What tests of `weir tree` share: runs in which every host has every result. Each run compares each host's vector with one computed directly, and what
went over each cable with what must have."""

DEEP = "--topology '{\"children\": [{\"children\": [{\"hosts\": 3}, {\"hosts\": 1}]}, {\"hosts\": 2}, {\"children\": [{\"hosts\": 2}]}]}'"


def good(tree, *options):
    """A run in which every host has every result. The summary."""
    s = tree.summary(0, *options)
    assert s["mismatches"] == 0 and s["verdicts"]["ok"] == s["hosts"] and s["locks"] == s["unlocks"]
    assert s["cables_checked"] > 0 and s["silence_us"] <= s["bound_us"] and s["refused"] == s["teardowns"] == 0
    return s


def clean(tree, *options):
    """The same, and nothing had to be repeated."""
    s = good(tree, *options)
    assert s["repeats"] == s["timeouts"] == s["naks"] == s["rnrs"] == s["duplicates"] == 0
    return s
