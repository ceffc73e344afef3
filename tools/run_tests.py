#!/usr/bin/env python3
"""Runs test programs and scripts, several at a time, and sums what they say in TAP (tools/tap.py).

A cmocka program and a shell script print it themselves, a test_*.py is run by pytest. The exit code has the last word: a program that is
missing, crashes, hangs, has no plan, keeps not to it, or fails without naming a test has failed.

A script with a line `# runner: alone` near its head runs while nothing else does; all others must not rely on being alone. The longest of
the last run start first. What a program prints is shown when it has failed, whole and in one piece.

With --must-run, each program must run as many tests as that list says, and with --complete each program of the list must run. A test too
few is a failure; what is not in the list yet is told. With --strict, or where the environment sets CI, each skip that the list does not
allow by name is a failure too. --rewrite makes the list anew of what ran.

Beside the seconds of each stands its processor time, of all that it started and waited for. --summary names the programs that took most of
it; its last line is `N passed, N failed, N skipped`.
"""
import argparse
import concurrent.futures
import dataclasses
import json
import os
import signal
import subprocess
import sys
import threading
import time

import must_run
import tap

BUILD = os.environ.get("BUILD", "build")
TIMES = os.path.join(BUILD, "test-times.json")
HEAD_BYTES = 2000   # of a script, in which its mark stands
DEAREST = 10        # programs that the summary names
running = set()     # processes


@dataclasses.dataclass
class Outcome:
    """What became of one program."""
    path: str
    report: tap.Report
    output: str = ""
    seconds: float = 0
    processor: float = 0   # seconds of processor time

    @property
    def failed(self):
        """Tests that failed, and what is wrong with the run, each one failure."""
        return self.report.count("failed") + len(self.report.faults)


def command_of(path):
    """The command line that runs a program or script."""
    if path.endswith(".py"):
        python = os.path.join(os.environ.get("VENV", ".venv"), "bin", "python")
        return [python, "-m", "pytest", "-p", "no:terminal", "-p", "no:cacheprovider", "-p", "tools.pytest_tap", path]
    return ["bash", path] if path.endswith(".sh") else [os.path.join(".", path)]


def environment():
    """What tests see: TAP from cmocka, one job from tools that would start as many as there are processors, and no make above them."""
    found = {name: value for name, value in os.environ.items() if name not in ("MAKEFLAGS", "MFLAGS", "MAKELEVEL")}
    return found | {"CMOCKA_MESSAGE_OUTPUT": "TAP", "JOBS": "1", "PYTHONDONTWRITEBYTECODE": "1"}


def kill(process):
    """Ends a program and all that it started."""
    try:
        os.killpg(process.pid, signal.SIGKILL)
    except ProcessLookupError:
        pass


def execute(command, timeout):
    """Exit code (None after a time-out), standard output, standard error, and seconds of processor time."""
    late = threading.Event()

    def end():
        late.set()
        kill(process)

    with subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, start_new_session=True,
                          env=environment()) as process, concurrent.futures.ThreadPoolExecutor(1) as reader:
        running.add(process)
        timer = threading.Timer(timeout, end)
        timer.start()
        errors = reader.submit(process.stderr.read)
        output = process.stdout.read()
        errors = errors.result()
        _, status, usage = os.wait4(process.pid, 0)
        timer.cancel()
        process.returncode = os.waitstatus_to_exitcode(status)
        running.discard(process)
    return (None if late.is_set() else process.returncode, output.decode("utf-8", "replace"), errors.decode("utf-8", "replace"),
            usage.ru_utime + usage.ru_stime)


def current(path):
    """False if a program was not built from the sources as they are (make -k leaves old ones behind)."""
    query = [os.environ.get("MAKE", "make"), "-q", f"BUILD={BUILD}", path]
    return os.path.exists(path) and subprocess.run(query, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env=environment(),
                                                   check=False).returncode == 0


def run(path, options):
    """Runs one program; its outcome."""
    start = time.monotonic()
    if options.doubt and not path.endswith((".sh", ".py")) and not current(path):
        return Outcome(path, tap.Report(faults=["was not built"]))
    if not os.path.exists(path):
        return Outcome(path, tap.Report(faults=["is missing"]))
    code, output, errors, processor = execute(command_of(path), options.timeout)
    report = tap.read(output)
    if code is None:
        report.faults.append("timed out")
    elif code != 0 and not report.count("failed"):
        report.faults.append(f"ended with code {code} without naming a failed test")
    elif code == 0 and report.count("failed"):
        report.faults.append("named failed tests but ended with code 0")
    return Outcome(path, report, output + errors, time.monotonic() - start, processor)


def alone(path):
    """Whether a script is marked to run by itself."""
    if not path.endswith((".sh", ".py")) or not os.path.exists(path):
        return False
    with open(path, encoding="utf-8") as file:
        return "\n# runner: alone" in file.read(HEAD_BYTES)


