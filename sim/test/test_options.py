"""What no option of any command takes, made from the option tables themselves (`weir COMMAND --options-json`): exit code 2, one line on
stderr that names the option and the value, nothing on stdout, no file. An option of a kind that is not known here fails."""
import json
import os
import subprocess

import pytest

from conftest import BUILD, ROOT

COMMANDS = ("replay", "ring", "gather", "tree", "fabric", "live", "info", "bench")
# What has an option table: the commands, and the soak, a program of its own. With sanitizers: what is read where nothing was written is seen.
WEIR, SOAK = BUILD / "san/weir", BUILD / "san/soak"
TABLES = {**{command: [WEIR, command] for command in COMMANDS}, "soak": [SOAK]}
TITLES = {**{command: f"weir {command}" for command in COMMANDS}, "soak": "soak"}
CAPTURE = "sim/captures/ring4.in.pcapng.gz"
# What makes a command line complete, for what is refused when the whole of it is known.
RUN = {"replay": [CAPTURE], "ring": ["--hosts", "2"], "gather": ["--generate", "road"], "tree": [], "fabric": [], "live": ["--image", "/nowhere"],
       "info": [], "bench": [], "soak": ["--seeds", "1"]}
NO_NUMBER = ("", "x", " 1", "1 ", "0x10", "nan", "inf", "-inf", "1e999", "--", "1,5")
NO_WHOLE = ("", "x", "-1", "+1", "1.5", "1e1", "0x10", " 1", "1 ", "nan", "99999999999999999999", "1K1")


def table(command):
    """The options of a command."""
    done = subprocess.run([*TABLES[command], "--options-json"], capture_output=True, text=True, check=True)
    return json.loads(done.stdout)


def beyond(option):
    """Whole numbers next to the range."""
    low, high = int(option["min"]), int(option["max"])
    return [str(n) for n in (low - 1, high + 1) if n >= 0]


def wrong_values(option):
    """What an option must refuse, by its kind."""
    kind = option["kind"]
    if kind == "whole":
        between = ["3", "1000"] if option["powers"] else []
        return [*NO_WHOLE, *beyond(option), *between]
    if kind == "bytes":
        return [*NO_WHOLE, *beyond(option), "K", "M", "1k", "1G", "1.5K", "0K", f"{int(option['max'])}M"]
    if kind == "number":
        top = option["max"]
        return [*NO_NUMBER, repr(option["min"] - 0.001), repr(top if option["below"] else top * 1.001), repr(top * 2), "1e300"]
    if kind == "choice":
        return ["", "nonsense", option["names"][0].upper(), option["names"][0] + "x", option["names"][0][:-1]]
    if kind == "config":
        return ["", "huge", "TINY"]
    if kind == "text":
        return [option["wrong"]]
    if kind == "input":
        return ["", option["wrong"]]
    if kind == "output":
        return ["", "/nowhere/at/all", "/", "/proc/file"]
    assert kind == "flag", f"--{option['name']}: how is a {kind} tested?"
    return []


def cases(command):
    """(option, value) of all that a command must refuse."""
    return [(option, value) for option in table(command)["options"] for value in wrong_values(option)]


def line_of(command, option, value):
    """The options of a command line with this value, which is all that is wrong with it."""
    if "argument" in option:
        return [value]
    base = RUN[command] if option["kind"] in ("text", "input", "output") else []
    if option["name"] in [word.removeprefix("--") for word in base]:
        base = []
    return [*base, f"--{option['name']}={value}"]


# Looking for memory that was not freed takes 8 of the 19 ms of such a run, and there are more than a thousand; who ends at once may leave it.
NO_LEAKS = os.environ | {"ASAN_OPTIONS": "detect_leaks=0"}


