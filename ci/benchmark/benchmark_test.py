"""The benchmarks against a stand-in for hotlap whose servers cost exactly what they are told to: a
promise that is kept reads as reached, one that is broken as missed."""

import importlib.machinery
import importlib.util
import json
import os
import random
import shutil
import subprocess
import sys
from contextlib import nullcontext
from pathlib import Path
from types import ModuleType, SimpleNamespace

import pytest

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))  # the benchmarks import each other by name

# Costs: floor 1000 ns a request, fast 1100, asio 1500, a ballast step 0.5 ns of which EFFICIENCY is
# measured; NOISE per cent of spread a round. Rounds take 2 s, the rest of a run none.
STAND_IN = r"""#!{python}
import csv, json, math, os, pathlib, random, re, sys
arg = lambda name: sys.argv[sys.argv.index(name) + 1]
def cost(target):
    steps = re.search(r"chain:(\d+)", target)
    base = {{"server:floor": 1000, "server:asio": 1500}}.get(target, {fast})
    if "hotlap-server-fused" in target:
        base = 1000
    if "date=y" in target:
        base = {neighbour}
    return base + (int(steps.group(1)) * 0.5 * {efficiency} if steps else 0)
out, n = pathlib.Path(arg("--out")), int(arg("--plan").split(":")[1])
random.seed(str(out.name))
a, b = cost(arg("--a")), cost(arg("--b"))
noise = [random.gauss(0, {noise}) for _ in range(n)]
out.mkdir(parents=True)
with open(out / "rounds.csv", "w") as file:
    rows = csv.writer(file)
    rows.writerow("pass round arm ok cpu_ns ballast_step_ns round_ns void_cause".split())
    for r, e in enumerate(noise):
        rows.writerow(["timing", r, "a", 1000, a * 1000, 0.5, 2000000000, ""])
        rows.writerow(["timing", r, "b", 1000, b * 1000 * math.exp(e), 0.5, 2000000000, ""])
    rows.writerow(["timing", n, "a", 1000, 1, 0.5, 2000000000, "steal"])
if "--no-counting" not in sys.argv:
    with open(out / "counting_cost.csv", "w") as file:
        rows = csv.writer(file)
        each = "{{}}_cpu_per_request_ns"
        rows.writerow(["round", each.format("plain"), each.format("counted"), "void_cause"])
        for r in range(8):
            rows.writerow([r, 1000, {counted} * (1 + 0.001 * (r % 3 - 1)), ""])
        rows.writerow([8, 1000, 9000, "steal"])
centre = 100 * (b / a - 1) + 100 * sum(noise) / n
half = 196 * {noise} / math.sqrt(n)
metric = dict(name="cpu_per_request", unit="ns", better="lower", a=a, b=b,
              estimate_percent=centre, interval_percent=[centre - half, centre + half],
              estimate_absolute=centre * a / 100,
              interval_absolute=[(centre - half) * a / 100, (centre + half) * a / 100],
              p={p}, verdict="small")
print(json.dumps(dict(schema=1, verdict="small", reason="", rounds=n, void_rounds=1,
                      resolution_percent=half, metrics=[metric])))
"""


def benchmark(name: str) -> ModuleType:
    """The file of that name as a module."""
    loader = importlib.machinery.SourceFileLoader(name, str(HERE / name))
    spec = importlib.util.spec_from_loader(name, loader)
    assert spec is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    loader.exec_module(module)
    return module


def run(
    tmp_path: Path,
    name: str,
    *flags: str,
    fast: int = 1100,
    efficiency: float = 1.0,
    noise: float = 0.004,
    p: float = 0.5,
    neighbour: int = 1100,
    counted: int = 1000,
    path: str = os.environ["PATH"],
) -> tuple[int, str]:
    hotlap = tmp_path / "hotlap"
    hotlap.write_text(
        STAND_IN.format(
            python=sys.executable,
            fast=fast,
            efficiency=efficiency,
            noise=noise,
            p=p,
            neighbour=neighbour,
            counted=counted,
        )
    )
    hotlap.chmod(0o755)
    done = subprocess.run(
        [sys.executable, HERE / name, "--hotlap", hotlap, "--results", tmp_path / "runs", *flags],
        env=os.environ | {"PYTHONDONTWRITEBYTECODE": "1", "PATH": path},
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )
    return done.returncode, done.stdout + done.stderr


