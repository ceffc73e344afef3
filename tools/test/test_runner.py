"""tools/run_tests.py: what it must not take for a pass, each seen; what it counts; what it says at the end."""
import os
import pathlib
import re
import signal
import subprocess
import sys
import time

import pytest

RUNNER = pathlib.Path(__file__).parents[1] / "run_tests.py"


class Folder:
    """Scripts in a folder of their own, and the runner that runs them."""

    def __init__(self, path):
        self.path = path

    def script(self, name, *lines):
        """A script of these lines."""
        (self.path / name).write_text("#!/bin/bash\n" + "\n".join(lines) + "\n", encoding="utf-8")
        return name

    def run(self, *arguments, **variables):
        """The runner on these arguments: exit code, what it printed."""
        environment = {name: value for name, value in os.environ.items() if name != "CI"}
        environment |= {"BUILD": "build", "VENV": str(pathlib.Path(sys.executable).parents[1])} | variables
        done = subprocess.run([sys.executable, RUNNER, "--summary", *arguments], cwd=self.path, env=environment, stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, text=True, check=False, timeout=120)
        return done.returncode, done.stdout

    def must_run(self, *lines):
        """A list of what must run."""
        (self.path / "list").write_text("\n".join(lines) + "\n", encoding="utf-8")
        return ["--must-run", "list", "--complete"]


@pytest.fixture
def folder(tmp_path):
    return Folder(tmp_path)


def closing(output):
    """The last line."""
    return output.splitlines()[-1]


def test_good(folder):
    code, output = folder.run(folder.script("a.sh", "echo 1..2", "echo ok 1 - one", "echo hello", "echo ok 2 - two"))
    assert (code, closing(output)) == (0, "2 passed, 0 failed, 0 skipped")
    assert "hello" not in output


def test_plan_may_come_last(folder):
    code, output = folder.run(folder.script("a.sh", "echo ok - one", "echo 1..1"))
    assert (code, closing(output)) == (0, "1 passed, 0 failed, 0 skipped")


@pytest.mark.parametrize("lines, said, closes", [
    (["echo ok - one"], "has no plan", "1 passed, 1 failed"),
    (["echo 1..2", "echo ok - one"], "planned 2 tests, ran 1", "1 passed, 1 failed"),
    (["echo 1..1", "echo ok - one", "echo ok - two"], "planned 1 tests, ran 2", "2 passed, 1 failed"),
    (["echo 1..1", "echo ok - one", "echo 1..1"], "has 2 plans", "1 passed, 1 failed"),
    (["echo 1..2", "echo ok 1 - one", "echo ok 1 - two"], "said twice: 1 two", "2 passed, 1 failed"),
    (["echo 1..2", "echo ok - one", "echo ok - one"], "said twice: one", "2 passed, 1 failed"),
    (["echo 1..0"], "ran no test", "0 passed, 1 failed"),
    (["exit 0"], "ran no test", "0 passed, 2 failed"),
    (["echo 1..1", "echo ok - one", "exit 3"], "ended with code 3 without naming a failed test", "1 passed, 1 failed"),
    (["echo 1..1", "echo ok - one", "kill -SEGV $$"], "ended with code -11", "1 passed, 1 failed"),
    (["echo 1..2", "echo ok - one", "kill -KILL $$"], "planned 2 tests, ran 1: ended with code -9", "1 passed, 2 failed"),
    (["echo 1..1", "echo not ok - one", "exit 0"], "named failed tests but ended with code 0", "0 passed, 2 failed"),
    (["echo 1..1", "echo not ok - one", "exit 1"], "FAILED    0 passed   1 failed", "0 passed, 1 failed"),
    (["echo 1..1", "echo 'not ok - one # TODO later'", "exit 1"], "FAILED    0 passed   1 failed", "0 passed, 1 failed"),
    (["echo 1..1", "echo ok - one", "echo 'Bail out! no device'"], "gave up: no device", "1 passed, 1 failed"),
    (["echo 1..1", "echo 'ok - one # SKIP'"], "skipped without a reason: one", "0 passed, 1 failed"),
])
def test_red(folder, lines, said, closes):
    code, output = folder.run(folder.script("a.sh", *lines), folder.script("good.sh", "echo 1..1", "echo ok - good"))
    passed = int(closes.split()[0]) + 1
    assert code == 1
    assert closing(output) == f"{passed} passed,{closes.split(',')[1]}, {1 if 'SKIP' in lines[-1] else 0} skipped"
    assert said in output


def test_missing(folder):
    code, output = folder.run("nowhere.sh")
    assert code == 1 and "nowhere.sh: is missing" in output


