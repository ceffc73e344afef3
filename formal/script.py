"""What a prover reads of a task: a .sby file for each of its jobs, from what formal/*/*.toml says."""
import os

import sources

# What looks for traces: covers, refutations (unless a task says `search`), and what ABC found but cannot show with all memories.
SEARCH = "smtbmc yices"


def left(task):
    """Assertions and covers that a task leaves to another one, which shows them with other parameters."""
    return task.get("left", {}).get("names", [])


def outside(task):
    """Assertions of the RTL about its user on which nothing rests that a task proves: they are neither proved nor taken for granted there."""
    return task.get("outside", [])


def kinds(task):
    """The jobs of a task: (kind, what). `kind` is prove, cover, drop (an assumption left out) or mutant; `what` the assumption or the mutant."""
    assumptions = [label for path in task["files"] if path.startswith("formal/") for label in sources.labels(path, "e_")]
    dropped = [name for name in assumptions + task.get("contracts", []) if name not in task.get("unneeded", [])]
    return [("prove", None), ("cover", None)] + [("drop", name) for name in dropped] + [("mutant", mutant) for mutant in task["mutants"]]


def timeout(task):
    """Seconds that a job may take."""
    return task.get("timeout", 900)


def sby(task, kind, what, files):
    """The .sby file of a job."""
    if kind == "cover":
        mode, engine, depth = "cover", SEARCH, task["depth"]
    elif kind in ("drop", "mutant"):   # for a trace, which is short
        mode, engine, depth = "bmc", task.get("search", SEARCH), task["depth"]
    elif "bound" in task:
        mode, engine, depth = "bmc", task["engine"], task["bound"]
    elif "settles" in task:
        mode, engine, depth = "bmc", task["engine"], task["settles"]   # what an assertion says of a cycle is seen in the next one
    else:
        mode, engine, depth = "prove", task["engine"], task.get("induction", task["depth"])
    return looking(task, kind, what, files, mode, engine, depth)


def settled(task, files):
    """The .sby file of the second half of a proof with `settles`: from any state whatever, reachable or not, no assertion fails in the last of so many
    cycles. What comes before that in a run is the first half, from reset."""
    return looking(task, "prove", None, files, "bmc", task["engine"], task["settles"] + 1, anywhere=True)


def looking(task, kind, what, files, mode, engine, depth, anywhere=False):
    """The .sby file that lets an engine look at the circuit of a job; `anywhere`: from any state, at assertions in the last cycle alone."""
    lines = ["[options]", f"mode {mode}", f"depth {depth}", f"timeout {timeout(task)}"]
    # Two clocks: each step of the search is a moment at which either may tick, not a cycle of one.
    lines += ["multiclock on"] if task.get("multiclock") else []
    lines += ["aigsmt none"] if engine.startswith("abc") else []
    made = elaborating(task, files)
    if isinstance(what, dict) and "mutate" in what:
        made = drawing(task, files) + [what["mutate"], made[-1]]
    lines += ["[engines]", engine, "[script]"] + made + ["tee -o ../cells.txt dump t:$check"]
    lines += changing(task, kind, what, engine)
    if anywhere:
        lines += ["setattr -unset init w:*", f"chformal -assert -skip {task['settles'] - 1}"]
    return "\n".join(lines + ["[files]"] + [f"{name} {name}" for name in files]) + "\n"


