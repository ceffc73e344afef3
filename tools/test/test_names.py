"""Two structs of different meaning have different names: of the C code, tests of modules and units aside, no tag is defined in two files."""
import collections
import pathlib
import re

ROOT = pathlib.Path(__file__).parents[2]
FOLDERS = ("formal", "host", "lib", "sim", "tb")
TAG = re.compile(r"^\s*(?:typedef\s+|static\s+|const\s+)*(?:struct|union) (\w+) \{", re.M)


def doubles(root):
    """Tags that are defined in more than one file, with the files."""
    files = collections.defaultdict(set)
    for path in sorted(p for folder in FOLDERS for p in (root / folder).rglob("*") if p.suffix in (".c", ".h", ".cpp")):
        name = path.relative_to(root).as_posix()
        if not name.startswith("tb/unit/"):
            for tag in TAG.findall(path.read_text(encoding="utf-8")):
                files[tag].add(name)
    return {tag: sorted(names) for tag, names in files.items() if len(names) > 1}, len(files)


def test_no_name_has_two_meanings():
    found, tags = doubles(ROOT)
    assert tags > 0 and not found


def test_a_second_meaning_is_seen(tmp_path):
    for name, text in (("lib/a.h", "struct one {\n};\nstruct two {\n};\n"), ("sim/b.c", "  struct one {\n  } list;\nstruct two *use;\n"),
                       ("tb/unit/c.c", "struct two {\n};\n")):
        (tmp_path / name).parent.mkdir(parents=True)
        (tmp_path / name).write_text(text, encoding="utf-8")
    assert doubles(tmp_path)[0] == {"one": ["lib/a.h", "sim/b.c"]}
