#!/usr/bin/env python3
"""Sits at the console that `weir live --shell` leaves on host 0, as a person would: on a terminal, key by key.

Looks at what is shown after each line, ends by `exit`, and then looks whether the terminal is as it was.
Usage: live_shell.py WEIR [JOBS]   Exit code 0 if all was as it should; otherwise one line, and what the console showed. With JOBS, so many more all-reduces are typed one after the other, each
a job of its own on a ring that was flushed, and in the end the device's counters must say that each had its results and nothing was dropped or sent twice."""
import json
import os
import pty
import re
import select
import subprocess
import sys
import tempfile
import termios
import time

PROMPT = "/ # "
PATIENCE = 180   # a busy machine boots a guest in a minute
# What is typed, and what must be shown then. The second all-reduce needs a ring that was flushed.
LINES = [
    ("rdma link", r"rxe0/1 state ACTIVE"),
    ("ping -c 1 -W 5 10.0.0.2", r"1 packets received, 0% packet loss"),
    ("allreduce", r"# 2 hosts, the device reduces, all-reduce;[^@]*algbw +busbw +#wrong[^@]* 4096 +1024 +float +sum +-1( +[0-9.]+){3} +0\s"),
    ("allreduce --op max --type int32 --from 8 --to 16",
     r" 8 +2 +int32 +max +-1( +[0-9.]+){3} +0 [^@]* 16 +4 +int32 +max +-1( +[0-9.]+){3} +0\s"),
]


class Console:
    """Both ends of a terminal, and the program that has one of them."""

    def __init__(self, command):
        self.ours, self.theirs = pty.openpty()
        self.before = termios.tcgetattr(self.theirs)
        self.shown = ""
        self.process = subprocess.Popen(command, stdin=self.theirs, stdout=self.theirs, stderr=self.theirs)

    def read(self, seconds):
        """True if something was shown within so many seconds."""
        if not select.select([self.ours], [], [], seconds)[0]:
            return False
        self.shown += os.read(self.ours, 4096).decode("utf-8", "replace")
        return True

    def wait_for(self, pattern, since):
        """What was shown from `since` until the pattern was complete, and then a prompt."""
        end = time.monotonic() + PATIENCE
        while not re.search(pattern, self.shown[since:], re.S):
            if time.monotonic() > end or (not self.read(0.1) and self.process.poll() is not None):
                sys.exit(f"'{pattern}' was not shown; this was:\n{self.shown}")

    def type(self, keys):
        since = len(self.shown)
        os.write(self.ours, keys.encode())
        return since


def check_counters(path, jobs):
    """Of a run whose all-reduces had 4096 bytes, 8 and 16, and then 4096 `jobs` times more, once each. A job has one message before, by which hosts find out who sums."""
    with open(path, encoding="utf-8") as file:
        said = json.load(file)
    packets = 5   # of 4096 bytes and an INA header
    wanted = 2 * ((1 + packets) * (jobs + 1) + 1 + 2)
    if said["results"] != wanted or said["duplicates"] or any(said["drops"].values()):
        sys.exit(f"{jobs} jobs: {said['results']} results, not {wanted}; {said['duplicates']} duplicates; dropped: {said['drops']}")


def main():
    jobs = int(sys.argv[2]) if len(sys.argv) > 2 else 0
    with tempfile.TemporaryDirectory() as folder:
        summary = os.path.join(folder, "summary.json")
        sit(Console([sys.argv[1], "live", "--shell", "--tensor", "4K", "--repeats", "1", "--json", summary]), jobs)
        if jobs:
            check_counters(summary, jobs)


def sit(console, jobs):
    """All that is typed, until the program has ended."""
    console.wait_for(r"Host 0 of 2: 10\.0\.0\.1.*" + PROMPT, 0)
    for line, pattern in LINES:
        console.wait_for(pattern + ".*" + PROMPT, console.type(line + "\r"))
    for _ in range(jobs):
        console.wait_for(r"Out of bounds values : 0 OK.*" + PROMPT, console.type("allreduce\r"))
    # Ctrl-C is for what runs in the guest, not for weir.
    since = console.type("sleep 1000\r")
    console.wait_for("sleep 1000", since)
    time.sleep(0.5)
    console.wait_for(PROMPT, console.type("\x03"))
    since = console.type("exit\r")
    try:
        end = time.monotonic() + PATIENCE
        while console.process.poll() is None and time.monotonic() < end:
            console.read(0.1)
        while console.read(0):
            pass
        if console.process.poll() != 0:
            sys.exit(f"weir ended with {console.process.poll()}:\n{console.shown}")
        console.wait_for("OK: every frame as the golden model has it", since)
        if "@weir" in console.shown:
            sys.exit(f"lines are shown that are not for people:\n{console.shown}")
        if termios.tcgetattr(console.theirs) != console.before:
            sys.exit("the terminal is not as it was")
    finally:
        console.process.kill()


if __name__ == "__main__":
    main()
