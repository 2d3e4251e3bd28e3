"""An HTTP server that goes wrong as told: faulty_server.py MODE PORT [TRIGGER | REQUESTS].

Modes: ok, status500, wrong (other bytes than the lab's server), exit (at once), silent (never
listens), elsewhere (another port), and die, hang, deny: like ok until the file TRIGGER exists, then
it exits, stops itself, or answers 500; freeze: like ok, but after so many REQUESTS it stops itself
for a second, once; and doze: like ok, but it sleeps for DOZE_MS before each reply.
"""

from __future__ import annotations

import os
import selectors
import signal
import socket
import sys
import time
from pathlib import Path

BODY = b"Hello, World!"
DOZE_MS = 20


def reply(status: str, body: bytes = BODY) -> bytes:
    head = f"HTTP/1.1 {status}\r\nContent-Length: {len(body)}\r\nContent-Type: text/plain\r\n\r\n"
    return head.encode() + body


def go_wrong(mode: str) -> None:
    if mode == "die":
        os._exit(7)
    if mode == "hang":
        os.kill(os.getpid(), signal.SIGSTOP)


def freeze_for_a_second() -> None:
    frozen = os.getpid()
    if os.fork() == 0:
        time.sleep(1)  # tidy: allow sleep: it is the fault itself
        os.kill(frozen, signal.SIGCONT)
        os._exit(0)
    os.kill(frozen, signal.SIGSTOP)
    os.wait()


def doze() -> None:
    time.sleep(DOZE_MS / 1000)  # tidy: allow sleep: it is what is to be seen


def serve(
    listener: socket.socket, mode: str, trigger: Path | None, requests_left: int | None
) -> None:
    good, denied = reply("200 OK"), reply("500 Internal Server Error")
    if mode == "wrong":
        good = reply("200 OK", b"Hello, Wrong!")
    selector = selectors.DefaultSelector()
    listener.setblocking(False)
    selector.register(listener, selectors.EVENT_READ)
    while True:
        for key, _ in selector.select():
            if key.fileobj is listener:
                connection, _ = listener.accept()
                connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
                selector.register(connection, selectors.EVENT_READ)
                continue
            assert isinstance(key.fileobj, socket.socket)
            connection = key.fileobj
            try:
                asked = connection.recv(65536).count(b"\r\n\r\n")
                wrong_now = trigger is not None and trigger.exists()
                if wrong_now:
                    go_wrong(mode)
                if requests_left is not None and asked > 0:
                    requests_left -= asked
                    if requests_left <= 0:
                        requests_left = None
                        freeze_for_a_second()
                if mode == "doze" and asked > 0:
                    doze()
                deny = mode == "status500" or (mode == "deny" and wrong_now)
                connection.sendall((denied if deny else good) * asked)
            except OSError:
                asked = 0
            if asked == 0:
                selector.unregister(connection)
                connection.close()


def main() -> int:
    mode, port = sys.argv[1], int(sys.argv[2])
    freezes = mode == "freeze"
    trigger = Path(sys.argv[3]) if len(sys.argv) > 3 and not freezes else None
    if mode == "exit":
        print("cannot find my configuration", file=sys.stderr)
        return 5
    if mode == "silent":
        signal.pause()
    listener = socket.socket()
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listener.bind(("127.0.0.1", 0 if mode == "elsewhere" else port))
    except OSError as error:
        print(f"cannot bind port {port}: {error}", file=sys.stderr)
        return 1
    listener.listen(128)
    serve(listener, mode, trigger, int(sys.argv[3]) if freezes else None)
    return 0


if __name__ == "__main__":
    sys.exit(main())
