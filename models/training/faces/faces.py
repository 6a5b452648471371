"""Owns the cache of faces: each with its surroundings at native resolution, and its box."""

import json
from dataclasses import dataclass
from pathlib import Path

import numpy

PIXELS_FILE = "faces.bin"
INDEX_FILE = "faces.json"


@dataclass
class FaceEntry:
    """One face. `box` (left, top, right, bottom) is in pixels of the region, `left` is the region's in the picture."""

    label: str
    source: str
    kind: str
    file: str
    box: list
    left: int
    picture: list
    width: int
    height: int
    offset: int
    fold: int

    @property
    def is_artificial(self):
        return self.label == "artificial"

    @property
    def side(self):
        """Short side of the box in pixels, what `minimumFaceSide` speaks of."""
        return min(self.box[2] - self.box[0], self.box[3] - self.box[1])

    @property
    def is_paired(self):
        """Whether the same frame is there with another face, or with its own."""
        return self.file.startswith("pairs/")


class FaceCollection:
    """The cached faces, all pixels in memory."""

    def __init__(self, work_folder):
        folder = Path(work_folder)
        index = json.loads((folder / INDEX_FILE).read_text(encoding="utf-8"))
        self.sha256 = index["sha256"]
        self.faces = [FaceEntry(**entry) for entry in index["faces"]]
        self.pixels = numpy.fromfile(folder / PIXELS_FILE, dtype=numpy.uint8)

    def read(self, face):
        """Returns the region, uint8 [height, width, 3], RGB."""
        count = face.height * face.width * 3
        return self.pixels[face.offset : face.offset + count].reshape(face.height, face.width, 3)
