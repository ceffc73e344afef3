#!/usr/bin/env python3
"""Runs test programs one after another and sums what they say.

A cmocka program says it with its closing lines, a script with `ok NAME` and `not ok NAME`. The exit code has the last word: a
program that is missing, crashes, hangs, fails without naming a test or runs no test counts as one failed test.
Usage: run_tests.py [--summary] [--timeout S] PROGRAM...   The last line of --summary is `N passed, N failed`.
"""
import argparse
import os
import re
import signal
import subprocess
import sys
import time

PASSED = re.compile(r"^\[  PASSED  \] (\d+) test", re.M)
FAILED = re.compile(r"^\[  FAILED  \] (\d+) test\(s\), listed", re.M)
OK = re.compile(r"^ok\b", re.M)
NOT_OK = re.compile(r"^not ok\b", re.M)


def run(command, timeout):
    """Exit code (None after a time-out) and output. The program's whole process group ends with it."""
    process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                               start_new_session=True)
    try:
        output, _ = process.communicate(timeout=timeout)
        code = process.returncode
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
        output, _ = process.communicate()
        code = None
    return code, output.decode("utf-8", "replace")


def judge(path, code, output):
    """(passed, failed, reason) of one finished program."""
    if path.endswith((".sh", ".py")):
        passed, failed = len(OK.findall(output)), len(NOT_OK.findall(output))
    else:
        passed, failed = (sum(int(n) for n in p.findall(output)) for p in (PASSED, FAILED))
    if code is None:
        return passed, failed + 1, "timed out"
    if code != 0 and failed == 0:
        return passed, 1, f"ended with code {code} without naming a failed test"
    if code == 0 and failed > 0:
        return passed, failed, "named failed tests but ended with code 0"
    if passed + failed == 0:
        return 0, 1, "ran no test"
    return passed, failed, ""


def current(path):
    """False if a program was not built from the sources as they are (make -k leaves old ones behind)."""
    if not os.path.exists(path):
        return False
    query = [os.environ.get("MAKE", "make"), "-q", f"BUILD={os.environ.get('BUILD', 'build')}", path]
    environment = {k: v for k, v in os.environ.items() if k not in ("MAKEFLAGS", "MFLAGS", "MAKELEVEL")}
    return subprocess.run(query, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env=environment).returncode == 0


def main():
    arguments = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    arguments.add_argument("--summary", action="store_true", help="print the closing line")
    arguments.add_argument("--timeout", type=float, default=900, help="seconds for one program")
    arguments.add_argument("--doubt", action="store_true", help="the build failed: ask make which programs are current")
    arguments.add_argument("programs", nargs="*")
    options = arguments.parse_args()
    total_passed = total_failed = 0
    for path in options.programs:
        start = time.monotonic()
        script = path.endswith((".sh", ".py"))
        if options.doubt and not script and not current(path):
            passed, failed, reason, output = 0, 1, "was not built", ""
        elif not os.path.exists(path):
            passed, failed, reason, output = 0, 1, "is missing", ""
        else:
            command = ["bash", path] if path.endswith(".sh") else [sys.executable, path] if script else [path]
            code, output = run(command, options.timeout)
            passed, failed, reason = judge(path, code, output)
        total_passed += passed
        total_failed += failed
        if failed or reason:
            sys.stdout.write(output)
        verdict = "FAILED" if failed or reason else "ok"
        print(f"{verdict:6} {passed:4} passed {failed:3} failed {time.monotonic() - start:6.1f} s  {path}"
              + (f": {reason}" if reason else ""), flush=True)
        if reason and not failed:
            total_failed += 1
    if options.summary:
        print(f"{total_passed} passed, {total_failed} failed", flush=True)
    return 1 if total_failed or not total_passed else 0


if __name__ == "__main__":
    sys.exit(main())
