#!/usr/bin/env python3
"""Checks a page that `weir .. --report` wrote, against the summary that `--json` of the same run wrote.

The page must be well-formed, refer to nothing outside itself, and show the numbers of the summary, both as figures and summed over
its pictures. Usage: check_page.py [--gather|--fabric] PAGE JSON. Says what is wrong, one line each; exit code 1 if anything is.
"""
import json
import re
import sys
import xml.etree.ElementTree as ElementTree

# Elements that fetch or run something, and attributes that name a place.
OUTSIDE_ELEMENTS = {"script", "link", "img", "image", "iframe", "object", "embed", "base", "audio", "video", "source", "use", "a",
                    "form", "foreignObject"}
OUTSIDE_ATTRIBUTES = {"src", "srcset", "href", "action", "data", "poster", "background", "ping", "formaction"}
SECTIONS = ["throughput", "latency", "slots", "drops", "undecided", "columns", "terms"]
GATHER_SECTIONS = ["traffic", "requests", "packets", "nodes"]
FABRIC_SECTIONS = ["map", "cables", "queues", "pauses", "marks", "drops", "times"]


def text_of(element):
    return "".join(element.itertext())


def number(text):
    return int(re.match(r"[\d,]+", text).group().replace(",", ""))


def outside(page):
    """What the page would fetch or run."""
    for element in page.iter():
        if element.tag in OUTSIDE_ELEMENTS:
            yield f"element {element.tag}"
        for name, value in element.items():
            if name.rsplit("}")[-1] in OUTSIDE_ATTRIBUTES or name.startswith("on"):
                yield f"attribute {name}"
            yield from styled(value)
        if element.tag == "style":
            yield from styled(element.text or "")


def styled(text):
    if "@import" in text or "//" in text:
        yield f"an address in {text[:40]!r}"
    for place in re.findall(r"url\(([^)]*)\)", text):
        if not place.startswith("#"):
            yield f"url({place})"


def shape(page, sections):
    """Sections, titles, names."""
    if [s.get("id") for s in page.iter("section")] != sections:
        yield "sections are not " + ", ".join(sections)
    for section in page.iter("section"):
        if not text_of(section.find("h2")).strip():
            yield f"section {section.get('id')} has no title"
        if section.find(".//svg[@role]") is None and section.find(".//p[@class='empty']") is None and \
                section.find(".//table") is None and section.get("id") != "terms":
            yield f"section {section.get('id')} has neither a picture nor a word"
    names = [e.get("id") for e in page.iter() if e.get("id")]
    for name in {n for n in names if names.count(n) > 1}:
        yield f"two elements are called {name}"
    everything = ElementTree.tostring(page, encoding="unicode")
    for name in set(re.findall(r"url\(#([^)]*)\)", everything)) - set(names):
        yield f"no element is called {name}"


def figures(page, summary):
    """What the page says and what it should: (name, actual, expected)."""
    found = {e.get("id"): text_of(e) for e in page.iter() if e.get("id")}
    fates = {name[5:]: number(value) for name, value in found.items() if name.startswith("fate_")}
    for name in ("frames_in", "results", "duplicates", "cycles"):
        yield name, number(found[name]), summary[name]
    for percentile in ("p50", "p99"):
        value = summary["latency_cycles"][percentile]
        yield percentile, found["latency_" + percentile], "none" if value is None else f"{value:,} cycles"
    yield "dropped", number(found["dropped"]), sum(summary["drops"].values())
    yield "verdict", found["verdict"][:8].strip("\u2713\u2717 ").split(":")[0], "FAILED" if summary["mismatches"] else "OK"
    for name, count in summary["drops"].items():
        yield name, fates.pop(name, 0), count
    yield "all other fates", sum(fates.values()), summary["frames_in"] - sum(summary["drops"].values())
    yield "duplicate", fates.get("duplicate", 0), summary["duplicates"]
    open_counts = summary["undecided"] | summary["undecided"]["excused"]
    del open_counts["excused"]
    for name, count in open_counts.items():
        yield f"undecided {name}", number(found.get(f"undecided_{name}", "0")), count
    rows = page.findall(".//section[@id='undecided']//tr")
    yield "rows of what is undecided", len(rows), sum(count > 0 for count in open_counts.values())
    words = [text_of(p) for p in page.findall(".//section[@id='undecided']/p[@class='empty']")]
    yield "word of what is undecided", words, [] if rows else ["Everything was decided."]
    strips = [text_of(t) for t in page.findall(".//section[@id='throughput']//svg/text") if "Port" in text_of(t)]
    taken = [number(re.search(r"in: ([\d,]+)", s).group(1)) for s in strips]
    yield "frames into all ports", sum(taken), summary["frames_in"]
    sent = [number(re.search(r"out: ([\d,]+)", s).group(1)) for s in strips]
    if "frames_out" in summary:
        yield "frames out of all ports", sum(sent), summary["frames_out"]
    # Each packet that is stored in a complete column gets one first result, and its latency is in one bar.
    bars = [text_of(t) for t in page.findall(".//section[@id='latency']//rect/title")]
    results = sum(number(re.search(r": ([\d,]+) result", b).group(1)) for b in bars)
    title = re.search(r"half of ([\d,]+) results", text_of(page.find(".//section[@id='latency']/h2")))
    yield "latencies in the bars", results, number(title.group(1)) if title else 0
    marks = [text_of(t) for t in page.findall(".//section[@id='latency']//text[@class]") if t.get("class").startswith("bold")]
    for percentile, mark in zip(("p50", "p99"), marks):
        value = summary["latency_cycles"][percentile]
        yield "mark", mark.split(" (")[0], f"{percentile}: {'half' if percentile == 'p50' else '99 %'} within {value:,} cycles"
    if page.find(".//section[@id='columns']/h3") is None:
        yield "latencies of all stored packets", results, fates.get("stored", 0)
        cells = [text_of(cell) for cell in page.findall(".//section[@id='columns']//td")]
        yield "moments that never came", cells.count("never"), 0


