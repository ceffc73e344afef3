#!/usr/bin/env python3
"""As much of the `yosys` command as sby calls, over pyosys: native speed, and read_slang.

Usage: yosys.py [-q] [-l LOG] SCRIPT.ys
"""
import os
import sys

from pyosys import libyosys


def main(arguments):
    log = script = None
    while arguments:
        argument = arguments.pop(0)
        if argument in ("-l", "-ql"):
            log = arguments.pop(0)
        elif argument.startswith("-") and argument != "-q":
            sys.exit(f"yosys.py: unknown option {argument}")
        elif not argument.startswith("-"):
            script = argument
    if script is None:
        sys.exit("usage: yosys.py [-q] [-l LOG] SCRIPT.ys")
    if log is not None:
        # What yosys prints goes to the log; sby reads errors from stderr.
        os.dup2(os.open(log, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o644), 1)
    libyosys.run_pass(f"script {script}", libyosys.Design())


if __name__ == "__main__":
    main(sys.argv[1:])
