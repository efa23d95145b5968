"""Messages from a stream of bytes, whatever else comes with them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import BinaryIO

_LENGTH = re.compile(rb"Content-Length: *(\d+)\r?\n\Z", re.IGNORECASE)
"""Line ends stand nowhere in the JSON of a message, so that a header is found behind a message cut short."""

_LARGEST = 1 << 30


def bodies(stream: BinaryIO) -> Iterator[bytes]:
    """The bodies of the messages that a client sends, until it sends no more.

    What is no message is passed over, up to the next header that tells a length.
    """
    length = 0
    while line := stream.readline():
        header = _LENGTH.search(line)
        if header is not None:
            length = int(header[1])
            if length > _LARGEST:
                length = 0
        elif length and not line.strip():
            body = stream.read(length)
            if len(body) < length:
                return
            yield body
            length = 0
