"""A result of hotlap load held against its schema, and servers that answer it to order."""

from __future__ import annotations

import json
import re
import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import jsonschema
from running import TREE

SCHEMA = json.loads((TREE / "harness" / "cli" / "load.schema.json").read_text())


def checked(text: str) -> dict:
    result = json.loads(text)
    jsonschema.validate(result, SCHEMA)
    requests = dict(result["requests"])
    assert requests.pop("started") == sum(requests.values())
    assert requests["timeout"] == sum(result["timeouts"].values())
    if result["open"]:
        sends = result["open"]
        assert sends["planned"] == sends["on_time"] + sends["late"] + sends["never_sent"]
        assert sends["planned"] == result["requests"]["started"]
    assert result["response_time_ns"]["count"] == result["requests"]["ok"]
    return result


def end_of_request(buffer: bytes) -> int | None:
    """Where the first request ends, its sized body included; None while it is not whole."""
    head, found, rest = buffer.partition(b"\r\n\r\n")
    size = re.search(rb"\r\nContent-Length: (\d+)", head)
    length = int(size[1]) if size else 0
    return len(head) + 4 + length if found and len(rest) >= length else None


@contextmanager
def answering(
    answer: Callable[[int, bytes], bytes],
    family: int = socket.AF_INET,
    path: str = "",
    bodies: list[bytes] | None = None,
) -> Iterator[tuple[str, list[bytes]]]:
    """A server that answers request number n of each connection; and the heads that it was sent.

    `bodies` takes the bodies.
    """
    heads: list[bytes] = []
    received = [] if bodies is None else bodies
    listener = socket.socket(family)
    listener.bind(path if path else (("::1", 0) if family == socket.AF_INET6 else ("127.0.0.1", 0)))
    listener.listen(64)

    def serve(peer: socket.socket) -> None:
        buffer, number = b"", 0
        while data := peer.recv(1 << 20):
            buffer += data
            while (end := end_of_request(buffer)) is not None:
                request, buffer = buffer[:end], buffer[end:]
                head, body = request.split(b"\r\n\r\n", 1)
                heads.append(head)
                received.append(body)
                peer.sendall(answer(number, head))
                number += 1

    def accept() -> None:
        while True:
            try:
                peer, _ = listener.accept()
            except OSError:
                return
            threading.Thread(target=serve, args=(peer,), daemon=True).start()

    threading.Thread(target=accept, daemon=True).start()
    port = "" if path else listener.getsockname()[1]
    host = "[::1]" if family == socket.AF_INET6 else "127.0.0.1"
    try:
        yield (path or f"{host}:{port}"), heads
    finally:
        listener.shutdown(socket.SHUT_RDWR)
        listener.close()


def ok(_number: int, _head: bytes) -> bytes:
    return b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nhi"
