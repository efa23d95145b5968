"""What the language server does with what it should not be sent: it lives, and loses nothing."""

from __future__ import annotations

import asyncio
import json
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from language_client import COMMAND, connected

PROJECT = Path(__file__).resolve().parent / "project"
PUSHED = "neovim@v0.7.0"
INITIALIZE: dict[str, Any] = {"processId": None, "rootUri": None, "capabilities": {}}


@pytest.fixture
def project(tmp_path: Path) -> Path:
    shutil.copytree(PROJECT, tmp_path, dirs_exist_ok=True)
    return tmp_path


class Raw:
    """A server that is sent bytes."""

    def __init__(self, folder: Path) -> None:
        self.process = subprocess.Popen(
            COMMAND, cwd=folder, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
        )
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        self._input, self._output = self.process.stdin, self.process.stdout

    def write(self, data: bytes) -> None:
        self._input.write(data)
        self._input.flush()

    def send(self, **message: Any) -> None:
        body = json.dumps({"jsonrpc": "2.0", **message}).encode()
        self.write(b"Content-Length: %d\r\n\r\n%s" % (len(body), body))

    def answer(self, number: int) -> Any:
        """The answer to a request; what comes before it is passed over."""
        while True:
            length = 0
            while line := self._output.readline().strip():
                name, _, value = line.partition(b":")
                if name == b"Content-Length":
                    length = int(value)
            message = json.loads(self._output.read(length))
            if message.get("id") == number:
                return message

    def ask(self, number: int, method: str, params: Any = None) -> Any:
        self.send(id=number, method=method, params=params)
        return self.answer(number)

    def leave(self) -> int:
        """Close standard input, as a client that is gone does. Returns the exit status."""
        self._input.close()
        return self.process.wait(60)


@pytest.fixture
def raw(project: Path) -> Iterator[Raw]:
    server = Raw(project)
    yield server
    if server.process.poll() is None:
        server.process.kill()
        server.process.wait()
    for stream in (server.process.stdin, server.process.stdout):
        assert stream is not None
        stream.close()


def test_malformed_messages_are_passed_over(raw: Raw) -> None:
    refused = raw.ask(1, "textDocument/hover", {})
    assert refused["error"]["code"] == -32002
    for wrong in (
        b"no header at all\r\n\r\n",
        b"Content-Length: 99999999999999\r\n\r\n",
        b"Content-Length: 5\r\n\r\n{]{]}",
        b"Content-Length: 2\r\n\r\n[]",
        b'Content-Length: 15\r\n\r\n{"jsonrpc": 2.}',
        b'Content-Length: 4\r\n\r\n{"jsonrpc": "2.0", "method": "cut short"}',
    ):
        raw.write(wrong)
    raw.send(method="textDocument/didOpen", params={})
    assert raw.ask(2, "initialize", {"capabilities": 1})["error"]["code"] == -32602
    assert "capabilities" in raw.ask(3, "initialize", INITIALIZE)["result"]
    assert raw.ask(4, "initialize", INITIALIZE)["error"]["code"] == -32600
    raw.send(method="initialized", params={})
    raw.send(method="textDocument/didOpen", params={"textDocument": 7})
    raw.send(
        method="textDocument/didChange",
        params={"textDocument": {"uri": "file:///no.py", "version": 1}, "contentChanges": [{"text": ""}]},
    )
    raw.send(method="$/cancelRequest", params={"id": 77})
    assert raw.ask(5, "no/such/method", {})["error"]["code"] == -32601
    assert raw.ask(6, "codeAction/resolve", {"title": "x", "data": {"uri": 1}})["error"]["code"] == -32801
    assert raw.ask(7, "workspace/executeCommand", {"command": "rm"})["error"]["code"] == -32602
    assert raw.ask(8, "shutdown")["result"] is None
    assert raw.ask(9, "textDocument/hover", {})["error"]["code"] == -32600
    raw.send(method="exit")
    assert raw.process.wait(60) == 0


def test_what_is_asked_and_then_not_wanted_is_given_up(raw: Raw, project: Path) -> None:
    raw.ask(1, "initialize", {**INITIALIZE, "capabilities": {"textDocument": {"diagnostic": {}}}})
    document = {"uri": (project / "train.py").as_uri()}
    text = (project / "train.py").read_text()
    item = {**document, "languageId": "python", "version": 1, "text": text}
    raw.send(method="textDocument/didOpen", params={"textDocument": item})
    raw.send(id=2, method="textDocument/diagnostic", params={"textDocument": document})
    raw.send(method="$/cancelRequest", params={"id": 2})
    assert raw.answer(2)["error"]["code"] == -32800
    report = raw.ask(3, "textDocument/diagnostic", {"textDocument": document})["result"]
    assert [found["code"] for found in report["items"]] == ["XLA101"]


def test_a_server_whose_client_is_gone_ends(raw: Raw, project: Path) -> None:
    raw.ask(1, "initialize", INITIALIZE)
    uri = (project / "train.py").as_uri()
    text = (project / "train.py").read_text()
    item = {"uri": uri, "languageId": "python", "version": 1, "text": text}
    raw.send(method="textDocument/didOpen", params={"textDocument": item})
    assert raw.leave() == 1


@pytest.mark.asyncio
@pytest.mark.parametrize("lines", [5_000, pytest.param(50_000, marks=pytest.mark.soak)])
async def test_a_long_file_is_edited_in_a_hurry(project: Path, lines: int) -> None:
    """200 edits as fast as they can be sent: the text is that of the client in the end."""
    body = "".join(f"names.append('{number}')\n" for number in range(lines))
    async with connected(project, PUSHED) as client:
        client.open("long.py", f"import torch_xla\nnames = []\n{body}")
        for number in range(200):
            client.type("long.py", 10 + number * 20, 0, "# \N{FIRE}")
        client.type("long.py", lines - 1, 0, "torch_xla.core.xla_model.xla_device()\n")
        (found,) = await client.sees("long.py", "XLA002")
        assert found.range.start.line == lines - 1
        assert client.version("long.py") == 202


@pytest.mark.asyncio
async def test_two_servers_share_a_cache(project: Path) -> None:
    async with connected(project, PUSHED) as one, connected(project, PUSHED) as other:
        for _ in range(2):
            for client in (one, other):
                client.open("train.py")
            await asyncio.gather(*(client.sees("train.py", "XLA101") for client in (one, other)))
            for client in (one, other):
                client.type("train.py", 0, 0, "\n")
                client.close("train.py")
        assert not one.speaking.messages
        assert not other.speaking.messages
