"""docs/host.md: its afternoon is typed, with processes for hosts and shared memory for the network (tb/unit/host/net/process_verbs.h), and its tables have every option, variable and error that
the headers and programs have, and no other."""
import os
import pathlib
import re
import socket
import subprocess

import pytest

ROOT = pathlib.Path(__file__).parents[3]
BUILD = pathlib.Path(os.environ.get("BUILD", "build")).resolve()
PAGE = (ROOT / "docs/host.md").read_text(encoding="utf-8")
# Of a machine with a NIC.
NOT_TYPED = ("ibv_devinfo ", "ulimit ")


def section(title):
    """What stands below a heading of the page."""
    found = re.search(rf"^## {title}\n(.*?)(?=^## |\Z)", PAGE, re.S | re.M)
    assert found, title
    return found.group(1)


def make(*goals, **variables):
    """Runs make as a reader would."""
    hidden = ("MAKEFLAGS", "MFLAGS", "MAKELEVEL")
    words = ["make", "-s", f"BUILD={BUILD}", *goals, *(f"{name}={value}" for name, value in variables.items())]
    done = subprocess.run(words, cwd=ROOT, env={k: v for k, v in os.environ.items() if k not in hidden}, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.fixture(scope="module", name="machine")
def fixture_machine(tmp_path_factory):
    """A folder of a reader who has typed what comes before the first job, and what variables he has then."""
    make("host-tests")
    home = tmp_path_factory.mktemp("home")
    return home


def steps():
    """[[(host, command)]]: what is typed, one list a block; and the program."""
    text = section("An afternoon")
    fences = re.findall(r"^```(\w*)\n(.*?)^```$", text, re.S | re.M)
    blocks = [re.findall(r"^(both|host\d)\$ (.*)$", block, re.M) for kind, block in fences if kind == ""]
    assert sum(map(len, blocks)) > 8 and all(blocks)
    return blocks, *(block for kind, block in fences if kind == "c")


def test_the_afternoon(machine):
    blocks, program = steps()
    (machine / "first.c").write_text(program, encoding="utf-8")
    variables = dict(os.environ, HOME=str(machine))
    for name in ("MAKEFLAGS", "MFLAGS", "MAKELEVEL", "LD_LIBRARY_PATH", "PKG_CONFIG_PATH"):
        variables.pop(name, None)
    exported, printed = "true", []
    for number, block in enumerate(blocks):
        jobs = []
        with socket.socket() as s:
            s.bind(("127.0.0.1", 0))
            port = s.getsockname()[1]
        for host, command in block:
            if command.startswith(NOT_TYPED):
                continue
            if command.startswith("make "):
                make(*command.replace("$HOME", str(machine)).split()[1:])
                continue
            if command.startswith("export "):
                exported = command
                continue
            own = dict(variables)
            if host == "both":
                done = subprocess.run(["bash", "-c", f"{exported}; {command}"], cwd=machine, env=own, capture_output=True, text=True, check=False)
                assert done.returncode == 0, done.stdout + done.stderr
                continue
            # Rank 0 listens where this machine has an address, and the hosts' NICs are memory.
            own.update(WEIR_ROOT=f"127.0.0.1:{port}", LD_PRELOAD=str(BUILD / "host/libprocess-verbs.so"), WEIR_FAKE_VERBS=str(machine / f"network{number}"))
            jobs.append((command, subprocess.Popen(["bash", "-c", f"{exported}; {command}"], cwd=machine, env=own, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)))
        for command, job in jobs:
            said, _ = job.communicate(timeout=120)
            assert job.returncode == 0, f"{command}\n{said}"
            printed.append((command, said))
    said = "\n".join(said for command, said in printed if "--way device --to" in command and "--rank 0" in command)
    assert "the device: it summed the first message" in said and "# Out of bounds values : 0 OK" in said
    assert [said.splitlines()[-1] for command, said in printed if "./first" in command] == ["2 4 6 8"] * 2


def members(header, struct):
    """Names of a struct's members."""
    text = (ROOT / "host/weir" / header).read_text(encoding="utf-8")
    body = re.search(rf"struct {struct} \{{\n(.*?)^\}};", text, re.S | re.M).group(1)
    body = re.sub(r"//.*", "", body)
    return {re.sub(r"\[.*", "", name).strip(" *\n").split()[-1].strip("*") for line in body.split(";") if line.strip() for name in line.split(",")}


def rows(title):
    """Cells of the table below a heading, one list a row."""
    return [[cell.strip() for cell in line.split("|")[1:-1]] for line in section(title).splitlines() if line.startswith("|") and not line.startswith("|---")]


def code(text):
    """What stands between backquotes."""
    return set(re.findall(r"`([^`]+)`", text))


def test_options_are_those_of_the_headers():
    table = [row for row in rows("Options")[1:] if row[1]]
    told = {"coll": set(), "tree": set()}
    for row in table:
        for kind in ("coll", "tree"):
            if row[3] != "alone" if kind == "coll" else row[3] != "":
                told[kind] |= code(row[1])
    assert told["coll"] == members("coll.h", "weir_coll_config")
    assert told["tree"] == members("tree.h", "weir_tree_config")


def test_variables_are_those_that_are_read():
    told = set().union(*(code(row[0]) for row in rows("Options")[1:]))
    sources = "".join(path.read_text(encoding="utf-8") for path in (ROOT / "host").rglob("*") if path.suffix in (".c", ".py"))
    read = set(re.findall(r'(?:getenv\(|number_of\(|environ\.get\(|\{)"(WEIR_[A-Z_]+)"', sources))
    assert told == read


@pytest.mark.parametrize("program", ["weir_perf", "weir_tree_perf"])
def test_options_of_programs(program, machine):
    assert machine
    said = subprocess.run([BUILD / "host" / program, "--help"], capture_output=True, text=True, check=True).stdout
    there = set(re.findall(r"--[a-z-]+", said)) - {"--help", "--usage", "--version"}
    tables = re.split(r"^\| option of ", section("Measuring"), flags=re.M)[1:]
    told = set()
    for table in tables:
        if table.startswith(("both", f"`{program}`")):
            told |= {word for line in table.splitlines()[2:] if line.startswith("|") for word in code(line.split("|")[1]) if word.startswith("--")}
    assert told == there


def test_errors_are_those_of_the_headers():
    text = "".join((ROOT / "host/weir" / name).read_text(encoding="utf-8") for name in ("coll.h", "tree.h"))
    named = set(re.findall(r"-(E[A-Z]+)\b", text))
    tables = set(re.findall(r"-(E[A-Z]+)\b", section("How hosts meet") + section("Errors") + section("The life of a communicator")))
    assert named and named <= tables
    verdicts = set(re.findall(r"WEIR_TREE_([A-Z_]+)", re.search(r"enum weir_tree_verdict \{(.*?)\}", text, re.S).group(1))) - {"OK"}
    assert verdicts == set(re.findall(r"\(([A-Z_]+)\)", "".join("|".join(row) for row in rows("Errors"))))
