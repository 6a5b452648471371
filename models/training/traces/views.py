"""Stage 1: cuts regions out of whole pictures, so that a training step decodes no picture.

A region is a square of the picture at its native size, or of the picture scaled down, as the web does. Regions lie
where the picture has detail, since sky and blur carry no trace. One cache file a source: the corpus grows while a
training runs, and what is cut already stays.

The index has the columns label, source, owner, family, file (relative to its folder), harvest.
"""

import argparse
import csv
import json
import math
import sys
import zlib
from dataclasses import dataclass
from pathlib import Path

import numpy
from PIL import Image, ImageOps

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
from augment import KERNELS  # noqa: E402
from placement import measure_detail, place_patches  # noqa: E402

REGION_SIDE = 224
"""Room for a patch of 128 after scaling to .6 and a shift."""
REGION_SIDE_MIN = 128
NATIVE_COUNT = 4
SCALED_COUNT = 3
SCALED_SIDES = (400, 1600)
"""Long side of a scaled picture, drawn evenly in its logarithm: what sites and messengers leave."""
PICTURES_PER_SOURCE_MAX = 60
PIXELS_MAX = 120_000_000
CANDIDATE_COUNT_MAX = 64


@dataclass(frozen=True)
class Region:
    """One cut region: `first` is its offset in bytes within the source's file."""

    picture: str
    was_jpeg: bool
    scaled: bool
    width: int
    height: int
    first: int


def open_upright(path):
    """Returns (the picture upright and in RGB, whether it was a JPEG)."""
    with Image.open(path) as opened:
        return ImageOps.exif_transpose(opened).convert("RGB"), opened.format == "JPEG"


def cut_regions(image, count, rng):
    """Yields up to `count` regions, drawn from the more detailed half of an even grid."""
    pixels = numpy.asarray(image)
    height, width = pixels.shape[:2]
    side = min(REGION_SIDE, width, height)
    places = place_patches(width, height, side_px=side, align_px=8, count_max=CANDIDATE_COUNT_MAX)
    details = [measure_detail(pixels[top : top + side : 2, left : left + side : 2]) for left, top in places]
    rich = numpy.argsort(details)[::-1][: max(count, math.ceil(len(places) / 2))]
    for index in rng.permutation(rich)[:count]:
        left, top = places[index]
        yield numpy.ascontiguousarray(pixels[top : top + side, left : left + side])


def scale_down(image, rng):
    """Returns the picture with a long side drawn from SCALED_SIDES, or None if that would not make it smaller."""
    low, high = SCALED_SIDES
    wanted = math.exp(rng.uniform(math.log(low), math.log(high)))
    factor = max(wanted / max(image.size), REGION_SIDE_MIN / min(image.size))
    if factor >= 0.95:
        return None
    size = [max(REGION_SIDE_MIN, round(side * factor)) for side in image.size]
    return image.resize(size, KERNELS[int(rng.integers(len(KERNELS)))])


def cut_picture(path, rng):
    """Returns [(pixels uint8 [H, W, 3], scaled)], and whether the picture was a JPEG."""
    image, was_jpeg = open_upright(path)
    if min(image.size) < REGION_SIDE_MIN:
        return [], was_jpeg
    parts = [(pixels, False) for pixels in cut_regions(image, NATIVE_COUNT, rng)]
    for _ in range(SCALED_COUNT):
        smaller = scale_down(image, rng)
        if smaller is not None:
            parts += [(pixels, True) for pixels in cut_regions(smaller, 1, rng)]
    return parts, was_jpeg


def cut_source(rows, folder, target):
    """Writes TARGET.bin and TARGET.json of one source; the JSON comes last, so half a source is cut again."""
    rng = numpy.random.default_rng(zlib.crc32(target.name.encode()))
    kept = sorted(rows, key=lambda row: zlib.crc32(row["file"].encode()))[:PICTURES_PER_SOURCE_MAX]
    regions, first = [], 0
    with open(target.with_name(target.name + ".bin"), "wb") as stream:
        for row in kept:
            try:
                parts, was_jpeg = cut_picture(folder / row["file"], rng)
            except (OSError, SyntaxError, Image.DecompressionBombError) as error:
                print(f"left out: {row['file']}: {error}", flush=True)
                continue
            for pixels, scaled in parts:
                stream.write(pixels.tobytes())
                regions.append(Region(row["file"], was_jpeg, scaled, pixels.shape[1], pixels.shape[0], first).__dict__)
                first += pixels.nbytes
    text = json.dumps({key: rows[0][key] for key in ("label", "source", "owner", "family", "harvest")} | {"regions": regions})
    target.with_name(target.name + ".json").write_text(text, encoding="utf-8")
    return len(kept), len(regions)


def cut_all(index, folder, work):
    sources = {}
    with open(index, newline="", encoding="utf-8") as stream:
        for row in csv.DictReader(stream, delimiter="\t"):
            sources.setdefault((row["label"], row["source"]), []).append(row)
    work.mkdir(parents=True, exist_ok=True)
    for (label, source), rows in sorted(sources.items()):
        target = work / f"{label}--{source}"
        if rows[0]["harvest"] != "inside" or target.with_name(target.name + ".json").exists():
            continue
        pictures, regions = cut_source(rows, folder, target)
        print(f"{label}/{source}: {pictures} pictures, {regions} regions", flush=True)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--index", type=Path, required=True)
    parser.add_argument("--data", type=Path, required=True, help="folder that the index's files are relative to")
    parser.add_argument("--work", type=Path, required=True, help="folder of the caches, one a source")
    arguments = parser.parse_args()
    Image.MAX_IMAGE_PIXELS = PIXELS_MAX
    cut_all(arguments.index, arguments.data, arguments.work)