def test_precision_reached(tmp_path: Path) -> None:
    status, text = run(tmp_path, "precision", "--sessions=3", "--aa-sessions=4")
    assert status == 0, text
    assert text.count("reached  ") == 3
    assert "fast,ballast=chain:100" in text  # 50 ns in steps of half one
    assert "30 rounds" in text  # of 2 s in 60 s
    assert "A/A called different at p <= 0.0221: goal <= 1 of 4, reached 0 of 4" in text


def test_precision_missed_by_noise(tmp_path: Path) -> None:
    status, text = run(tmp_path, "precision", "--sessions=3", "--aa-sessions=3", noise=0.02)
    assert status == 1, text
    assert "MISSED   A/A, median standard error" in text


def test_precision_missed_by_false_alarms(tmp_path: Path) -> None:
    status, text = run(tmp_path, "precision", "--sessions=1", "--aa-sessions=2", p=0.01)
    assert status == 1
    assert "MISSED   A/A called different at p <= 0.0221: goal <= 1 of 2, reached 2 of 2" in text


def test_standard_error_is_that_of_the_noise(tmp_path: Path) -> None:
    import sessions

    run(tmp_path, "precision", "--sessions=1", "--aa-sessions=1", "--seconds=1000", noise=0.01)
    printed = (tmp_path / "runs/aa-01.json").read_text()
    session = sessions.read_session(tmp_path / "runs/aa-01", printed, 60)
    assert len(session.differences()) == 500
    expected = 100 * 0.01 / 500**0.5
    assert session.standard_error_percent() == pytest.approx(expected * 1.047**0.5, rel=0.1)
    assert session.standard_error_of_mean_percent() == pytest.approx(expected, rel=0.1)


def test_ballast_measured_as_it_is(tmp_path: Path) -> None:
    status, text = run(tmp_path, "ballast", "--found-sessions=2", noise=0.001)
    assert status == 0, text
    assert "reached  50 ns found at 16 connections: goal >= 2 of 2, reached 2 of 2" in text
    assert "reached  slope of measured on predicted at 1 connection(s)" in text
    assert "shown    slope of measured on predicted at 16 connection(s)" in text


def test_ballast_that_costs_less_than_it_should(tmp_path: Path) -> None:
    status, text = run(tmp_path, "ballast", "--found-sessions=1", noise=0.001, efficiency=0.8)
    assert status == 1
    assert "MISSED   slope of measured on predicted at 1 connection(s)" in text


def test_references_reached(tmp_path: Path) -> None:
    status, text = run(tmp_path, "references", "--sessions=2", fast=1090)
    assert status == 0, text
    for connections in (16, 64):
        what = f"CPU per request, fast / floor, {connections} connections"
        assert f"reached  {what}: goal <= 1.10, reached 1.0" in text
    assert "left out go: hotlap-go was not built" in text


@pytest.mark.parametrize("table, status", [(1005, 0), (1030, 1)])
def test_seam_within_a_per_cent(tmp_path: Path, table: int, status: int) -> None:
    """Stands in for cmake too: nothing is built here."""
    cmake = tmp_path / "bin" / "cmake"
    cmake.parent.mkdir()
    cmake.write_text("#!/bin/sh\nexit 0\n")
    cmake.chmod(0o755)
    path = f"{cmake.parent}:{os.environ['PATH']}"
    found, text = run(tmp_path, "seam", fast=table, noise=0.001, path=path)
    assert found == status, text
    word = "reached  " if status == 0 else "MISSED   "
    assert word + "CPU per request of the server as it is above that of the fused one" in text


@pytest.mark.parametrize("counted, status", [(1040, 0), (1060, 1)])
def test_counting_within_its_goal(tmp_path: Path, counted: int, status: int) -> None:
    found, text = run(tmp_path, "counting", "--sessions=2", counted=counted)
    assert found == status, text
    word = "reached  " if status == 0 else "MISSED   "
    assert word + "CPU per request that the counting pass adds: goal <= 5 %" in text
    assert f"reached {counted / 10 - 100:.2f} %" in text and "16 rounds" in text


LIST = """#!/bin/sh
case "$*" in
*--list*) echo '{"stages": [{"name": "date", "variants": [{"name": "x"}, {"name": "y"}]}]}' ;;
*date=y*) echo "pipeline date=y" ;;
*) echo "pipeline date=x" ;;
esac
"""


