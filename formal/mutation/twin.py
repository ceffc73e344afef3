"""Whether a mutant of a design is another design at all: both side by side, with the same inputs, from registers that begin at zero, under
all that the task takes for granted, must show the same outputs of the proved module for runs of any length."""
import os
import shutil

import jobs
import script

# Outputs of the proved module, not of those inside it.
OUTPUTS = "w:u_dut.*_o w:u_dut.*.*_o %d"


def commands(task, mutate):
    """Commands of yosys that put both together."""
    top = os.path.splitext(os.path.basename(task["props"]))[0]
    # What is cut must take the same values on both sides, so it becomes an input.
    lines = [line.replace("cutpoint w:", "expose -cut w:") for line in script.drawing(task, task["files"])]
    lines += ["chformal -assert -skip 1"]
    lines += [f"chformal -assert -assert2assume c:{contract}" for contract in task.get("contracts", [])]
    lines += ["chformal -assert -cover -live -fair -remove", f"rename {top} gold", "setattr -set keep 1 gold/w:u_dut.*_o",
              "copy gold gate", mutate.replace(f"-module {top} ", "-module gate "),
              "chformal -remove gate", "opt_clean", "memory -nomap", "memory_map -formal", "setundef -init -zero",
              "expose " + " ".join(f"{side}/w:u_dut.*_o" for side in ("gold", "gate")),
              "select -assert-min 1 gold/o:*", "miter -equiv -flatten -make_assert gold gate miter", "hierarchy -top miter", "opt -full"]
    return lines


def equal(task, mutate, seconds):
    """Whether nothing tells them apart. False also if the prover does not know within `seconds`."""
    place = os.path.join(jobs.BUILD, "twin", str(abs(hash((task["name"], mutate)))))
    shutil.rmtree(place, ignore_errors=True)
    for name in task["files"]:
        os.makedirs(os.path.dirname(os.path.join(place, name)), exist_ok=True)
        shutil.copy(name, os.path.join(place, name))
    lines = ["[options]", "mode prove", f"timeout {seconds}", "aigsmt none", "[engines]", "abc pdr", "[script]"] + commands(task, mutate)
    with open(os.path.join(place, "run.sby"), "w", encoding="utf-8") as f:
        f.write("\n".join(lines + ["[files]"] + [f"{name} {name}" for name in task["files"]]) + "\n")
    code, log, _ = jobs.call_sby(place, seconds)
    if jobs.VERDICTS.get(code) is None:
        raise RuntimeError(f"no verdict on a miter: {log[-600:]}")
    shutil.rmtree(place)
    return jobs.VERDICTS[code] == "pass"
