"""Reads the Test Anything Protocol (testanything.org, versions 12 to 14) as test programs and scripts print it.

Differences to the letter of it, both to the strict side: a plan must be there, and a result must not come twice, by number or by name.
cmocka says `not ok 1 # SKIP name` for a test that was skipped, its reason in the line before.
"""
import dataclasses
import re

PLAN = re.compile(r"^1\.\.(\d+)\s*(?:#.*)?$")
RESULT = re.compile(r"^(not )?ok\b(?: +(\d+)\b)?(?: +- +| +)?(.*)$")
DIRECTIVE = re.compile(r"(?<!\\)# *skip\b[:\s]*(.*)$", re.I)
BAIL_OUT = re.compile(r"^Bail out!\s*(.*)$", re.I)


@dataclasses.dataclass
class Result:
    """One test: its verdict is `passed`, `failed` or `skipped`; the reason is of a skip."""
    name: str
    verdict: str
    reason: str = ""


@dataclasses.dataclass
class Report:
    """What a program said: its results in their order, and what is wrong with the report itself, in a few words each."""
    results: list = dataclasses.field(default_factory=list)
    faults: list = dataclasses.field(default_factory=list)

    def count(self, verdict):
        """How many results have this verdict."""
        return sum(result.verdict == verdict for result in self.results)


def read_result(negated, text, line_before):
    """A result from what stands behind `ok` and its number."""
    skip = DIRECTIVE.search(text)
    if not skip:
        return Result(text.strip(), "failed" if negated else "passed")
    name, reason = text[:skip.start()].strip(), skip.group(1).strip()
    if not name:  # cmocka
        name, reason = reason, line_before.lstrip("# ").strip()
    return Result(name, "skipped", reason)


def read(text):
    """The report in a program's standard output. Other lines are for people."""
    report, plans, numbers, names, before = Report(), [], set(), set(), ""
    for line in text.splitlines():
        plan, said, bail = PLAN.match(line), RESULT.match(line), BAIL_OUT.match(line)
        if plan:
            plans.append(int(plan.group(1)))
        elif bail:
            report.faults.append(f"gave up: {bail.group(1)}")
        elif said:
            result = read_result(said.group(1), said.group(3), before)
            if said.group(2) in numbers or result.name in names:
                report.faults.append(f"said twice: {said.group(2) or ''} {result.name}".replace("  ", " "))
            if result.verdict == "skipped" and not result.reason:
                report.faults.append(f"skipped without a reason: {result.name}")
            numbers |= {said.group(2)} - {None}
            names |= {result.name} - {""}
            report.results.append(result)
        before = line
    if len(plans) != 1:
        report.faults.append(f"has {len(plans)} plans" if plans else "has no plan")
    elif plans[0] != len(report.results):
        report.faults.append(f"planned {plans[0]} tests, ran {len(report.results)}")
    if not report.results:
        report.faults.append("ran no test")
    return report