def gather_figures(page, summary):
    """The same for the page of a gather."""
    found = {e.get("id"): text_of(e) for e in page.iter() if e.get("id")}
    for name in ("prs_wanted", "prs_sent", "packets", "bytes_on_links", "cycles", "watchdog_failures"):
        yield name, number(found[name + "_figure"]), summary[name]
    yield "prs_per_packet", found["prs_per_packet_figure"], f"{summary['prs_per_packet']:.2f}"
    yield "verdict", found["verdict"][:8].strip("\u2713\u2717 ").split(":")[0], "FAILED" if summary["mismatches"] else "OK"
    cells = [number(text_of(cell)) for cell in page.findall(".//section[@id='traffic']//td[@class='number']")]
    yield "bytes of this run", cells[0] + cells[1], summary["bytes_on_links"]
    yield "baselines", cells[2:], [summary["bytes_su"], summary["bytes_sa"]]
    cells = [number(text_of(cell)) for cell in page.findall(".//section[@id='requests']//td[@class='number']")]
    yield "requests", cells, [summary[k] for k in ("filtered", "coalesced", "prs_sent", "cache_hits")]
    # Bars of packets and of nodes: as many, and as high, as there is something to show.
    bars = [float(r.get("height")) for r in page.findall(".//section[@id='nodes']//rect")]
    yield "highest bar of a node", max(bars), 140.0


def fabric_figures(page, summary):
    """The same for the page of a fabric."""
    found = {e.get("id"): text_of(e) for e in page.iter() if e.get("id")}
    for name in ("packets_delivered", "again", "dropped", "lost_on_cables"):
        yield name, number(found[name + "_figure"]), summary[name]
    ways = summary["cables"].values()
    yield "pauses", number(found["pauses_figure"]), sum(way["pauses"] for way in ways)
    yield "marked", number(found["marked_figure"]), sum(way["marked"] for way in ways)
    yield "verdict", found["verdict"][:8].strip("\u2713\u2717 ").split(":")[0], "FAILED" if summary["mismatches"] or summary["open"] else "OK"
    # Rows say what each direction of a cable came to; where all are drawn, they are all of it.
    for section, wanted in (("cables", sum(way["bytes"] for way in ways)), ("marks", sum(way["marked"] for way in ways)), ("drops", summary["dropped"])):
        place = page.find(f".//section[@id='{section}']")
        rows = [text_of(t) for t in place.iter("text") if re.fullmatch(r"[\d,]+", text_of(t)) and t.get("class") == "tick end"]
        if place.find("p[@class='note']") is None:
            yield f"sum of {section}", sum(map(number, rows)), wanted
    load = [float(re.search(r"([\d.]+) %", text_of(t)).group(1)) for t in page.findall(".//section[@id='map']//title") if "%" in text_of(t)]
    yield "cables that are loaded as no cable can be", [x for x in load if not 0 <= x <= 100], []
    if load:
        yield "busiest cable", f"{max(load):.0f} %", re.search(r"for (\d+ %) of", text_of(page.find(".//section[@id='map']/h2"))).group(1)