def elaborating(task, files):
    """Commands of yosys that make the circuit of a task, with all that is asserted and assumed in it."""
    top = os.path.splitext(os.path.basename(task["props"]))[0]
    parameters = " ".join([f"-G {p}" for p in task.get("parameters", [])] + [f"-D {m}" for m in task.get("macros", [])])
    lines = [f"read_slang --max-constexpr-steps 100000000 --top {top} {parameters} {' '.join(files)}"]
    # What drives these is left out: they take any value, the same in each cycle.
    for wire in task.get("constants", []):
        lines += [f"select -assert-any w:{wire}", f"cutpoint w:{wire}"]
    lines += ["chtype -set $anyconst t:$anyseq"] if "constants" in task else []
    # Here too, and it may be another one in each cycle.
    for wire in task.get("cuts", []):
        lines += [f"select -assert-any w:{wire}", f"cutpoint w:{wire}"]
    lines += wired(task["files"], **task["wires"]) if "wires" in task else []
    if "only" in task:
        # Of the design's own assertions, those that are not of this task are left to the proofs of their modules.
        kept = [f"c:{pattern}" for pattern in task["only"]]
        lines += [f"select -assert-any {pattern}" for pattern in kept]
        lines.append("chformal -assert -remove c:u_dut.* " + " ".join(f"{pattern} %d" for pattern in kept))
        if task.get("purge"):
            # Nor does what none of them looks at stay, and what a device asserts without a label.
            lines += ["chformal -assert -remove c:$*", "opt_clean -purge"]
    return lines + [f"prep -top {top}"]


def wired(files, of, to):
    """Commands that keep the wires of the module `of`, which is u_dut, to its outputs and to the inputs of the instances `to` in it as cells of its own: else
    nothing would be left there to prove, and nothing to make a mistake in. Its source is one of `files`."""
    path = next(name for name in files if os.path.basename(name) == f"{of}.sv")
    return inputs(parts(to)) + [f"select -set wired a:src=*{path}:* w:u_dut.*_i %d @given %u",
            "select -set wired @wired w:*.clk_i %d %ci:+$buf[Y] t:$buf %i", "select -assert-min 1 @wired",
            "setattr -set keep 1 @wired", f"setattr -set src \"{path}:0\" @wired"]


def parts(to):
    """The instances `to` of a task's `wires`, by their names from the top."""
    return [f"u_dut.{instance}" for instance in to]


def inputs(instances, side=""):
    """Commands that select, as `given`, the inputs of these instances, not of those inside them; `side`: the module of yosys that they are in."""
    among = lambda rest: [f"{side}w:{instance}.{rest}{name}" for instance in instances for name in ("*_i", "s_axis_t*", "m_axis_tready")]
    return [f"select -set given {' '.join(among(''))}", f"select -set given @given {' %d '.join(among('*.'))} %d"]


def drawing(task, files):
    """Commands up to where a mutant is drawn and made: later, logic that stands in a module and in its properties is one, and a mistake would be
    in both."""
    return elaborating(task, files)[:-1] + ["proc"]


def changing(task, kind, what, engine):
    """Commands of yosys that make of a task's circuit that of a job."""
    lines = []
    if left(task):
        lines.append("chformal -assert -cover -remove " + " ".join(f"c:{name}" for name in left(task)))
    if "only" in task:
        # What is left of a whole device is mostly constants that were in memories.
        lines += ["memory_map -formal", "opt -full"]
    elif engine.startswith("smtbmc"):
        # As an array of the solver, a memory of three words would have a fourth one.
        lines += ["memory_map -formal", "opt"]
    if outside(task):
        lines.append("chformal -assert -remove " + " ".join(f"c:{name}" for name in outside(task)))
    # The first cycle is the reset. Modules without one, such as RAMs, check in it what nobody has set up yet.
    lines.append("chformal -assert -skip 1")
    for contract in task.get("contracts", []):
        # What the RTL asserts of its user is what its user's proof owes; here it is taken for granted, unless that is
        # what is left out.
        dropped = kind == "drop" and what == contract
        lines.append(f"chformal -assert {'-remove' if dropped else '-assert2assume'} c:{contract}")
    if kind == "drop" and what not in task.get("contracts", []):
        lines.append(f"chformal -assume -remove c:{what}")
    refuting = what.get("by") if kind == "mutant" else task.get("by", {}).get(what) if kind == "drop" else None
    if refuting:
        lines.append("chformal -assert -remove c:* " + " ".join(f"c:{name} %d" for name in refuting))
    return lines