def test_nothing_to_run(folder):
    assert folder.run() == (1, "0 passed, 0 failed, 0 skipped\n")


def test_processor_time(folder):
    """Of a program and of what it started; sleep is none."""
    burns = "python3 -c 'import time\nwhile time.process_time() < 0.5: pass'"
    _, output = folder.run(folder.script("idle.sh", "sleep 0.5", "echo 1..1", "echo ok - one"),
                           folder.script("busy.sh", burns, "echo 1..1", "echo ok - one"))
    told = re.search(r"tests: (\d+) s of processor time, most of it for\n +(\S+) s  busy.sh\n +(\S+) s  idle.sh\n1?", output)
    assert told and float(told[2]) >= 0.5 > float(told[3])
    assert re.search(r"^ok .* 0.\d s +[0-9.]+ s cpu  idle.sh$", output, re.M)


def test_time_out_ends_all_that_was_started(folder):
    script = folder.script("a.sh", "echo 1..1", "sleep 100 & echo $! > child", "echo ok - one", "wait")
    began = time.monotonic()
    code, output = folder.run("--timeout", "1", script)
    assert time.monotonic() - began < 50, "the runner waited for the child"
    assert code == 1 and "timed out" in output and closing(output) == "1 passed, 1 failed, 0 skipped"
    child = int((folder.path / "child").read_text(encoding="utf-8"))
    for _ in range(100):
        try:
            os.kill(child, 0)
        except ProcessLookupError:
            break
        # Killed, but nobody may have asked for its exit code yet.
        if pathlib.Path(f"/proc/{child}/stat").read_text(encoding="utf-8").split()[2] == "Z":
            break
        time.sleep(0.05)
    else:
        os.kill(child, signal.SIGKILL)
        pytest.fail("the child runs on")


def test_what_failed_is_shown_in_one_piece(folder):
    scripts = [folder.script(f"{name}.sh", f"for i in 1 2 3; do echo '{name}'; sleep 0.05; done", "echo 1..1", "echo not ok - x", "exit 1")
               for name in "ab"]
    _, output = folder.run("-j2", *scripts)
    assert re.sub("[^ab]", "", "".join(line for line in output.splitlines() if line in ("a", "b"))) in ("aaabbb", "bbbaaa")


# ------------------------------------------------------------------------------------------------------------- skips

SKIP = ["echo 1..2", "echo ok - one", "echo 'ok - two # SKIP no QEMU'"]


def test_skip_is_no_pass(folder):
    code, output = folder.run(folder.script("a.sh", *SKIP))
    assert (code, closing(output)) == (0, "1 passed, 0 failed, 1 skipped")
    assert "\nskipped: a.sh: two: no QEMU\n" in output


def test_only_skips_are_no_pass(folder):
    code, _ = folder.run(folder.script("a.sh", "echo 1..1", "echo 'ok - two # SKIP no QEMU'"))
    assert code == 1


def test_skip_of_cmocka(folder):
    _, output = folder.run(folder.script("a.sh", "echo 1..2", "echo ok 1 - one", "echo '# not in this build'", "echo 'not ok 2 # SKIP two'"))
    assert "\nskipped: a.sh: two: not in this build\n" in output and closing(output) == "1 passed, 0 failed, 1 skipped"


@pytest.mark.parametrize("strictly", [{"CI": "true"}, {}], ids=["CI", "switch"])
def test_skip_fails_in_strict_runs(folder, strictly):
    script = folder.script("a.sh", *SKIP)
    code, output = folder.run(*([] if strictly else ["--strict"]), script, **strictly)
    assert (code, closing(output)) == (1, "1 passed, 1 failed, 1 skipped")
    assert "FAILED: skipped: a.sh: two: no QEMU" in output


def test_skip_that_is_allowed_by_name(folder):
    script = folder.script("a.sh", *SKIP)
    assert folder.run("--strict", *folder.must_run("may-skip a.sh two", "a.sh 2"), script)[0] == 0
    assert folder.run("--strict", *folder.must_run("may-skip a.sh one", "a.sh 2"), script)[0] == 1


# --------------------------------------------------------------------------------------------- the list of what must run

TWO = ["echo 1..2", "echo ok - one", "echo ok - two"]


def test_as_in_the_list(folder):
    assert folder.run("--strict", *folder.must_run("# a comment", "", "a.sh 2"), folder.script("a.sh", *TWO))[0] == 0


def test_fewer_than_in_the_list(folder):
    code, output = folder.run(*folder.must_run("a.sh 3"), folder.script("a.sh", *TWO))
    assert code == 1 and "FAILED: a.sh: 2 tests, must be 3" in output and closing(output) == "2 passed, 1 failed, 0 skipped"