def tree_figures(page, summary):
    """The same for the page of a run of `weir tree`."""
    found = {e.get("id"): text_of(e) for e in page.iter() if e.get("id")}
    for name in ("operations", "compared", "packets", "repeats", "most_up", "most_down", "devices"):
        yield name, number(found[name + "_figure"]), summary[name]
    for name, unit in (("operation_us", "us"), ("lock_us", "us"), ("bandwidth_gbps", "Gb/s")):
        yield name, found[name + "_figure"], f"{summary[name]:.3f} {unit}" if summary[name] > 0 else "none"
    yield "verdict", found["verdict"][:8].strip("\u2713\u2717 ").split(":")[0], "FAILED" if summary["mismatches"] else "OK"

    def rows(section):
        return {text_of(row[0]): number(text_of(row[1])) for row in page.findall(f".//section[@id='{section}']//tr")}

    told = rows("verdicts")
    yield "verdicts", {name: count for name, count in told.items() if not name.startswith("in the")}, {v: n for v, n in summary["verdicts"].items() if n}
    yield "wrong verdicts", {name.split(": ")[1]: count for name, count in told.items() if name.startswith("in the")}, \
        {v: n for v, n in summary["wrong_verdicts"].items() if n}
    names = {"packets of data": "packets", "repeated": "repeats", "NAKs": "naks", "not ready": "rnrs", "time-outs": "timeouts", "lost by cables": "lost",
             "of somebody else": "hostile"}
    yield "packets", {names[name]: count for name, count in rows("packets").items() if name in names}, {name: summary[name] for name in names.values()}
    told = rows("nodes")
    yield "locks", (told["locks taken"], told["given back"], told["trees torn down"]), (summary["locks"], summary["unlocks"], summary["teardowns"])
    bars = [float(r.get("height")) for r in page.findall(".//section[@id='cables']//rect")]
    yield "bars of cables", len(bars), 2 * (summary["hosts"] + summary["nodes"] - 1)
    yield "highest bar of a cable", max(bars), 70.0
    # All bars are to one scale.
    yield "sum of the bars", round(sum(bars) / 70 * max(summary["most_up"], summary["most_down"]) / (summary["up"] + summary["down"]), 2), 1.0


def tree_sizes_figures(page, summary):
    """The same for several sizes."""
    found = {e.get("id"): text_of(e) for e in page.iter() if e.get("id")}
    yield "sizes", number(found["sizes_figure"]), len(summary["sizes"])
    yield "verdict", found["verdict"][:8].strip("\u2713\u2717 ").split(":")[0], "FAILED" if summary["mismatches"] else "OK"
    rows = [[text_of(cell) for cell in row] for row in page.findall(".//section[@id='sizes']//tr")[1:]]
    yield "rows", rows, [[f"{p['size']:,}", "streaming" if p["streams"] else "low-latency", f"{p['operation_us']:.3f}", f"{p['lock_us']:.3f}",
                          f"{p['bandwidth_gbps']:.3f}"] for p in summary["sizes"]]
    bars = [text_of(t) for t in page.findall(".//section[@id='bandwidth']//rect/title")]
    yield "bars", bars, [f"{p['size']} bytes: {p['bandwidth_gbps']:.3f} Gb/s" for p in summary["sizes"]]


TREE_SECTIONS = ["verdicts", "times", "cables", "packets", "nodes"]
TREE_SIZES_SECTIONS = ["bandwidth", "sizes"]
KINDS = {"--tree": (TREE_SECTIONS, tree_figures), "--tree-sizes": (TREE_SIZES_SECTIONS, tree_sizes_figures), "--gather": (GATHER_SECTIONS, gather_figures), "--fabric": (FABRIC_SECTIONS, fabric_figures)}


def main():
    sections, of_page = KINDS.get(sys.argv[1], (SECTIONS, figures))
    path, json_path = sys.argv[1 + (sys.argv[1] in KINDS):]
    try:
        page = ElementTree.parse(path).getroot()
    except ElementTree.ParseError as error:
        print(f"{path}: not well-formed: {error}")
        return 1
    with open(json_path, encoding="utf-8") as f:
        summary = json.load(f)
    wrong = [f"refers to the outside: {place}" for place in outside(page)] + list(shape(page, sections))
    try:
        told = list(of_page(page, summary))
        wrong += [f"{name}: {actual}, not {expected}" for name, actual, expected in told if actual != expected]
    except (AttributeError, IndexError, KeyError) as error:
        wrong.append(f"something is missing: {error}")
    for line in wrong:
        print(f"{path}: {line}")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
