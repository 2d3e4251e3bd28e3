"""Plants a breach of every house rule in a small tree and demands that ci/tidy finds each, where it
is, and nothing in the sound tree beside it."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

CI = Path(__file__).resolve().parent
sys.path.insert(0, str(CI))

import house  # noqa: E402
import house_rules  # noqa: E402

BY_TOOLS = ("layout", "types")

SOUND = {
    "README.md": "# A tree\n\nSee results/run-20260101 and results/first.\n",
    "results/first/findings.md": "It held.\n",
    "server/README.md": "# server\n",
    "server/clock.h": "// Tells the time; a call costs 20 ns.\n#pragma once\nlong now_ns();\n",
    "server/clock.cc": '#include "server/clock.h"\n\nlong now_ns() { return 1; }\n',
    "server/clock_test.cc": '#include "server/clock.h"\n\nint main() { return now_ns() == 1; }\n',
    "server/stages/README.md": "# stages\n",
    "server/stages/date.h": "// Contract of date.\n",
    "server/stages/ballast.h": "// Contract of ballast.\n",
    "variants/README.md": "# variants\n\nOne file a variant, in `<stage>/`.\n",
    "variants/variants.def": "// All variants.\nHOTLAP_VARIANT(date, cached)\n",
    "variants/date/cached.cc": "// Formats the date once a second.\n",
    "analysis/README.md": "# analysis\n",
    "analysis/mean.py": '"""Means."""\n\n\ndef mean(values: list[float]) -> float:\n'
    "    return sum(values) / len(values)\n",
}


def breach(text: str) -> str:
    """A sound file with this C++ text in its third line."""
    return f"// A file with one fault.\n\n{text}\n"


LONG_FUNCTION = "void f() {\n" + "  now_ns();\n" * 60 + "}"

# rule, file, its text, line of the finding
PLANTED = [
    ("line-length", "server/bad.cc", breach("// " + "x" * 98), 3),
    ("file-length", "server/bad.cc", breach("int a;\n" * 500), 1),
    ("function-length", "server/bad.cc", breach(LONG_FUNCTION), 3),
    ("first-comment", "server/bad.cc", "int a;\n", 1),
    ("first-comment", "analysis/bad.py", "A = 1\n", 1),
    ("first-comment", "ci/bad", "#!/bin/bash\nset -e\n", 1),
    ("name", "server/bad.cc", breach("class ClockImpl {};"), 3),
    ("name", "server/bad.cc", breach("struct RequestData;"), 3),
    ("name", "server/clock_util.h", breach("int a;"), 1),
    ("name", "analysis/bad.py", '"""One fault."""\n\n\nclass PlotManager:\n    pass\n', 4),
    ("using-namespace", "server/bad.cc", breach("using namespace std;"), 3),
    ("naked-new", "server/bad.cc", breach("int* a = new int(3);"), 3),
    ("naked-new", "server/bad.cc", breach("std::unique_ptr<A> b; auto* a = new A;"), 3),
    ("naked-new", "server/bad.cc", breach("void f(int* a) { delete a; }"), 3),
    ("naked-new", "server/bad.cc", breach("void f(int* a) { delete[] a; }"), 3),
    ("throws", "server/bad.cc", breach("std::istreambuf_iterator<char> a;"), 3),
    ("sleep", "server/bad.cc", breach("void f() { std::this_thread::sleep_for(a); }"), 3),
    ("sleep", "server/bad.cc", breach("void f() { usleep(3); }"), 3),
    ("sleep", "server/bad.cc", breach("void f() { sleep(3); }"), 3),
    ("sleep", "analysis/bad.py", '"""One fault."""\n\nimport time\n\ntime.sleep(1)\n', 5),
    ("seam", "variants/date/cached.cc", breach("struct A {\n  virtual void f();\n};"), 4),
    ("seam", "server/stages/date.h", breach("std::function<void()> f;"), 3),
    ("core", "server/bad.cc", breach('#include "absl/status/status.h"'), 3),
    ("include", "server/bad.cc", breach('#include "../server/clock.h"'), 3),
    ("machine-path", "server/bad.cc", breach('char a[] = "/ho' + 'me/me/a";'), 3),
    ("allow", "server/bad.cc", breach("// tidy: " + "allow sleep"), 3),
    ("allow", "server/bad.cc", breach("// tidy: " + "allow naps: they are healthy for all"), 3),
    ("readme", "harness/load/wheel.h", breach("int a;"), 1),
    ("readme", "server/README.md", "\n" * 61, 61),
    ("test-beside", "server/bad_test.cc", breach("int a;"), 1),
    ("result", "server/README.md", "See results/gone for it.\n", 1),
    ("variants-list", "variants/date/other.cc", breach("int a;"), 1),
    ("variants-list", "variants/ballast/new.cc", breach("int a;"), 1),
    ("variants-list", "variants/variants.def", "// All.\nHOTLAP_VARIANT(date, gone)\n", 2),
    ("variants-list", "variants/variants.def", SOUND["variants/variants.def"] * 2, 4),
    ("layout", "server/bad.cc", breach("int  a ;"), 3),
    ("layout", "analysis/bad.py", '"""One fault."""\n\na = ( 1 )\n', 1),
    ("types", "analysis/bad.py", '"""One fault."""\n\na: int = "a"\n', 3),
]

INNOCENT = [
    ("server/good.cc", breach('const char* a = "new thing; delete it; usleep(1)";')),
    ("server/good.cc", breach("// new value, delete b, using namespace std, sleep_for(a)")),
    ("server/good.cc", breach("struct A {\n  A(const A&) = delete;\n};")),
    ("server/good.cc", breach("void f(void* a) { new (a) int(1'000); }")),
    ("server/good.cc", breach("std::unique_ptr<A> a = absl::WrapUnique(new A(1));")),
    ("server/good.cc", breach("std::unique_ptr<A> a(std::unique_ptr<A>(new A(1)));")),
    ("server/good.cc", breach("std::unique_ptr<A> a(new A);")),
    ("server/good.cc", breach("std::unique_ptr<A> a(\n    new A);")),
    ("server/good.cc", breach("A::A() : b_(new char[3]) {}")),
    ("server/good.cc", breach("void* operator new(size_t size);")),
    ("server/conformance/whole_test.cc", breach("int a;")),
    ("server/self_test.cc", '#include "server/self_test.h"\n'),
    ("variants/date/date_test.cc", breach("int a;")),
    ("variants/contract/inputs.cc", breach("int a;")),
    (
        "server/good.cc",
        breach("// tidy: " + "allow sleep: the sleep is the subject\nint a = nap();"),
    ),
    ("server/good.cc", breach("// https://example.org/" + "x" * 98)),
    ("server/good.cc", breach("int Database;\nstruct Metadatum {};")),
    ("server/good_test.cc", "// tidy: " + "allow test-beside: it tests the folder\nint a;\n"),
    ("server/README.md", "GET /root, results/, `results/<run>`, results/run-1, ./results/first.\n"),
    ("analysis/__init__.py", ""),
]


def plant(root: Path, files: dict[str, str]) -> None:
    for path, text in files.items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text(text)


def tidy(root: Path, path: str | None = None) -> tuple[int, list[str]]:
    """Exit code and lines of ci/tidy itself, with this PATH where one is given."""
    done = subprocess.run(
        [sys.executable, CI / "tidy", root],
        env=None if path is None else os.environ | {"PATH": path},
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )
    assert done.returncode in (0, 1), done.stderr
    return done.returncode, done.stdout.splitlines()


def name_of(value: object) -> str:
    return value if isinstance(value, str) and re.fullmatch(r"[\w./-]+", value) else ""


@pytest.mark.parametrize("rule, path, text, line", PLANTED, ids=name_of)
def test_a_planted_breach_is_found(
    tmp_path: Path, rule: str, path: str, text: str, line: int
) -> None:
    plant(tmp_path, SOUND | {path: text})
    if path.startswith(("ci/", "server/stages/")):
        plant(tmp_path, {f"{path.rsplit('/', 1)[0]}/README.md": "# here\n"})
    where = "harness/load/README.md" if rule == "readme" and line == 1 else path
    findings = house.check(tmp_path) if rule in BY_TOOLS else house.check_by_reading(tmp_path)
    assert (where, line, rule) in [(f.path, f.line, f.rule) for f in findings], findings
    assert len({f.rule for f in findings}) == 1, findings


@pytest.mark.parametrize("path, text", INNOCENT, ids=name_of)
def test_what_only_looks_like_a_breach_is_none(tmp_path: Path, path: str, text: str) -> None:
    beside = {"server/README.md": "`conformance/`\n", "server/self_test.h": "// Of itself.\n"}
    plant(tmp_path, SOUND | beside | {path: text})
    assert house.check_by_reading(tmp_path) == []


def test_every_rule_has_a_planted_breach() -> None:
    assert {rule for rule, *_ in PLANTED} == set(house_rules.REASONS)


def test_a_sound_tree_passes(tmp_path: Path) -> None:
    plant(tmp_path, SOUND)
    assert tidy(tmp_path) == (0, ["ci/tidy: 0 breaches, 0 notes"])


def test_a_note_is_shown_and_passes(tmp_path: Path) -> None:
    plant(tmp_path, SOUND | {"server/long.cc": breach("int a;\n" * 300 + "int b;")})
    reason = house_rules.REASONS["file-length"]
    assert tidy(tmp_path) == (
        0,
        [
            f"server/long.cc:1: note: file-length: 303 lines ({reason})",
            "ci/tidy: 0 breaches, 1 notes",
        ],
    )


def test_a_breach_names_place_rule_and_reason_and_fails(tmp_path: Path) -> None:
    plant(tmp_path, SOUND | {"server/bad.cc": breach("using namespace std;")})
    reason = house_rules.REASONS["using-namespace"]
    assert tidy(tmp_path) == (
        1,
        [
            f"server/bad.cc:3: using-namespace: 'using namespace std' ({reason})",
            "ci/tidy: 1 breaches, 0 notes",
        ],
    )


def test_a_tree_under_git_is_what_git_would_add(tmp_path: Path) -> None:
    plant(tmp_path, SOUND | {".gitignore": "/scratch/\n", "scratch/bad.cc": "int  a;"})
    subprocess.run(["git", "init", "-q", tmp_path], check=True, timeout=30)
    assert house.check_by_reading(tmp_path) == []


def test_a_missing_tool_is_a_breach(tmp_path: Path) -> None:
    plant(tmp_path, SOUND)
    status, lines = tidy(tmp_path, path=str(tmp_path))
    assert status == 1
    for tool in ("clang-format-14", "black", "mypy"):
        assert any(f"{tool} is not installed: run ci/setup" in line for line in lines), lines
