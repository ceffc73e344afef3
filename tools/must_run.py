"""The list of tests that must run (tools/test/must-run.txt), so that they cannot become fewer unseen.

A line is a program or script and the number of its tests; or `may-skip`, a program or script, and the name of a test of it whose skip is
allowed, because what it needs is neither part of the project nor can be installed. Built programs are named from the build folder on.
"""
import dataclasses
import os

HEAD = ("# Each test program and script of `make check` and the number of its tests: fewer is a failure. `make must-run` writes it anew.\n"
        "# may-skip: a test that needs what is neither part of the project nor can be installed.\n")


@dataclasses.dataclass
class List:
    """Number of tests by program, and the (program, test) that may be skipped."""
    counts: dict = dataclasses.field(default_factory=dict)
    skips: list = dataclasses.field(default_factory=list)

    def may_skip(self, program, test):
        """Whether this test may be skipped in strict runs."""
        return (program, test) in self.skips


def key(path, build):
    """The name of a program in the list: the same whatever the build folder is."""
    inside = os.path.relpath(path, build)
    return os.path.normpath(path) if inside.startswith("..") else inside


def read(path):
    """The list in a file. Ends the program with a sentence if a line is none of its."""
    found = List()
    with open(path, encoding="utf-8") as file:
        for number, line in enumerate(file, 1):
            words = line.split()
            if not words or words[0].startswith("#"):
                continue
            if words[0] == "may-skip" and len(words) > 2:
                found.skips.append((words[1], " ".join(words[2:])))
            elif len(words) == 2 and words[1].isdigit() and words[0] not in found.counts:
                found.counts[words[0]] = int(words[1])
            else:
                raise SystemExit(f"{path}: line {number}: neither `program tests`, each program once, nor `may-skip program test`")
    return found


def write(path, outcomes, listed, build):
    """The list of what ran. Which skips are allowed is for people to say, and stays; so does the number of a program that did not end well."""
    counts = {}
    for outcome in outcomes:
        name = key(outcome.path, build)
        counts[name] = listed.counts.get(name, 0) if outcome.report.faults else len(outcome.report.results)
    with open(path + ".part", "w", encoding="utf-8") as file:
        file.write(HEAD)
        file.writelines(f"may-skip {program} {test}\n" for program, test in listed.skips)
        file.writelines(f"{program} {count}\n" for program, count in sorted(counts.items()))
    os.replace(path + ".part", path)


def compare(listed, counts, complete):
    """(what of the list did not run, what ran and is not in it): sentences. `counts` are tests by program of this run."""
    missing = [f"{program}: {count} tests, must be {listed.counts[program]}" for program, count in counts.items()
               if count < listed.counts.get(program, 0)]
    if complete:
        missing += [f"{program}: did not run, has {count} tests" for program, count in listed.counts.items() if program not in counts]
    new = [f"{program}: {count} tests, in the list of what must run are {listed.counts.get(program, 0)}"
           for program, count in counts.items() if count > listed.counts.get(program, 0)]
    return missing, new
