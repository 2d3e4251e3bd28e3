"""The house rules that one file can be checked for by itself, each with the reason for it.

A rule is a generator of findings over a Source. It reads text and never compiles: it may miss a
clever breach, but what it reports is one. Where a line must break a rule, a comment on it, or on
the line above, says so and why (for rules about a whole file, within its first lines):

    // tidy: allow sleep: the test is about what happens while nothing happens
"""

import ast
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

MAX_COLUMNS = 100
MAX_LINES = 500
NOTED_LINES = 300
NOTED_FUNCTION_LINES = 60

REASONS = {
    "line-length": f"lines of at most {MAX_COLUMNS} columns can be read side by side in a review",
    "file-length": f"a file is one idea; most ideas fit in {NOTED_LINES} lines",
    "function-length": f"a function of one screen ({NOTED_FUNCTION_LINES} lines) is read whole",
    "first-comment": "a file begins by saying what it is for and what it costs or promises",
    "name": "Impl, Manager, Util, Helper and Data say nothing: a name is a noun of this field",
    "using-namespace": "`using namespace std` makes every new name of the library a risk here",
    "naked-new": "ownership is plain: memory belongs to a container or a smart pointer",
    "sleep": "waiting is for an event: a sleep is too short on one machine, too long on another",
    "throws": "this iterator throws where a read fails (a directory, a process at its end): "
    "capture/whole_file.h does not",
    "seam": "a stage is a table of function pointers: what is hidden costs what nobody measured",
    "core": "server, variants and load build under the thread sanitizer, which Debian's Abseil and "
    "gRPC are not made for",
    "include": "includes are written from the top of the tree, so that a file can be moved",
    "machine-path": "a path of one machine means nothing in a clone",
    "allow": "an exception without a reason cannot be judged",
}


@dataclass(frozen=True, order=True)
class Finding:
    """A breach of a rule; a note is shown and does not fail."""

    path: str
    line: int
    rule: str
    what: str
    note: bool = False

    def __str__(self) -> str:
        kind = "note: " if self.note else ""
        return f"{self.path}:{self.line}: {kind}{self.rule}: {self.what} ({reason(self.rule)})"


def reason(rule: str) -> str:
    return REASONS[rule]


_CPP_TEXT = re.compile(
    r"""//[^\n]* | /\*.*?\*/ | R"(?P<d>[^(\s]*)\(.*?\)(?P=d)" | "(?:\\.|[^"\\\n])*" |
        '(?:\\.|[^'\\\n])*'""",
    re.DOTALL | re.VERBOSE,
)
_ALLOW = re.compile(r"tidy: allow ([a-z-]+)(.*)")


def kind_of(path: str, text: str) -> str:
    """cpp, python, shell, proto, cmake, markdown, or nothing for what no rule is about."""
    name = path.rsplit("/", 1)[-1]
    suffixes = {
        ".h": "cpp",
        ".cc": "cpp",
        ".py": "python",
        ".sh": "shell",
        ".proto": "proto",
        ".cmake": "cmake",
        ".md": "markdown",
        ".def": "list",
    }
    for suffix, kind in suffixes.items():
        if name.endswith(suffix):
            return kind
    if name == "CMakeLists.txt":
        return "cmake"
    if text.startswith("#!"):
        return "python" if "python" in text.split("\n", 1)[0] else "shell"
    return ""


@dataclass(frozen=True)
class Source:
    """A file of the tree: its path from the top, with forward slashes, and its text."""

    path: str
    text: str

    @cached_property
    def kind(self) -> str:
        return kind_of(self.path, self.text)

    @cached_property
    def lines(self) -> list[str]:
        return self.text.splitlines()

    @cached_property
    def code(self) -> list[str]:
        """The lines of a C++ file with comments and literals blanked out, columns kept."""
        if self.kind != "cpp":
            return self.lines

        def blank(match: re.Match[str]) -> str:
            return re.sub(r"[^\n]", " ", match.group())

        return _CPP_TEXT.sub(blank, self.text).splitlines()

    def allowed(self, rule: str, line: int) -> bool:
        """Whether a comment on this line or the one above allows the breach."""
        return any(
            match.group(1) == rule
            for text in self.lines[max(0, line - 2) : line]
            for match in _ALLOW.finditer(text)
        )

    def allowed_in_file(self, rule: str) -> bool:
        return any(self.allowed(rule, line) for line in range(1, 13))

    def finding(self, line: int, rule: str, what: str, note: bool = False) -> Iterator[Finding]:
        if not self.allowed(rule, line):
            yield Finding(self.path, line, rule, what, note)


