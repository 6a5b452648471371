"""Owns which sources of the inside harvest fit the weights, and which ones choose between networks. Pure."""

import zlib

CHOOSING_SHARE = 5
"""One in five owners chooses."""


def is_chosen_by(described):
    """Whether a source is kept for choosing: by its owner, and only if it has one (the older collection always fits)."""
    owner = described["owner"].lower()
    return owner != "" and zlib.crc32(f"choose:{owner}".encode()) % CHOOSING_SHARE == 0
