"""Counts the tests in a JUnit file of ctest: prints PASSED FAILED SKIPPED NAMES-OF-FAILED.

A test that ctest lists as disabled, or that asked to be skipped, counts as skipped; one that could
not be run at all (its program is missing) is a failure.
"""

import sys
import xml.etree.ElementTree as xml


def outcome(case: xml.Element) -> str:
    """One of passed, failed, skipped."""
    if case.get("status") == "run":
        return "passed"
    if case.get("status") == "disabled":
        return "skipped"
    skipped = case.find("skipped")
    if skipped is not None:
        asked = "SKIP_" in (skipped.get("message") or "")
        return "skipped" if asked else "failed"
    return "failed"


def main() -> int:
    outcomes: dict[str, list[str]] = {"passed": [], "failed": [], "skipped": []}
    for case in xml.parse(sys.argv[1]).getroot().iter("testcase"):
        outcomes[outcome(case)].append(case.get("name") or "?")
    counts = " ".join(str(len(names)) for names in outcomes.values())
    print(counts, ",".join(outcomes["failed"]))
    return 0


if __name__ == "__main__":
    sys.exit(main())
