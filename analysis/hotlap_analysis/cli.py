"""`report RUN_DIR`, `check RUN_DIR`, `audit DIR`, `profile DIR` and `search DIR`.

Exit codes: 0 done, 1 check found a difference, 3 error.
"""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path
from typing import NoReturn, Sequence

from hotlap_analysis import audit, report, search, verdicts
from hotlap_analysis.facts import Facts
from hotlap_analysis.profile import document, recording
from hotlap_analysis.run import RunError, Verdict

DONE, DIFFERS, ERROR, INTERRUPTED = 0, 1, 3, 130


class _Parser(argparse.ArgumentParser):
    """argparse exits with 2, which means `inconclusive` in every binary of hotlap."""

    def error(self, message: str) -> NoReturn:
        self.exit(ERROR, f"{self.prog}: {message}\n{self.format_usage()}")


def main(arguments: Sequence[str] | None = None) -> int:
    options = _parser().parse_args(arguments)
    try:
        if options.verb == "audit":
            return _audit(options)
        if options.verb == "profile":
            return _profile(options)
        if options.verb == "search":
            return _search(options)
        facts = report.load(options.run)
        return _check(facts, options.json) if options.verb == "check" else _report(facts, options)
    except RunError as error:
        command = {"audit": "audit", "profile": "profile", "search": "load"}.get(
            options.verb, "report"
        )
        print(f"hotlap {command}: {error}", file=sys.stderr)
        return ERROR
    except KeyboardInterrupt:
        return INTERRUPTED


def _parser() -> argparse.ArgumentParser:
    parser = _Parser(prog="hotlap_analysis", description=__doc__)
    verbs = parser.add_subparsers(dest="verb", required=True, parser_class=_Parser)
    made = verbs.add_parser(
        "report",
        help="write report.html, findings.md and pictures of a run",
        epilog="example: hotlap_analysis report results/run-demo",
    )
    checked = verbs.add_parser(
        "check",
        help="compare run.json's verdicts with those that the tables give",
        epilog="example: hotlap_analysis check results/run-demo",
    )
    audited = verbs.add_parser(
        "audit",
        help="write audit.html and findings.md of an audit",
        epilog="example: hotlap_analysis audit results/run-audit",
    )
    audited.add_argument("run", metavar="DIR", type=Path, help="directory with audit.json")
    profiled = verbs.add_parser(
        "profile",
        help="write profile.html and findings.md of a profile",
        epilog="example: hotlap_analysis profile results/profile-demo",
    )
    profiled.add_argument("run", metavar="DIR", type=Path, help="directory with profile.json")
    searched = verbs.add_parser(
        "search",
        help="write search.html and findings.md of a search for the highest rate",
        epilog="example: hotlap_analysis search results/search-demo",
    )
    searched.add_argument("run", metavar="DIR", type=Path, help="directory with search.json")
    for verb in (made, checked):
        verb.add_argument("run", metavar="RUN_DIR", type=Path, help="directory with run.json")
        verb.add_argument("--json", action="store_true", help="print one JSON object")
    return parser


def _audit(options: argparse.Namespace) -> int:
    for path in audit.write(audit.read_audit(options.run)):
        print(path)
    return DONE


def _profile(options: argparse.Namespace) -> int:
    for path in document.write(recording.read_profile(options.run)):
        print(path)
    return DONE


def _search(options: argparse.Namespace) -> int:
    for path in search.write(search.read_search(options.run)):
        print(path)
    return DONE


def _report(facts: Facts, options: argparse.Namespace) -> int:
    written = report.write(facts)
    if options.json:
        print(json.dumps(summary(facts, written), indent=1, allow_nan=False))
    else:
        for note in facts.tables.notes:
            print(f"note: {note}", file=sys.stderr)
        for path in written:
            print(path)
    return DONE


def _check(facts: Facts, as_json: bool) -> int:
    compared, differences = verdicts.check(facts.run, facts.tables)
    if as_json:
        found = [vars(difference) for difference in differences]
        print(json.dumps({"compared": compared, "differences": found}, indent=1))
    else:
        for difference in differences:
            print(difference)
        print(f"{compared} numbers compared, {len(differences)} differ")
    return DIFFERS if differences else DONE


def summary(facts: Facts, written: Sequence[Path]) -> dict[str, object]:
    """The machine form, as `hotlap ab --json` prints it, and the files."""
    primary = facts.comparisons[0].verdict if facts.comparisons and not facts.invalid else None
    no_verdict = facts.invalid or facts.run.failure or "no round was finished"
    return {
        "schema": 1,
        "run": str(facts.run.directory),
        "state": facts.run.state,
        "verdict": primary.verdict if primary else None,
        "reason": primary.reason if primary else no_verdict,
        "calibration": facts.run.calibration,
        "recomputed": facts.recomputed,
        "rounds": facts.finished,
        "void_rounds": facts.voided,
        "resolution_percent": primary.resolution_percent if primary else None,
        "metrics": [_metric(verdict) for verdict in facts.verdicts],
        "notes": facts.notes,
        "files": [str(path) for path in written],
    }


def _metric(verdict: Verdict) -> dict[str, object]:
    plain = ("arm", "unit", "better", "a", "b", "estimate_percent", "estimate_absolute", "p")
    found: dict[str, object] = {"name": verdict.metric}
    found.update({key: getattr(verdict, key) for key in plain})
    found["interval_percent"] = verdict.percent_interval
    found["interval_absolute"] = verdict.absolute_interval
    found.update(verdict=verdict.verdict, flags=verdict.flags, primary=verdict.primary)
    return found
