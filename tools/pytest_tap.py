"""Lets pytest print TAP (see tools/run_tests.py): a plan, one line a test, and above it what a test that failed has to say."""
worst = {}   # by test: its report with the worst outcome so far, of setup, the test itself and teardown
ORDER = ("passed", "skipped", "failed")


def comment(text):
    """The text in lines that no reader of TAP takes for a result."""
    return "".join(f"# {line}\n" for line in text.splitlines())


def pytest_collectreport(report):
    """A file that cannot be read by Python."""
    if report.failed:
        print(comment(report.longreprtext), flush=True)


def pytest_collection_finish(session):
    """The plan."""
    print(f"1..{len(session.items)}", flush=True)


def pytest_runtest_logreport(report):
    """Called for the setup of a test, for itself, and for its teardown."""
    if report.nodeid not in worst or ORDER.index(report.outcome) > ORDER.index(worst[report.nodeid].outcome):
        worst[report.nodeid] = report
    if report.when != "teardown":
        return
    result = worst[report.nodeid]
    name = report.nodeid.split("::", 1)[-1].replace("#", "\\#")
    if result.failed:
        print(comment(result.longreprtext) + "".join(comment(text) for _, text in result.sections) + f"not ok - {name}", flush=True)
    elif result.skipped:
        reason = result.longrepr[2].removeprefix("Skipped: ") if isinstance(result.longrepr, tuple) else "expected to fail"
        print(f"ok - {name} # SKIP {reason}", flush=True)
    else:
        print(f"ok - {name}", flush=True)
