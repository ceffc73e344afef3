"""Runs a command of weir once a seed, two or so at a time, and sums up; shared by soak_ring.py, soak_relay.py and soak_gather.py."""
import argparse
import concurrent.futures
import json
import pathlib
import shlex
import subprocess
import sys
import tempfile
import time

SECONDS = 900  # no run takes so long


def option_words(options):
    """The command line's words for options by name: True stands alone, False is left out, a list is repeated."""
    found = []
    for name, value in options.items():
        for one in value if isinstance(value, list) else [value]:
            if one is True:
                found.append(f"--{name}")
            elif one is not False:
                found += [f"--{name}", str(one)]
    return found


def run(weir, command, words, counted):
    """Error text (None if all is well), summary, seconds, command line."""
    line = shlex.join([str(weir), command, *words])
    began = time.monotonic()
    with tempfile.NamedTemporaryFile(suffix=".json", prefix="weir-soak-") as file:
        try:
            done = subprocess.run([weir, command, *words, "--json", file.name], capture_output=True, text=True, timeout=SECONDS,
                                  check=False)
        except subprocess.TimeoutExpired:
            return f"not done in {SECONDS} s", {}, SECONDS, line
        seconds = time.monotonic() - began
        if done.returncode == 0:
            summary = json.loads(pathlib.Path(file.name).read_text(encoding="utf-8"))
            if summary["mismatches"] == 0 and summary[counted] > 0:
                return None, summary, seconds, line
        said = [text for text in (done.stdout + done.stderr).splitlines() if text.startswith(("FAILED", "  ", "weir"))]
        return f"exit code {done.returncode}: " + "\n  ".join(said[-12:]), {}, seconds, line


def main(doc, command, words_of, counted, tell):
    """`words_of(seed)` are the options of a run; `counted` is a key of the summary, which must not be 0, and what it counts;
    `tell(summary)` are more counts by name, of which the sums are printed. Returns an exit code."""
    parser = argparse.ArgumentParser(description=doc, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--weir", default="build/weir", help="the program (default %(default)s)")
    parser.add_argument("--seeds", default="1..20", help="FROM..TO (default %(default)s)")
    parser.add_argument("--jobs", type=int, default=2, help="runs at a time (default %(default)s)")
    parser.add_argument("--show", action="store_true", help="print the command lines, run nothing")
    arguments = parser.parse_args()
    first, last = map(int, arguments.seeds.split(".."))
    if arguments.show:
        for seed in range(first, last + 1):
            print(shlex.join([arguments.weir, command, *words_of(seed)]))
        return 0
    began = shown = time.monotonic()
    key, what = counted
    total = passed = failed = 0
    sums = {}
    with concurrent.futures.ThreadPoolExecutor(arguments.jobs) as pool:
        runs = {pool.submit(run, arguments.weir, command, words_of(seed), key): seed for seed in range(first, last + 1)}
        for future in concurrent.futures.as_completed(runs):
            error, summary, seconds, line = future.result()
            if error is None:
                passed += 1
                total += summary[key]
                for name, count in tell(summary).items():
                    sums[name] = sums.get(name, 0) + count
            else:
                failed += 1
                print(f"FAILED seed {runs[future]} after {seconds:.1f} s: {error}\n  {line}", flush=True)
            if sys.stderr.isatty() and time.monotonic() > shown + 1:
                shown = time.monotonic()
                print(f"\r{passed + failed} runs, {total} {what} \033[K", end="", file=sys.stderr)
    print(", ".join(f"{name} {count}" for name, count in sums.items() if count > 0))
    print(f"{passed} passed, {failed} failed; {total} {what} in {time.monotonic() - began:.0f} s")
    return 0 if failed == 0 and passed > 0 else 1