def test_gone_from_what_runs(folder):
    arguments = folder.must_run("a.sh 2", "b.sh 5") + [folder.script("a.sh", *TWO)]
    code, output = folder.run(*arguments)
    assert code == 1 and "FAILED: b.sh: did not run, has 5 tests" in output
    arguments.remove("--complete")
    assert folder.run(*arguments)[0] == 0


def test_new_ones_are_told(folder):
    arguments = folder.must_run("a.sh 1") + [folder.script("a.sh", *TWO)]
    code, output = folder.run(*arguments)
    assert code == 0 and "\nnote: a.sh: 2 tests, in the list of what must run are 1;" in output
    assert folder.run("--strict", *arguments)[0] == 0


def test_the_list_is_made_anew(folder):
    arguments = folder.must_run("may-skip x.sh a thing", "b.sh 5") + [folder.script("a.sh", *TWO)]
    assert folder.run("--rewrite", *arguments)[0] == 0
    lines = (folder.path / "list").read_text(encoding="utf-8").splitlines()
    assert lines[0].startswith("#") and lines[-2:] == ["may-skip x.sh a thing", "a.sh 2"]
    assert folder.run("--strict", *arguments)[0] == 0
    folder.script("a.sh", *TWO[:2])
    folder.run("--rewrite", *arguments)
    assert (folder.path / "list").read_text(encoding="utf-8").splitlines() == lines, "a script that broke down has taken its tests along"


@pytest.mark.parametrize("line", ["a.sh", "a.sh two", "a.sh 2 3", "may-skip a.sh"])
def test_a_line_that_says_nothing(folder, line):
    code, output = folder.run(*folder.must_run(line), folder.script("a.sh", *TWO))
    assert code == 1 and "list: line 1: neither" in output


def test_programs_are_listed_without_their_build_folder(folder):
    (folder.path / "build/unit").mkdir(parents=True)
    program = folder.path / "build/unit" / folder.script("test_x", *TWO)
    (folder.path / "test_x").rename(program)
    program.chmod(0o755)
    assert folder.run("--strict", *folder.must_run("unit/test_x 2"), "build/unit/test_x")[0] == 0


# ---------------------------------------------------------------------------------------------------- order, and pytest

def test_marked_scripts_run_alone(folder):
    line = "mkdir busy.$$; ls -d busy.* | wc -l > count.$0; sleep 0.3; rmdir busy.$$; echo 1..1; echo ok - x"
    scripts = [folder.script(f"{name}.sh", *mark, line) for name, mark in
               (("a", []), ("b", []), ("c", ["# runner: alone"]), ("d", ["# runner: alone"]))]
    assert folder.run("-j4", *scripts)[0] == 0
    counts = {name: int((folder.path / f"count.{name}.sh").read_text(encoding="utf-8")) for name in "abcd"}
    assert counts["c"] == counts["d"] == 1 and max(counts["a"], counts["b"]) == 2


def test_the_longest_first(folder):
    scripts = [folder.script(f"{name}.sh", f"echo {name} >> order", f"sleep {seconds}", "echo 1..1", "echo ok - x")
               for name, seconds in (("a", 0), ("b", 0.4), ("c", 0.2))]
    folder.run(*scripts)
    folder.run(*scripts)
    assert (folder.path / "order").read_text(encoding="utf-8").split() == ["a", "b", "c", "b", "c", "a"]


PYTEST = """import pytest
@pytest.mark.parametrize("n", [1, 2])
def test_n(n):
    print("printed")
    assert n == 1, "because"
def test_skipped():
    pytest.skip("no room")
@pytest.fixture
def broken():
    yield
    raise OSError("torn down")
def test_teardown(broken):
    pass
"""


def test_pytest_files(folder):
    (folder.path / "test_x.py").write_text(PYTEST, encoding="utf-8")
    code, output = folder.run("test_x.py", PYTHONPATH=str(RUNNER.parents[1]))
    assert (code, closing(output)) == (1, "1 passed, 2 failed, 1 skipped"), output
    assert "not ok - test_n[2]\n" in output and "# E       AssertionError: because\n" in output and "# printed\n" in output
    assert "OSError: torn down" in output and "\nskipped: test_x.py: test_skipped: no room\n" in output


def test_pytest_file_that_python_cannot_read(folder):
    (folder.path / "test_x.py").write_text("def test_x(:\n", encoding="utf-8")
    code, output = folder.run("test_x.py", PYTHONPATH=str(RUNNER.parents[1]))
    assert code == 1 and "SyntaxError" in output
