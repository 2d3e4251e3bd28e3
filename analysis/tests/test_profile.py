"""A profile's page and findings: what they say, and what broken files do."""

from __future__ import annotations

import json
import shutil
from dataclasses import replace
from pathlib import Path

import pandas as pd
import profiles
import pytest
from profiles import A, B, HOSTILE, MAIN, PARSE, SERVE, Json

from hotlap_analysis import cli, markdown, origin
from hotlap_analysis import report as report_of_run
from hotlap_analysis.document import Document
from hotlap_analysis.profile import flame, names, tree
from hotlap_analysis.profile.recording import Profile, read_profile


def report(directory: Path) -> tuple[str, str]:
    assert cli.main(["profile", str(directory)]) == 0
    return (directory / "profile.html").read_text(), (directory / "findings.md").read_text()


def spaced(text: str) -> str:
    return text.replace("\u00a0", " ")


def read(directory: Path, found: Json) -> Profile:
    return read_profile(profiles.write(directory, found))


@pytest.fixture
def run(two_arms: Path, tmp_path: Path) -> Path:
    shutil.copytree(two_arms, tmp_path / "run")
    return tmp_path / "run"


def test_the_first_sentence_says_how_much_and_where(tmp_path: Path) -> None:
    html, findings = report(profiles.write(tmp_path / "run", profiles.content()))
    # 10 ns a sample: half of the interval is 1.96 * 10 * sqrt(600 + 60) = 503 ns.
    assert (
        "`request_line=scalar` spends 5,300 ns less CPU per request than `request_line=regex`; "
        "most of it in request\\_line: −5,400 ± 504 ns." in spaced(findings)
    )
    assert "| request\\_line | 6,000 | 600 | −5,400 ± 504 |" in spaced(findings)
    assert "| **in all** | **10,000** | **4,700** | **−5,300** |" in spaced(findings)
    assert "](pictures/stages.svg)" in findings
    assert (tmp_path / "run/pictures/stages.svg").read_text().startswith("<?xml")
    assert "spends 5,300" in spaced(html) and "prefers-color-scheme: dark" in html


def test_a_function_has_its_own_cost_and_that_of_what_it_calls(tmp_path: Path) -> None:
    _, findings = report(profiles.write(tmp_path / "run", profiles.content()))
    section = spaced(findings[findings.index("## Functions") :])
    assert "| `hotlap::variants::parse` | 1,000 | 600 | −400 ± 248 | −5,400 ± 504 |" in section
    assert "| `std::__detail::_Executor<…>::_M_dfs` | 5,000 | none | −5,000 ± 439 |" in section


def test_errors_over_turns_are_taken_where_they_are(tmp_path: Path) -> None:
    found = profiles.with_errors(profiles.content(), error_ns=100.0, turns=4)
    _, findings = report(profiles.write(tmp_path / "run", found))
    # Student's t with three degrees of freedom: 3.182.
    assert "spends 5,300 ± 318 ns less CPU per request than" in spaced(findings)
    assert "most of it in request\\_line: −5,400 ± 318 ns." in spaced(findings)
    assert "| **in all** | **10,000** | **4,700** | **−5,300 ± 318** |" in spaced(findings)
    assert "interval from 4 pairs of turns" in findings


def test_a_total_within_its_error_is_no_difference(tmp_path: Path) -> None:
    found = profiles.with_errors(profiles.content(), error_ns=2000.0, turns=4)
    _, findings = report(profiles.write(tmp_path / "run", found))
    assert "is within the error of each other, −5,300 ± 6,365 ns;" in spaced(findings)


def test_time_in_system_calls_is_by_call_and_stage(tmp_path: Path) -> None:
    found = profiles.content()
    found["system_calls"] = [
        {**c, "function": "sendmsg"} for c in found["stages"] if c["stage"] == "response"
    ]
    _, findings = report(profiles.write(tmp_path / "run", found))
    assert "## System calls\n" in findings
    assert "| `sendmsg` | 3,900 | 4,000 | +100 ± 551 | response |" in spaced(findings)


