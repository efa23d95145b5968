"""The words of a text: what tells quickly which names cannot stand in it."""

from __future__ import annotations

import re
from typing import Final

_WORDS: Final = re.compile(r"[A-Za-z_]\w*")
_CUT: Final = bytes(
    code if chr(code).isalnum() or code == ord("_") else ord(" ") for code in range(128)
) + bytes(128)
"""ASCII with blanks for all that stands in no word."""


def words_in(text: str) -> frozenset[str]:
    """The words of a text, numbers left out."""
    if not text.isascii():
        return frozenset(_WORDS.findall(text))
    # To cut the text at all else is several times faster than to look for words.
    words = set(text.encode().translate(_CUT).decode().split())
    for word in [word for word in words if word < ":"]:
        words.remove(word)  # it begins with a digit, as `1e5` does
        words.update(_WORDS.findall(word))
    return frozenset(words)


def holds_word(text: str, word: str) -> bool:
    """Whether a name stands in a text as a word of its own, and not only in longer ones."""
    at = text.find(word)
    while at >= 0:
        end = at + len(word)
        if not _goes_on(text[at - 1 : at]) and not _goes_on(text[end : end + 1]):
            return True
        at = text.find(word, end)
    return False


def _goes_on(letter: str) -> bool:
    return letter == "_" or letter.isalnum()