def read(root: Path, path: str) -> Source | None:
    """The file as a Source; None where it is not text."""
    try:
        return Source(path, (root / path).read_text(encoding="utf-8"))
    except (UnicodeDecodeError, FileNotFoundError, IsADirectoryError):
        return None


def line_length(source: Source) -> Iterator[Finding]:
    if source.kind in ("", "markdown"):
        return
    for number, line in enumerate(source.lines, 1):
        one_link = "://" in line and len(line.split()) <= 2
        if len(line) > MAX_COLUMNS and not one_link:
            yield from source.finding(number, "line-length", f"{len(line)} columns")


def file_length(source: Source) -> Iterator[Finding]:
    count = len(source.lines)
    if source.kind in ("", "markdown") or count <= NOTED_LINES:
        return
    yield from source.finding(1, "file-length", f"{count} lines", note=count <= MAX_LINES)


def first_comment(source: Source) -> Iterator[Finding]:
    """A .cc, or a test, that begins with the inclusion of its own header is introduced by that."""
    if not source.text.strip():
        return
    headers = [re.sub(rf"{ending}$", ".h", source.path) for ending in (r"\.cc", r"_test\.cc")]
    if source.lines[0] in [f'#include "{header}"' for header in headers]:
        return
    lines = [line for line in source.lines if not line.startswith("#!")]
    starts = {
        "cpp": ("//",),
        "proto": ("//",),
        "list": ("//",),
        "python": ('"""', "#", 'r"""'),
        "shell": ("#",),
        "cmake": ("#",),
    }.get(source.kind)
    if starts is None or source.path.endswith("CMakeLists.txt"):
        return
    first = next((line for line in lines if line.strip()), "")
    if not first.startswith(starts):
        yield from source.finding(1, "first-comment", "the file does not begin with a comment")


_WORDS = "Impl|Manager|Util|Utils|Helper|Helpers|Data"
_TYPE = re.compile(
    rf"\b(?:class|struct|union|enum(?:\s+class)?|using|concept|message)\s+(\w*?(?:{_WORDS}))\b"
)
_NAMESPACE = re.compile(r"\bnamespace\s+(?:\w+::)*(impl|utils?|helpers?|data)\b")
_FILE_WORD = re.compile(r"(?:^|_)(impl|manager|utils?|helpers?|data)(?:_test)?$")


def name(source: Source) -> Iterator[Finding]:
    if source.kind in ("", "markdown"):
        return
    stem = source.path.rsplit("/", 1)[-1].split(".")[0].lower()
    word = _FILE_WORD.search(stem)
    if word:
        yield from source.finding(1, "name", f"the file's name ends in '{word.group(1)}'")
    patterns = {
        "cpp": (_TYPE, _NAMESPACE),
        "proto": (_TYPE,),
        "python": (re.compile(rf"^\s*class\s+(\w*?(?:{_WORDS}))\b"),),
    }.get(source.kind, ())
    for number, line in enumerate(source.code, 1):
        for pattern in patterns:
            match = pattern.search(line)
            if match:
                yield from source.finding(number, "name", f"'{match.group(1)}'")


def _code_rule(rule: str, pattern: str, what: str, places: str = "") -> Callable:
    """A rule that a pattern's appearance in C++ code breaks, in files whose path matches."""
    compiled, place = re.compile(pattern), re.compile(places)

    def check(source: Source) -> Iterator[Finding]:
        if source.kind != "cpp" or not place.match(source.path):
            return
        for number, line in enumerate(source.code, 1):
            match = compiled.search(line)
            if match:
                yield from source.finding(number, rule, what.format(match.group().strip()))

    return check


throws = _code_rule("throws", r"\bistreambuf_iterator\b", "'{}'", r"(?!.*_test\.cc$)")

using_namespace = _code_rule("using-namespace", r"\busing\s+namespace\s+std\b", "'{}'")


def naked_new(source: Source) -> Iterator[Finding]:
    """Placement new makes nothing that needs a delete; an operator's own definition is not a use;
    what is handed over at once, `owner(new T)`, has an owner."""
    if source.kind != "cpp":
        return
    owner = re.compile(r"[\w>][({]$")
    before = ""
    for number, line in enumerate(source.code, 1):
        for match in re.finditer(r"\bnew\s+(?=[A-Za-z_:])|\bnew\s*\(\s*std::nothrow", line):
            statement = (before + line[: match.start()]).rstrip()
            if not owner.search(statement) and not statement.endswith("operator"):
                yield from source.finding(number, "naked-new", f"'{match.group().strip()}'")
        before = "" if line.rstrip().endswith((";", "{", "}", ":")) else line.strip() + " "


