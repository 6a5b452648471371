"""Owns the cache of decoded crops: one flat byte file and one index.

Everything after the prepare stage reads pictures from here, decoded once, so
that training never waits for a disk or a decoder.
"""

import json
from dataclasses import asdict, dataclass
from pathlib import Path

import numpy

PIXELS_FILE = "crops.bin"
INDEX_FILE = "crops.json"


@dataclass
class Crop:
    """One decoded crop. `original_long_side` is the picture's, in pixels, before it was cropped."""

    label: str
    source: str
    family: str
    kind: str
    file: str
    original_long_side: int
    original_format: str
    fold: int
    height: int
    width: int
    offset: int

    @property
    def is_artificial(self):
        return self.label == "artificial"

    @property
    def was_jpeg(self):
        return self.original_format in ("JPEG", "MPO")


class CropCollection:
    """The cached crops, all pixels in memory."""

    def __init__(self, work_folder):
        folder = Path(work_folder)
        index = json.loads((folder / INDEX_FILE).read_text(encoding="utf-8"))
        self.sha256 = index["sha256"]
        self.crops = [Crop(**entry) for entry in index["crops"]]
        self.pixels = numpy.fromfile(folder / PIXELS_FILE, dtype=numpy.uint8)

    def read(self, crop):
        """Returns the crop's pixels, uint8 [height, width, 3], RGB."""
        count = crop.height * crop.width * 3
        return self.pixels[crop.offset : crop.offset + count].reshape(crop.height, crop.width, 3)

    def in_folds(self, folds):
        return [crop for crop in self.crops if crop.fold in folds]


def write_collection(work_folder, crops, sha256):
    """Writes the index last and by rename, so that an index never lacks its pixels."""
    folder = Path(work_folder)
    temporary = folder / (INDEX_FILE + ".tmp")
    body = {"sha256": sha256, "crops": [asdict(crop) for crop in crops]}
    temporary.write_text(json.dumps(body, indent=0), encoding="utf-8")
    temporary.rename(folder / INDEX_FILE)
