"""Stage 2: decodes whole pictures in every tier and keeps the patches that the appliance would look at.

The folder holds an index `files.tsv` (columns label, source, kind, file). A picture stays in the fold that its
source has among the crops: a source that is not among them is left out, by name.
"""

import argparse
import csv
import json
from dataclasses import asdict, dataclass
from pathlib import Path

import numpy
from PIL import Image, ImageOps

from augment import encode_jpeg
from crops import CropCollection
from placement import PATCH_SIDE, choose_patches, cut_patch
from texture import measure_texture
from tiers import CONFOUNDS, GRID_PX, JPEG_420, TIERS

CACHES = {"whole": TIERS, "confounds": CONFOUNDS}
"""Which states of the pictures each cache holds: what is measured, and what must not matter."""
PIXELS_MAX = 100_000_000


@dataclass
class WholePicture:
    """One picture in one tier; its patches lie at `first` … `first + count` of the cache."""

    label: str
    source: str
    kind: str
    file: str
    tier: str
    fold: int
    width: int
    height: int
    texture: tuple
    first: int
    count: int

    @property
    def is_artificial(self):
        return self.label == "artificial"


def leave(image, tier):
    """Returns the picture's pixels as the tier leaves them; no side is scaled below a patch."""
    if tier.long_side_max:
        wanted = min(1.0, tier.long_side_max / max(image.size))
        scale = max(wanted, min(1.0, PATCH_SIDE / min(image.size)))
        if scale < 1:
            image = image.resize([round(side * scale) for side in image.size], Image.Resampling.LANCZOS)
    if tier.crop_side:
        left, top = (max(0, side - tier.crop_side) // 2 // GRID_PX * GRID_PX for side in image.size)
        image = image.crop((left, top, min(image.width, left + tier.crop_side), min(image.height, top + tier.crop_side)))
    if tier.jpeg_quality:
        image = encode_jpeg(image, tier.jpeg_quality, JPEG_420)
    return numpy.asarray(image)


def open_picture(path):
    """Returns the picture upright and in RGB."""
    with Image.open(path) as opened:
        return ImageOps.exif_transpose(opened).convert("RGB")


def list_rows(data_folder, folds):
    """Returns the rows whose source has a fold; says which sources have none."""
    with open(data_folder / "files.tsv", newline="", encoding="utf-8") as stream:
        rows = list(csv.DictReader(stream, delimiter="\t"))
    left_out = sorted({f"{row['label']}/{row['source']}" for row in rows if (row["label"], row["source"]) not in folds})
    print(f"left out, of sources without crops: {', '.join(left_out) or 'none'}")
    return [row for row in rows if (row["label"], row["source"]) in folds]


def prepare_cache(name, data_folder, work_folder, folds):
    pictures, patch_count = [], 0
    with open(work_folder / f"{name}.bin", "wb") as stream:
        for row in list_rows(data_folder, folds):
            image = open_picture(data_folder / row["file"])
            if min(image.size) < PATCH_SIDE:
                continue
            for tier in CACHES[name]:
                pixels = leave(image, tier)
                patches = numpy.stack([cut_patch(pixels, place) for place in choose_patches(pixels)])
                stream.write(patches.tobytes())
                pictures.append(WholePicture(
                    label=row["label"], source=row["source"], kind=row.get("kind") or "", file=row["file"],
                    tier=tier.name, fold=folds[row["label"], row["source"]], width=pixels.shape[1],
                    height=pixels.shape[0], texture=measure_texture(patches), first=patch_count, count=len(patches),
                ))
                patch_count += len(patches)
    text = json.dumps([asdict(picture) for picture in pictures], indent=0)
    (work_folder / f"{name}.json").write_text(text, encoding="utf-8")
    print(f"{name}: {len(pictures)} pictures in {len(CACHES[name])} states, {patch_count} patches", flush=True)


def read_pictures(work_folder, name):
    """Returns the pictures of a cache, in its order."""
    rows = json.loads((work_folder / f"{name}.json").read_text(encoding="utf-8"))
    return [WholePicture(**{**row, "texture": tuple(row["texture"])}) for row in rows]


def open_patches(work_folder, name):
    """Returns all patches of a cache, uint8 [N, 128, 128, 3], read from the disk as they are used."""
    shape = (-1, PATCH_SIDE, PATCH_SIDE, 3)
    return numpy.memmap(work_folder / f"{name}.bin", dtype=numpy.uint8, mode="r").reshape(shape)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, required=True, help="folder with files.tsv")
    parser.add_argument("--work", type=Path, required=True)
    arguments = parser.parse_args()
    Image.MAX_IMAGE_PIXELS = PIXELS_MAX
    known = {(crop.label, crop.source): crop.fold for crop in CropCollection(arguments.work).crops}
    for cache in CACHES:
        prepare_cache(cache, arguments.data, arguments.work, known)
