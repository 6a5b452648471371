"""Owns the search for near duplicates among hashes of 256 bits."""

import numpy as np

_COUNTS = np.array([bin(value).count("1") for value in range(1 << 16)], dtype=np.uint8)
WORDS = 16
"""A hash as words of 16 bits, which a table counts."""


class Prints:
    """Hashes that were kept, each with a name."""

    def __init__(self, near_bits):
        self.near_bits = near_bits
        self._words = np.zeros((1024, WORDS), np.uint16)
        self.names = []

    def add(self, digits, name):
        if len(self.names) == len(self._words):
            self._words = np.concatenate([self._words, np.zeros_like(self._words)])
        self._words[len(self.names)] = to_words(digits)
        self.names.append(name)

    def find(self, digits):
        """Returns the names of those that are near, the nearest first."""
        if not self.names:
            return []
        bits = _COUNTS[self._words[: len(self.names)] ^ to_words(digits)].sum(axis=1, dtype=np.int64)
        return [self.names[index] for index in np.argsort(bits, kind="stable") if bits[index] <= self.near_bits]


def to_words(digits):
    if len(digits) != 64:
        raise ValueError(f"expected 64 hexadecimal digits, found {len(digits)}")
    return np.frombuffer(bytes.fromhex(digits), ">u2").astype(np.uint16)