def refused(command, words, folder):
    """The line on stderr of a command line that is refused."""
    done = subprocess.run([*TABLES[command], *words], stdin=subprocess.DEVNULL, capture_output=True, text=True, cwd=folder, timeout=120,
                          check=False, env=NO_LEAKS)
    said = f"{command} {words}: {done.returncode}\n{done.stdout}{done.stderr}"
    assert done.returncode == 2 and done.stderr.count("\n") == 1 and not done.stdout, said
    assert done.stderr.startswith(f"{TITLES[command]}: ") and not os.listdir(folder), done.stderr
    return done.stderr


def absolute(words):
    """The same from any folder."""
    return [str(ROOT / word) if (ROOT / word).is_file() else word for word in words]


@pytest.mark.parametrize("command", TABLES)
def test_wrong_values(command, tmp_path):
    """Each option of the command with each value that it does not take. One test a command: there are hundreds."""
    count = 0
    for option, value in cases(command):
        line = refused(command, absolute(line_of(command, option, value)), tmp_path)
        if option["kind"] in ("whole", "bytes", "number", "choice", "config"):
            assert line.startswith(f"{TITLES[command]}: --{option['name']} {value}: ") and "must be" in line, line
            assert option["allowed"] in line, line
        count += 1
    assert count > 1


@pytest.mark.parametrize("command", TABLES)
def test_words_that_are_no_option(command, tmp_path):
    """Unknown, ambiguous, without a value, with one too many."""
    assert "unknown option" in refused(command, ["--bogus"], tmp_path)
    assert "unknown option" in refused(command, ["-x"], tmp_path)
    for option in table(command)["options"]:
        if "argument" in option:
            continue
        name = option["name"]
        if option["kind"] == "flag":
            assert f"--{name}=1: has no value" in refused(command, [f"--{name}=1"], tmp_path)
        else:
            assert f"--{name}: its value is missing" in refused(command, [f"--{name}"], tmp_path)
    if not any("argument" in option for option in table(command)["options"]):
        assert "no argument is expected" in refused(command, ["word"], tmp_path)


@pytest.mark.parametrize("command", TABLES)
def test_help_tells_all(command):
    """What it is for, an example, each option with its default; the example's options are there."""
    done = subprocess.run([*TABLES[command], "--help"], capture_output=True, text=True, check=True)
    text, one_line = done.stdout, " ".join(done.stdout.split())
    shown = table(command)
    assert text.splitlines()[0] == f"{TITLES[command]} {shown['purpose']}."
    assert f"Example: {TITLES[command]} {shown['example']}\n" in text
    assert max(len(line) for line in text.splitlines()) <= 100 + len(shown["example"])
    for option in shown["options"]:
        assert option["help"] in one_line, option["help"]
        if "name" in option:
            assert f"\n  --{option['name']}" in text
        if "default" in option:
            assert f"default {option['default']}" in one_line, option["name"]
    known = [f"--{option['name']}" for option in shown["options"] if "name" in option]
    assert all(word in known for word in shown["example"].split() if word.startswith("--"))


def test_manual_and_completion(tmp_path):
    """Both name each option, and the program that reads them has nothing to complain of."""
    manual = subprocess.run([WEIR, "--man"], capture_output=True, text=True, check=True).stdout
    script = subprocess.run([WEIR, "--completion"], capture_output=True, text=True, check=True).stdout
    (tmp_path / "weir").write_text(script, encoding="utf-8")
    for command in COMMANDS:
        for option in table(command)["options"]:
            if "name" in option:
                assert "\\-\\-" + option["name"].replace("-", "\\-") in manual, option["name"]
                assert f"--{option['name']} " in script, option["name"]
    words = "source weir; COMP_WORDS=(weir {}); COMP_CWORD={}; _weir; echo \"${{COMPREPLY[@]}}\""
    wanted = (("ri", 1, "ring"), ("ring --ty", 2, "--type"), ("ring --type fp", 3, "fp32 fp16"), ("gather --rtl n", 3, "nic"))
    for line, place, expected in wanted:
        done = subprocess.run(["bash", "-uc", words.format(line, place)], capture_output=True, text=True, cwd=tmp_path, check=True)
        assert done.stdout == expected + "\n" and not done.stderr, done