@pytest.mark.parametrize("other, status", [(1110, 0), (1080, 1)])
def test_neighbours_of_fast(tmp_path: Path, other: int, status: int) -> None:
    """`fast` costs 1100 ns, its only neighbour more or less."""
    (tmp_path / "hotlap-server").write_text(LIST)
    (tmp_path / "hotlap-server").chmod(0o755)
    found, text = run(tmp_path, "neighbours", noise=0.001, neighbour=other)
    assert found == status, text
    assert text.count("date=y") == (2 if status == 0 else 3) and "date=x" not in text


def test_references_missed(tmp_path: Path) -> None:
    status, text = run(tmp_path, "references", "--sessions=1", fast=1600)
    assert status == 1
    assert text.count("MISSED") == 4


def test_a_failing_hotlap_is_named_with_its_words(tmp_path: Path) -> None:
    (tmp_path / "hotlap").write_text("#!/bin/sh\necho no such target >&2\nexit 3\n")
    (tmp_path / "hotlap").chmod(0o755)
    done = subprocess.run(
        [HERE / "references", "--hotlap", tmp_path / "hotlap", "--results", tmp_path / "runs"],
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )
    assert done.returncode == 3
    assert "exit code 3: no such target" in done.stderr


def test_a_run_without_an_estimate_says_why(tmp_path: Path) -> None:
    status, text = run(tmp_path, "references", "--sessions=1", fast=1090)
    assert status == 0
    kept = tmp_path / "runs" / "floor-c16-01.json"
    report = json.loads(kept.read_text())
    report["metrics"][0]["interval_percent"] = None
    report["reason"] = "too few"
    import sessions

    session = sessions.read_session(tmp_path / "runs/floor-c16-01", json.dumps(report), 60)
    with pytest.raises(sessions.BenchmarkError, match="too few"):
        session.cpu


def test_wakeups_are_told_apart_from_the_cost_that_causes_them() -> None:
    """CPU = 5000 + 1.0 x ballast + 4000 ns a wake-up, a level of its own each round: the slope on
    ballast alone is steeper than 1, that beside wake-ups is not."""
    wakeups = benchmark("wakeups")
    coin = random.Random(3)
    rounds = []
    for number in range(20):
        turns = []
        for ballast in (0, 100, 200, 400):
            woken = 0.01 + 0.00006 * ballast + coin.uniform(-0.005, 0.005)
            cpu = 5000 + 100 * number + ballast + 4000 * woken + coin.gauss(0, 5)
            turns.append(wakeups.Turn(ballast, cpu, woken))
        rounds.append(turns)
    assert wakeups.one_variable(rounds) == pytest.approx(1.24, abs=0.03)
    slope, wakeup_ns = wakeups.two_variables(rounds)
    assert slope == pytest.approx(1.0, abs=3 * wakeups.jackknife(rounds, 0))
    assert wakeup_ns == pytest.approx(4000, abs=3 * wakeups.jackknife(rounds, 1))
    assert wakeups.jackknife(rounds, 0) < 0.05 and wakeups.jackknife(rounds, 1) < 600


SERVER = """#!{python}
import http.server
class Hello(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    def do_GET(self):
        self.send_response(200)
        self.send_header("Content-Length", "2")
        self.end_headers()
        self.wfile.write(b"hi")
    def log_message(self, *_):
        pass
server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Hello)
print("listening on 127.0.0.1:%d" % server.server_port, flush=True)
server.serve_forever()
"""

# Spends a tenth of a CPU-second and says that it sent REQUESTS.
LOAD = """#!{python}
import json, time
while time.process_time() < 0.1:
    pass
print(json.dumps(dict(requests=dict(ok={requests}), elapsed_s=1.0, generator_cpu_ns=100000000)))
"""

BARE = """#!{python}
import json
print(json.dumps(dict(requests=2 * {requests}, cpu_s=0.1, wall_s=1.0, calls=1)))
"""


def test_a_server_under_a_wrapper_ends_before_it(tmp_path: Path) -> None:
    """The wrapper goes on once its child has ended, as perf must in order to print its counts."""
    from lab_server import LabServer

    program = tmp_path / "hotlap-server"
    program.write_text(SERVER.format(python=sys.executable))
    program.chmod(0o755)
    after = tmp_path / "after"
    wrapper = ["sh", "-c", f'"$@"; echo ended > {after}', "sh"]
    cpu = min(os.sched_getaffinity(0))
    with LabServer(program, "fast", cpu, wrapper) as server:
        assert server.url.startswith("http://127.0.0.1:") and not after.exists()
    assert after.read_text() == "ended\n"