def test_no_stage_is_named_when_none_stands_out(tmp_path: Path) -> None:
    _, findings = report(profiles.write(tmp_path / "run", profiles.content([B, B])))
    assert "spend the same CPU per request, 4,700 ns;" in spaced(findings)
    assert "no stage's change stands out" in findings


def test_one_arm_has_shares(tmp_path: Path) -> None:
    html, findings = report(profiles.write(tmp_path / "run", profiles.content([A])))
    assert "spends 10,000 ns of CPU per request; the most in request\\_line: 6,000 ns (60 %)" in (
        spaced(findings)
    )
    assert "| response | 3,900 ± 387 | 39.0 % |" in spaced(findings)
    assert "data-widths" not in html.split("<script>")[0]


def test_names_from_outside_are_text(tmp_path: Path) -> None:
    hostile = {(MAIN, (HOSTILE, HOSTILE, "server")): 100, (MAIN, SERVE): 50}
    found = profiles.content([hostile, B])
    found["arms"][0]["annotated"] = [
        {
            "function": HOSTILE,
            "object": HOSTILE,
            "lines": [{"file": HOSTILE, "line": 3, "text": HOSTILE + "```", "samples": "9"}],
        }
    ]
    html, findings = report(profiles.write(tmp_path / "run", found))
    assert "<img" not in html and html.count("</script>") == 2
    assert "&lt;img src=x onerror=alert(1)&gt;" in html
    assert "```" in findings and HOSTILE + "```" not in findings
    assert "<b> and" not in html


def test_lines_of_both_arms_stand_side_by_side(tmp_path: Path) -> None:
    def lines(*samples: int) -> list[Json]:
        texts = ("  for (;;) {", "    if (match(at)) {", "      ++at;", "    }", "  }")
        return [
            {"file": "variants/parse.cc", "line": 10 + i, "text": text, "samples": str(count)}
            for i, (text, count) in enumerate(zip(texts, samples))
        ]

    found = profiles.content()
    for arm, samples in zip(found["arms"], ((0, 90, 10, 0, 0), (0, 40, 20, 0, 0))):
        arm["annotated"] = [
            {"function": PARSE, "object": "hotlap-server", "lines": lines(*samples)}
        ]
    html, findings = report(profiles.write(tmp_path / "run", found))
    assert "## Lines of `hotlap::variants::parse`" in findings
    assert " 900   400     −500    11    if (match(at)) {\n" in findings
    assert " 100   200     +100    12      ++at;\n" in findings
    assert "<code>  if (match(at)) {</code>" in html
    assert "color-mix(in srgb, var(--dearer) 70%" in html


def test_instructions_stand_where_there_is_no_source(tmp_path: Path) -> None:
    found = profiles.content([A])
    instructions = ["mov (%rdi),%rax", "test %rax,%rax"]
    lines = [{"assembly": text, "samples": "50"} for text in instructions]
    annotated = {"function": PARSE, "object": "hotlap-server", "lines": lines}
    found["arms"][0]["annotated"] = [annotated]
    _, findings = report(profiles.write(tmp_path / "run", found))
    assert "500        mov (%rdi),%rax\n500        test %rax,%rax\n" in findings


def test_small_frames_are_gathered_and_nothing_is_lost(tmp_path: Path) -> None:
    leaves: dict[profiles.Path_, int] = {
        (MAIN, SERVE, (f"leaf{i}", "libc.so.6", "")): 1 + i // 90 for i in range(100)
    }
    stacks: dict[profiles.Path_, int] = {**leaves, (MAIN, SERVE): 9_000, (MAIN,): 890}
    profile = read(tmp_path / "run", profiles.content([stacks, stacks]))
    root = tree.build(profile)
    least = 0.0005 * profile.arms[0].samples
    nodes = [node for node, _ in tree.in_order(root, profile)]
    assert [node.function for node in nodes] == [
        "all",
        "main",
        "hotlap::server::serve",
        "(small: 200 stacks)",
    ]
    assert nodes[-1].samples == [sum(leaves.values())] * 2
    assert max(leaves.values()) < least