naked_delete = _code_rule(
    "naked-new", r"(?<!operator )(?<!= )(?<!=)\bdelete\b(?!\s*\(\s*void)", "'{}'"
)
sleep_in_cpp = _code_rule(
    "sleep",
    r"\b(?:sleep_for|sleep_until|SleepFor|usleep|nanosleep|clock_nanosleep|(?<![.\w>])sleep)\s*\(",
    "'{})'",
)
seam = _code_rule(
    "seam", r"\bvirtual\b|\bstd::function\b", "'{}'", places=r"(variants|server/stages)/"
)


def includes(source: Source) -> Iterator[Finding]:
    """Includes as text: in `code` the quoted ones are blank."""
    if source.kind != "cpp":
        return
    core = source.path.startswith(("server/", "variants/", "harness/load/"))
    for number, line in enumerate(source.lines, 1):
        match = re.match(r'\s*#\s*include\s+["<]([^">]+)[">]', line)
        if not match:
            continue
        header = match.group(1)
        if header.startswith("."):
            yield from source.finding(number, "include", f"'{header}' is relative")
        if core and re.match(r"(absl|grpc|grpcpp|google/protobuf)/|.*\.pb\.h$", header):
            yield from source.finding(number, "core", f"'{header}'")


def sleep_in_scripts(source: Source) -> Iterator[Finding]:
    patterns = {"python": r"\b(?:time|asyncio)\.sleep\s*\(", "shell": r"^\s*sleep\s"}
    if source.kind not in patterns:
        return
    for number, line in enumerate(source.lines, 1):
        match = re.search(patterns[source.kind], line)
        if match:
            yield from source.finding(number, "sleep", f"'{match.group().strip()}'")


def function_length(source: Source) -> Iterator[Finding]:
    """Functions of Python, and those of C++ that begin in column 1; methods inside a class are not
    seen."""
    lengths: list[tuple[int, int, str]] = []
    if source.kind == "python":
        try:
            tree = ast.parse(source.text)
        except SyntaxError as error:
            yield from source.finding(error.lineno or 1, "first-comment", f"not Python: {error}")
            return
        for node in ast.walk(tree):
            if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
                lengths.append((node.lineno, (node.end_lineno or 0) - node.lineno + 1, node.name))
    elif source.kind == "cpp":
        begin = 0
        for number, line in enumerate(source.code, 1):
            if re.match(r"[A-Za-z_].*\)[^;]*\{$", line):
                begin = number
            elif re.match(r"(namespace|class|struct|enum|union|extern)\b", line):
                begin = 0
            elif line.startswith("}") and begin:
                lengths.append((begin, number - begin + 1, source.lines[begin - 1].strip()[:60]))
                begin = 0
    for first, length, what in lengths:
        if length > NOTED_FUNCTION_LINES:
            yield from source.finding(first, "function-length", f"{length} lines: {what}", True)


# The folder names are put together here so that this file does not match itself.
_MACHINE_PATH = re.compile(
    r"(?<![\w./}\-])/(?:" + "|".join(("home", "root", "work", "Users")) + r")/\w"
    r"|(?<![\w./}\-])/tmp/[a-z]{1,4}/"
)


def machine_path(source: Source) -> Iterator[Finding]:
    if not source.kind:
        return
    for number, line in enumerate(source.lines, 1):
        match = _MACHINE_PATH.search(line)
        if match:
            yield from source.finding(number, "machine-path", f"'{match.group()}…'")


def allowances(source: Source) -> Iterator[Finding]:
    """Every exception names a rule and gives a reason."""
    if source.kind in ("", "markdown") or source.path.startswith("ci/house_rules"):
        return
    for number, line in enumerate(source.lines, 1):
        for match in _ALLOW.finditer(line):
            if match.group(1) not in ALL_RULES:
                yield Finding(source.path, number, "allow", f"no rule '{match.group(1)}'")
            elif len(match.group(2).strip(" :")) < 10:
                yield Finding(source.path, number, "allow", f"'{match.group().strip()}' and no why")


# Rules that other files add; named so that an exception to one is known.
TREE_RULES = ("readme", "test-beside", "result", "variants-list", "layout", "types")
ALL_RULES = (*REASONS, *TREE_RULES)

FILE_RULES: tuple[Callable[[Source], Iterator[Finding]], ...] = (
    line_length,
    file_length,
    first_comment,
    name,
    throws,
    using_namespace,
    naked_new,
    naked_delete,
    sleep_in_cpp,
    sleep_in_scripts,
    seam,
    includes,
    function_length,
    machine_path,
    allowances,
)
