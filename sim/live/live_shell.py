#!/usr/bin/env python3
"""Sits at the console that `weir live --shell` leaves on host 0, as a person would: on a terminal, key by key.

Looks at what is shown after each line, ends by `exit`, and then looks whether the terminal is as it was.
Usage: live_shell.py WEIR   Exit code 0 if all was as it should; otherwise one line, and what the console showed."""
import os
import pty
import re
import select
import subprocess
import sys
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


def main():
    console = Console([sys.argv[1], "live", "--shell", "--tensor", "4K", "--repeats", "1"])
    console.wait_for(r"Host 0 of 2: 10\.0\.0\.1.*" + PROMPT, 0)
    for line, pattern in LINES:
        console.wait_for(pattern + ".*" + PROMPT, console.type(line + "\r"))
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