def test_a_frame_is_coloured_by_the_stage_that_pays(tmp_path: Path) -> None:
    profile = read(tmp_path / "run", profiles.content())
    stages = {n.function: s for n, s in tree.in_order(tree.build(profile), profile)}
    assert stages["__x64_sys_sendmsg"] == "response", "the kernel works for who called it"
    assert stages[PARSE] == "request_line"
    assert stages["main"] == stages["hotlap::server::serve"] == "server"


def test_a_program_without_stages_has_the_colour_of_its_own_code(tmp_path: Path) -> None:
    main, work, send = (("main", "go", ""), ("work", "go", ""), ("tcp_sendmsg", "[kernel]", ""))
    profile = read(tmp_path / "run", profiles.content([{(main, work): 6, (main, send): 4}]))
    charged = zip(profile.arms[0].stacks, ("program", "kernel: write"))
    profile.arms[0].stacks = [replace(stack, stage=stage) for stack, stage in charged]
    stages = {n.function: s for n, s in tree.in_order(tree.build(profile), profile)}
    assert stages == {
        "all": "",
        "main": "program",
        "work": "program",
        "tcp_sendmsg": "kernel: write",
    }


def test_ten_thousand_stacks_make_a_small_page(tmp_path: Path) -> None:
    stacks = {
        (
            MAIN,
            *((f"f{(i * 7 ** d) % 50}", "libc.so.6", "") for d in range(40)),
            (f"g{i}", "x", ""),
        ): 1
        for i in range(10_000)
    }
    html, _ = report(profiles.write(tmp_path / "run", profiles.content([stacks, stacks])))
    assert len(html) < 1_000_000


@pytest.mark.parametrize(
    "name, shown, last",
    [
        ("main", "main", "main"),
        (PARSE, "hotlap::variants::parse", "parse"),
        ("std::vector<int, std::allocator<int> >::push_back(int&&)",
         "std::vector<…>::push_back", "push_back"),
        ("hotlap::server::Service::run[abi:cxx11]", "hotlap::server::Service::run", "run"),
        ("bool std::operator< <char>(std::string const&, char const*)",
         "bool std::operator< <…>", "operator< <…>"),
        ("absl::Span<T>::operator()(int) const", "absl::Span<…>::operator()", "operator()"),
        ("net/http.(*conn).serve", "net/http.(*conn).serve", "serve"),
        ("net/http.(*Server).Serve.func3", "net/http.(*Server).Serve.func3", "Serve.func3"),
        ("runtime.goexit.abi0", "runtime.goexit.abi0", "goexit"),
        ("<alloc::vec::Vec<T> as Drop>::drop", "<alloc::vec::Vec<…> as Drop>::drop", "drop"),
        ("finish_task_switch.isra.0", "finish_task_switch.isra.0", "finish_task_switch"),
        ("cfree@GLIBC_2.2.5", "cfree", "cfree"),
        ("[unknown]", "[unknown]", "[unknown]"),
        ("f(unbalanced<", "f(unbalanced<", "f(unbalanced<"),
        ("", "", ""),
    ],
)  # fmt: skip
def test_names_are_cut_to_what_tells_them_apart(name: str, shown: str, last: str) -> None:
    assert names.without_arguments(name) == shown
    assert names.last(name) == last


def test_the_tree_s_data_is_json_that_no_script_ends(tmp_path: Path) -> None:
    stacks = {(MAIN, ("</script>\u2028<!--", "x", "server")): 5}
    profile = read(tmp_path / "run", profiles.content([stacks]))
    html = flame.element(profile, tree.build(profile)).html
    data = html.split('<script type="application/json">')[1].split("</script>")[0]
    assert "</script>\u2028<!--" in json.loads(data)["names"]
    assert not any(mark in data for mark in "<>&\u2028")


