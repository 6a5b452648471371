"""Owns the hashes of the collection that is at hand, so that nothing of it is counted twice."""

from pathlib import Path

import numpy as np
from PIL import Image

from pdq import REDUCED_SIDE, hash_picture

FOLDERS = ("whole", "image", "face", "tamper")
CACHE = "at-hand.tsv"


def read_at_hand(shared, out):
    """Returns (hash, name) of the collection's pictures; they are computed once and kept in the corpus' folder."""
    cache = Path(out) / CACHE
    if not cache.exists():
        lines = []
        for folder in FOLDERS:
            for path in sorted((Path(shared) / folder).rglob("*")):
                if path.suffix.lower() in (".jpg", ".jpeg", ".png", ".webp"):
                    lines.append(f"{hash_file(path)}\tat hand: {path.relative_to(shared)}\n")
        cache.write_text("".join(lines), encoding="utf-8")
    return [tuple(line.split("\t", 1)) for line in cache.read_text(encoding="utf-8").splitlines()]


def hash_file(path):
    picture = Image.open(path)
    picture.draft("RGB", (1024, 1024))
    picture = picture.convert("RGB")
    block = max(1, min(picture.size) // REDUCED_SIDE)
    return hash_picture(np.asarray(picture.reduce(block) if block > 1 else picture))[0]