def last_times():
    """Seconds by program of the last run of each."""
    try:
        with open(TIMES, encoding="utf-8") as file:
            return json.load(file)
    except (OSError, ValueError):
        return {}


def keep_times(outcomes):
    """Remembers how long each took."""
    times = last_times() | {outcome.path: round(outcome.seconds, 1) for outcome in outcomes}
    os.makedirs(BUILD, exist_ok=True)
    with open(TIMES + ".part", "w", encoding="utf-8") as file:
        json.dump(times, file, indent=1, sort_keys=True)
    os.replace(TIMES + ".part", TIMES)


def tell(outcome):
    """One line, behind what the program said if it failed."""
    report, text = outcome.report, ""
    if outcome.failed:
        text = outcome.output if outcome.output.endswith("\n") or not outcome.output else outcome.output + "\n"
    text += (f"{'FAILED' if outcome.failed else 'ok':6} {report.count('passed'):4} passed {report.count('failed'):3} failed "
             f"{report.count('skipped'):3} skipped {outcome.seconds:6.1f} s {outcome.processor:6.1f} s cpu  {outcome.path}")
    print(text + "".join(f": {fault}" for fault in report.faults), flush=True)


def run_all(options):
    """Outcomes of all programs. The long ones first; a program that was never run may be long."""
    times = last_times()
    programs = sorted(options.programs, key=lambda path: -times.get(path, float("inf")))
    outcomes = []
    for together, jobs in (([p for p in programs if not alone(p)], options.jobs), ([p for p in programs if alone(p)], 1)):
        with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
            try:
                for future in concurrent.futures.as_completed([pool.submit(run, path, options) for path in together]):
                    outcomes.append(future.result())
                    tell(outcomes[-1])
            except KeyboardInterrupt:
                pool.shutdown(wait=False, cancel_futures=True)
                for process in set(running):
                    kill(process)
                raise
    keep_times(outcomes)
    return sorted(outcomes, key=lambda outcome: options.programs.index(outcome.path))


def tell_dearest(outcomes):
    """How much processor time all took, and which most of it."""
    print(f"tests: {sum(outcome.processor for outcome in outcomes):.0f} s of processor time, most of it for")
    for outcome in sorted(outcomes, key=lambda outcome: -outcome.processor)[:DEAREST]:
        print(f"{outcome.processor:8.1f} s  {outcome.path}")


def main():
    """See above."""
    arguments = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    arguments.add_argument("--summary", action="store_true", help="print what took most processor time, and the closing line")
    arguments.add_argument("--timeout", type=float, default=900, help="seconds for one program (default %(default)g)")
    arguments.add_argument("--jobs", "-j", type=int, default=1, help="programs at a time (default %(default)s)")
    arguments.add_argument("--doubt", action="store_true", help="the build failed: ask make which programs are current")
    arguments.add_argument("--must-run", metavar="FILE", help="the list of what must run")
    arguments.add_argument("--complete", action="store_true", help="all of that list must run")
    arguments.add_argument("--strict", action="store_true", default=bool(os.environ.get("CI")),
                           help="a skip, and a test that is not in the list, are failures (default where CI is set)")
    arguments.add_argument("--rewrite", action="store_true", help="write the list anew of what ran")
    arguments.add_argument("programs", nargs="*")
    options = arguments.parse_args()
    try:
        outcomes = run_all(options)
    except KeyboardInterrupt:
        return 130
    passed, failed, skipped = (sum(outcome.report.count(verdict) for outcome in outcomes) for verdict in ("passed", "failed", "skipped"))
    failed = sum(outcome.failed for outcome in outcomes)

    listed = must_run.read(options.must_run) if options.must_run else must_run.List()
    for outcome in outcomes:
        for result in outcome.report.results:
            if result.verdict == "skipped":
                refused = options.strict and not listed.may_skip(must_run.key(outcome.path, BUILD), result.name)
                failed += refused
                print(f"{'FAILED: ' if refused else ''}skipped: {outcome.path}: {result.name}: {result.reason}")
    if options.must_run and options.rewrite:
        must_run.write(options.must_run, outcomes, listed, BUILD)
    elif options.must_run:
        counts = {must_run.key(outcome.path, BUILD): len(outcome.report.results) for outcome in outcomes}
        missing, new = must_run.compare(listed, counts, options.complete)
        failed += len(missing)
        for text in missing:
            print(f"FAILED: {text}")
        for text in new:
            print(f"note: {text}; make must-run takes it into the list")
    if options.summary:
        if outcomes:
            tell_dearest(outcomes)
        print(f"{passed} passed, {failed} failed, {skipped} skipped", flush=True)
    return 1 if failed or not passed else 0


if __name__ == "__main__":
    sys.exit(main())