def test_where_threads_wait_is_told_beside_the_cpu(tmp_path: Path) -> None:
    html, findings = report(profiles.write(tmp_path / "run", profiles.with_views("off-cpu")))
    told = spaced(findings)
    # Student's t with three degrees of freedom, 3.182, times 10 ns.
    assert "against `request_line=regex`: −5,900 ± 32 ns asleep per request." in told
    assert "## Where threads wait, by stage" in told
    assert "| dispatch | 6,000 | none | −6,000 ± 32 |" in told
    assert "| dispatch | 0.300 | none | −0.300 ± 0.032 |" in told
    assert "| **in all** | **6,400** | **500** | **−5,900 ± 32** |" in told
    assert "| of it idle, by design | 400 | 500 | +100 ± 16 |" in told
    assert "| preemptions | 0.020 | 0.020 | 0.0000 ± 0.0032 |" in told
    assert "| `take_turn` | `futex` | 6,000 | none | −6,000 ± 32 | −0.300 ± 0.032 |" in told
    assert "`epoll_wait`, idle" in told
    assert "of every 7th event, 3 events lost in 4 turn(s)" in told
    assert told.count("3 events lost") == 2
    assert html.count('role="tab"') == 2 and 'id="off-cpu"' in html
    assert html.index('id="cpu"') < html.index('id="off-cpu"') < html.index("How it was found")


def test_one_arm_s_waits_have_their_error(tmp_path: Path) -> None:
    found = profiles.with_views("off-cpu", arms=1)
    _, findings = report(profiles.write(tmp_path / "run", found))
    told = spaced(findings)
    assert "6,400 ns asleep in 0.500 sleeps per request, 6 % of it idle by design." in told
    assert "| dispatch | 6,000 ± 32 |" in told
    assert "difference" not in told[told.index("## Where threads wait") :]


def test_a_heap_is_told_in_bytes_and_in_calls(tmp_path: Path) -> None:
    found = profiles.with_views("off-cpu", "heap")
    html, findings = report(profiles.write(tmp_path / "run", found))
    told = spaced(findings)
    assert "−5,900 ± 32 bytes per request." in told
    assert "## Flame graph of bytes" in told and "## Flame graph of allocations" in told
    assert "| allocations per request | a | b | difference |" in told
    body = html.split("<script>")[0]
    assert body.count('role="tab"') == 3 and body.count('class="flame two"') == 4
    assert '"unit":"bytes"' in body and '"none":"no allocation"' in body
    assert body.index('id="off-cpu"') < body.index('id="heap"')


def test_a_view_that_is_not_known_is_left_out(tmp_path: Path) -> None:
    found = profiles.with_views("off-cpu")
    found["views"][0]["name"] = "of the future"
    html, _ = report(profiles.write(tmp_path / "run", found))
    assert 'role="tab"' not in html.split("<script>")[0]


@pytest.mark.parametrize(
    "field, value, word",
    [("requests", "0", "no requests"), ("stacks", [{"frames": [99]}], "frame 99")],
)
def test_broken_views(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], field: str, value: object, word: str
) -> None:
    found = profiles.with_views("off-cpu")
    found["views"][0]["arms"][0][field] = value
    assert cli.main(["profile", str(profiles.write(tmp_path, found))]) == 3
    assert word in capsys.readouterr().err


@pytest.mark.parametrize(
    "change, word",
    [
        ({"schema_version": 2}, "schema_version is 2"),
        ({"arms": []}, "one arm or two"),
        ({"arms": [{}]}, "unexpected shape"),
        ({"stages": None}, "unexpected shape"),
    ],
)
def test_broken_files(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], change: Json, word: str
) -> None:
    directory = profiles.write(tmp_path, {**profiles.content(), **change})
    assert cli.main(["profile", str(directory)]) == 3
    assert word in capsys.readouterr().err


@pytest.mark.parametrize("field", ["requests", "cpu_ns"])
def test_what_was_not_counted_is_no_zero(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], field: str
) -> None:
    found = profiles.content()
    found["arms"][1][field] = "0"
    assert cli.main(["profile", str(profiles.write(tmp_path, found))]) == 3
    error = capsys.readouterr().err
    assert "arm b has" in error and "profile it again" in error