@pytest.mark.skipif(
    None in (shutil.which("wrk"), shutil.which("h2load")) or len(os.sched_getaffinity(0)) < 2,
    reason="needs wrk, h2load and two CPUs",
)
@pytest.mark.parametrize("requests, status", [(100, 1), (10**9, 0)])
def test_generator_compares_requests_a_cpu_second(
    tmp_path: Path, requests: int, status: int
) -> None:
    for name, text in (("hotlap", LOAD), ("hotlap-server", SERVER), ("bare-client", BARE)):
        (tmp_path / name).write_text(text.format(python=sys.executable, requests=requests))
        (tmp_path / name).chmod(0o755)
    flags = ["--sessions=1", "--seconds=1", f"--hotlap={tmp_path / 'hotlap'}"]
    done = subprocess.run(
        [sys.executable, HERE / "generator", *flags, "--results", tmp_path / "runs"],
        env=os.environ | {"PYTHONDONTWRITEBYTECODE": "1"},
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )
    assert done.returncode == status, done.stdout + done.stderr
    for rival in ("wrk", "h2load"):
        assert f"requests a CPU-second, hotlap / {rival}: goal >= 1.3, reached" in done.stdout
    for how in ("epoll", "io_uring"):
        assert f"requests a CPU-second, bare {how} / hotlap: 2.000 [2.000, 2.000]" in done.stdout


@pytest.mark.parametrize(
    ("crowd_failed", "many_failed", "beside_us", "held"),
    [
        (0, 0, 190, [True, True, True]),
        (1, 0, 190, [False, True, True]),
        (0, 1, 190, [True, False, True]),
        (0, 0, 210, [True, True, False]),
    ],
)
def test_capacity_judges_each_promise_by_itself(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    crowd_failed: int,
    many_failed: int,
    beside_us: int,
    held: list[bool],
) -> None:
    capacity = benchmark("capacity")

    def loaded(_self: object, name: str, connections: int, _seconds: float) -> dict:
        failed = {capacity.CROWD: crowd_failed, capacity.MANY: many_failed}.get(connections, 0)
        p99 = (beside_us if name.startswith("beside") else 100) * 1000
        requests = {"started": 400_000, "ok": 399_900 - failed, "in_flight": 100}
        return {"requests": requests, "response_time_ns": {"p99": p99}}

    server = SimpleNamespace(url="http://127.0.0.1:1/hello")
    monkeypatch.setattr(capacity, "LabServer", lambda *_: nullcontext(server))
    monkeypatch.setattr(capacity, "Drippers", lambda _: nullcontext())
    monkeypatch.setattr(capacity, "cpus", lambda: [0, 1])
    monkeypatch.setattr(capacity.Load, "run", loaded)
    assert capacity.judge(tmp_path / "hotlap", "fast", tmp_path / "kept", 1.0) == held


@pytest.mark.parametrize(
    ("ok", "load_grows", "server_grows", "held"),
    [
        (1000, 0, 0, [True, True, True]),
        (999, 0, 0, [False, True, True]),
        (1000, 8, 0, [True, False, True]),
        (1000, 0, 8, [True, True, False]),
    ],
)
def test_endurance_tells_a_leak_from_a_beginning(
    ok: int, load_grows: int, server_grows: int, held: list[bool]
) -> None:
    endurance = benchmark("endurance")

    def readings(grows: int) -> list[int]:
        return [4000, *(20_000 + grows * i for i in range(99))]

    report = {"requests": {"started": 1000, "ok": ok}, "elapsed_s": 25.0}
    run = endurance.Long(report, readings(load_grows), readings(server_grows))
    assert endurance.judge("all", 1000, run) == held


def test_endurance_reads_the_memory_of_a_process_and_all_below_it() -> None:
    endurance = benchmark("endurance")
    below = "import sys; x = bytearray(64 << 20); print(1, flush=True); sys.stdin.read()"
    above = f"import subprocess, sys; subprocess.run([sys.executable, '-c', {below!r}])"
    command = [sys.executable, "-c", above]
    child = subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, start_new_session=True
    )
    try:
        assert child.stdout is not None and child.stdout.readline()
        assert len(endurance.tree(child.pid)) == 2
        assert endurance.resident_kib(child.pid) > 64 << 10
    finally:
        os.killpg(child.pid, 9)
        child.wait()
    assert endurance.resident_kib(child.pid) == 0
