"""What pages and sources refer to is there: files and headings that a page links to, pages that a source names; and no folder has too many files."""
import collections
import pathlib
import re
import subprocess

import pytest

ROOT = pathlib.Path(__file__).parents[2]
LINK = re.compile(r"\]\(([^)\s]+)\)")
NAMED = re.compile(r"(?<![\w/.-])(?:docs|sim/captures|synth/reports)/[\w/.-]*\w\.(?:md|csv|svg|pcapng\.gz|pcapng)\b")
PLACE = re.compile(r"\b[A-Z]{4,}\b(?<!README)")   # a word that stands for a name
MOST = 28   # files of a folder: about 25


def tracked():
    """Files of the project, as far as they are text."""
    done = subprocess.run(["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"], cwd=ROOT, capture_output=True, text=True, check=False)
    if done.returncode:
        pytest.skip("no checkout of git")
    return [name for name in done.stdout.split("\0") if (ROOT / name).is_file()]


def text_of(path):
    try:
        return path.read_text(encoding="utf-8")
    except UnicodeDecodeError:
        return ""


def without_code(text):
    """A page without its blocks of code, and without spans of it."""
    return re.sub(r"`[^`\n]*`", "", re.sub(r"^(```|~~~).*?^\1", "", text, flags=re.M | re.S))


def anchors(page):
    """What links may name behind #: the headings, as web pages of Git name them, and marks that were put by hand."""
    text = re.sub(r"^(```|~~~).*?^\1", "", page.read_text(encoding="utf-8"), flags=re.M | re.S)
    heads = [re.sub(r"[^\w\- ]", "", re.sub(r"\[([^]]*)\]\([^)]*\)", r"\1", head.lower())).strip().replace(" ", "-")
             for head in re.findall(r"^#+ +(.*)$", text, re.M)]
    seen = collections.Counter()
    for head in heads:
        yield f"{head}-{seen[head]}" if seen[head] else head
        seen[head] += 1
    yield from re.findall(r'<a (?:id|name)="([^"]+)"', text)


def faults(root, name):
    """Links of a page that lead nowhere."""
    page = root / name
    for target in LINK.findall(without_code(page.read_text(encoding="utf-8"))):
        if re.match(r"[a-z]+:", target):
            continue
        place, _, mark = target.partition("#")
        there = page.parent / place if place else page
        if not there.exists():
            yield f"{name}: {target}"
        elif mark and there.suffix == ".md" and mark not in set(anchors(there)):
            yield f"{name}: no heading {target}"


def test_links_lead_somewhere():
    # An introduction is a part of a page that a tool puts together, and its links are that page's.
    pages = [name for name in tracked() if name.endswith(".md") and not pathlib.Path(name).name.startswith("intro")]
    assert [fault for name in pages for fault in faults(ROOT, name)] == []


def test_a_link_that_leads_nowhere_is_seen(tmp_path):
    (tmp_path / "b.md").write_text("# One head, here\n", encoding="utf-8")
    (tmp_path / "a.md").write_text("[1](b.md) [2](b.md#one-head-here) `[3](c.md)` [4](c.md) [5](b.md#two) [6](https://c.md)\n", encoding="utf-8")
    assert list(faults(tmp_path, "a.md")) == ["a.md: c.md", "a.md: no heading b.md#two"]


def test_pages_that_sources_name_are_there():
    there = set(tracked())
    gone = [f"{name}: {named}" for name in sorted(there) for named in NAMED.findall(text_of(ROOT / name))
            if named not in there and named != "docs/page.md" and not PLACE.search(named)]   # docs/page.md: of a project that a test makes up
    assert gone == []


def test_folders_are_small():
    counts = collections.Counter(str(pathlib.Path(name).parent) for name in tracked())
    assert {folder: count for folder, count in counts.items() if count > MOST} == {}