def test_a_cost_that_is_no_number(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    found = profiles.content()
    found["stages"][0]["arms"][0]["ns"] = "NaN"
    assert cli.main(["profile", str(profiles.write(tmp_path, found))]) == 3
    assert "a cost of NaN ns" in capsys.readouterr().err


def test_a_stack_without_its_frame(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    found = profiles.content()
    found["arms"][0]["stacks"][0]["frames"] = [99]
    assert cli.main(["profile", str(profiles.write(tmp_path, found))]) == 3
    assert "frame 99" in capsys.readouterr().err


def test_a_directory_without_a_profile(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["profile", str(tmp_path)]) == 3
    error = capsys.readouterr().err
    assert error.startswith("hotlap profile: ") and "profile.json" in error


def test_a_run_with_a_profile_compares_it_with_its_interval(run: Path) -> None:
    profiles.write(run, profiles.content())
    assert cli.main(["report", str(run)]) == 0
    findings = spaced((run / "findings.md").read_text())
    section = findings[findings.index("## Where the difference") : findings.index("## Round by")]
    assert "the profile saw −5,300 ns in all, outside that interval" in section
    assert "| request\\_line | 6,000 | 600 | −5,400 ± 504 |" in section
    assert "](pictures/stages.svg)" in section
    assert "application/json" in (run / "profile.html").read_text()
    assert '<a href="profile.html">profile.html</a>' in (run / "report.html").read_text()
    assert "<script" not in (run / "report.html").read_text()
    assert cli.main(["profile", str(run)]) == 0
    assert spaced((run / "findings.md").read_text()) == findings, "the run's findings stay"


def section(run: Path, found: profiles.Json | None = None) -> str:
    """Where the difference comes from, in a copy of a run that has this profile."""
    if found is not None:
        profiles.write(run, found)
    facts = report_of_run.load(run)
    told = origin.where_it_comes_from(facts)
    assert told is not None
    document = Document("", [], [], [], [told])
    return spaced(markdown.render(document, {})) + "\n".join(facts.notes)


def test_a_profile_that_contradicts_the_run_explains_nothing(run: Path) -> None:
    assert "**it does not show the difference" in section(run, profiles.content([B, A]))


def test_a_profile_that_may_be_the_same_difference_agrees(run: Path) -> None:
    found = profiles.with_errors(profiles.content(), error_ns=2000.0, turns=4)
    told = section(run, found)
    assert "the profile saw −5,300 ± 6,365 ns in all: the intervals overlap." in told


def test_a_profile_of_other_arms_is_left_out(run: Path) -> None:
    found = profiles.content()
    found["arms"][1]["arm"] = "z"
    told = section(run, found)
    assert "The profile is left out" in told and "its arms are a, z" in told
    assert "hotlap profile --a" in told


def test_a_broken_profile_keeps_no_report_away(run: Path) -> None:
    assert "schema_version is 9" in section(run, {"schema_version": 9})


def test_a_run_without_a_profile_says_what_it_knows(run: Path) -> None:
    told = section(run)
    assert "differ in `request_line` (regex → scalar), and in nothing else" in told.replace(
        "\\", ""
    )
    assert "Syscalls per request: 3.00 → 2.00, −1.00 (exact)." in told
    assert "hotlap profile --a fast,request_line=regex --b fast,request_line=scalar" in told
    assert "user −" in told and "system −" in told


def test_allocations_that_changed_are_among_the_causes(run: Path) -> None:
    table = pd.read_csv(run / "rounds.csv")
    counted = table["pass"] == "counting"
    each = table["arm"].map({"a": 6, "b": 0})
    for column, size in (("allocations", 1), ("allocated_bytes", 200)):
        table[column] = (table["ok"] * each * size).where(counted)
    table.to_csv(run / "rounds.csv", index=False)
    content = json.loads((run / "run.json").read_text())
    content["verdicts"] = []  # made anew from the tables
    (run / "run.json").write_text(json.dumps(content))
    told = section(run)
    assert "Allocations per request: 6.00 → 0" in told and "−6.00 (exact)." in told
    assert "Allocated bytes per request: 1,200 B → 0 B" in told
