"""Stage 1: decodes a labelled folder into the crop cache and assigns folds.

The folder holds `human/` and `artificial/`, either with an index `files.tsv`
(columns label, source, kind, file, original_size, original_format) or with one
sub-folder per source. Pictures larger than a crop are cut, never scaled.
"""

import argparse
import csv
import hashlib
from collections import Counter
from pathlib import Path

import numpy
from PIL import Image

from crops import PIXELS_FILE, Crop, write_collection
from splits import assign_folds, read_families, to_family

CROP_SIDE_MAX = 192
CROP_SIDE_MIN = 96
GRID_PX = 16
LABELS = ("human", "artificial")
SUFFIXES = (".jpg", ".jpeg", ".png", ".webp", ".bmp", ".tif", ".tiff")


def list_rows(data_folder):
    """Returns one row per picture, from files.tsv when there, else from the folders."""
    index = data_folder / "files.tsv"
    if index.exists():
        with open(index, newline="", encoding="utf-8") as stream:
            return list(csv.DictReader(stream, delimiter="\t"))
    rows = []
    for label in LABELS:
        for path in sorted((data_folder / label).glob("*/**/*")):
            if path.suffix.lower() in SUFFIXES:
                relative = path.relative_to(data_folder)
                rows.append({"label": label, "source": relative.parts[1], "file": str(relative)})
    return rows


def cut_centre(image):
    """Cuts the centre on the 16-pixel grid, so that the JPEG blocks stay where they were."""
    width, height = image.size
    left = max(0, (width - CROP_SIDE_MAX) // 2) // GRID_PX * GRID_PX
    top = max(0, (height - CROP_SIDE_MAX) // 2) // GRID_PX * GRID_PX
    return image.crop((left, top, min(width, left + CROP_SIDE_MAX), min(height, top + CROP_SIDE_MAX)))


def read_picture(data_folder, row):
    """Returns (pixels, long side of the original, format of the original)."""
    with Image.open(data_folder / row["file"]) as image:
        size = row.get("original_size") or f"{image.width}x{image.height}"
        file_format = row.get("original_format") or image.format
        pixels = numpy.asarray(cut_centre(image.convert("RGB")))
    return pixels, max(int(side) for side in size.split("x")), file_format


def prepare(data_folder, work_folder):
    work_folder.mkdir(parents=True, exist_ok=True)
    rows = list_rows(data_folder)
    families = read_families()
    sizes_by_source = Counter((row["label"], row["source"]) for row in rows)
    folds = assign_folds(sizes_by_source, families)
    crops, offset, digest = [], 0, hashlib.sha256()
    with open(work_folder / PIXELS_FILE, "wb") as stream:
        for row in rows:
            pixels, long_side, file_format = read_picture(data_folder, row)
            height, width = pixels.shape[:2]
            if min(height, width) < CROP_SIDE_MIN:
                continue
            stream.write(pixels.tobytes())
            digest.update(pixels.tobytes())
            crops.append(Crop(
                label=row["label"], source=row["source"], family=to_family(row["source"], families),
                kind=row.get("kind") or "", file=row["file"], original_long_side=long_side,
                original_format=file_format, fold=folds[row["label"], row["source"]],
                height=height, width=width, offset=offset,
            ))
            offset += pixels.size
    write_collection(work_folder, crops, digest.hexdigest())
    print_folds(crops, len(rows))


def print_folds(crops, row_count):
    print(f"{len(crops)} crops of {row_count} files")
    for fold in sorted({crop.fold for crop in crops}):
        for label in LABELS:
            inside = [crop for crop in crops if crop.fold == fold and crop.label == label]
            sources = {crop.source for crop in inside}
            print(f"fold {fold} {label:10} {len(inside):5} files {len(sources):4} sources")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, required=True, help="folder with human/ and artificial/")
    parser.add_argument("--work", type=Path, required=True, help="folder for the cache and checkpoints")
    arguments = parser.parse_args()
    prepare(arguments.data, arguments.work)
