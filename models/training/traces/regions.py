"""Stage 1 for a GPU elsewhere: cuts what is learnt from into shards small enough to travel.

A region is a square around a place where the appliance would look. JPEG files are cut losslessly on their own grid, so
that quantisation and its traces stay; other formats become lossless WebP; what was scaled down becomes JPEG 96 (4:4:4),
which both labels share. Shards go by rank: the first pictures of every source come first, so that a part of the shards is a fair
part of the sources. Of the first picture of a source that has an owner the scaled regions are those of the tiers, to be judged by.
"""

import argparse
import csv
import io
import json
import math
import subprocess
import sys
import zlib
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

import numpy
from PIL import Image

sys.path.insert(0, str(Path(__file__).resolve().parent))
sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
from augment import KERNELS  # noqa: E402
from folds import assign_folds  # noqa: E402
from placement import PATCH_SIDE, choose_patches  # noqa: E402
from tiers import TIERS  # noqa: E402

REGION_SIDE = 224
GRID_PX = 16
REGIONS_PER_VIEW = 2
SCALED_SIDES = (400, 1600)
REDUCING_GAP = 3.0
SCALED_QUALITY = 96
SHARD_BYTES_MAX = 56_000_000
PIXELS_MAX = 120_000_000
PICTURES_MAX = {"human": 6, "artificial": 12}
"""Of a fetched source; artificial ones are fewer."""
CROPS_MAX = 10


def encode(image, **options):
    buffer = io.BytesIO()
    image.save(buffer, **options)
    return buffer.getvalue()


def choose_regions(image, count, rng):
    """Returns (left, top, width, height) around places where the appliance looks, on the grid of a JPEG's blocks."""
    found = []
    places = choose_patches(numpy.asarray(image))
    for index in rng.permutation(len(places))[:count]:
        box = []
        for offset, extent in zip(places[index], image.size):
            side = min(REGION_SIDE, extent)
            first = min(max(0, offset - (side - PATCH_SIDE) // 2), extent - side) // GRID_PX * GRID_PX
            box.append((first, side))
        (left, width), (top, height) = box
        found.append((left, top, width, height))
    return found


def cut_native(path, image, is_jpeg, box):
    left, top, width, height = box
    if is_jpeg:
        command = ["jpegtran", "-copy", "none", "-crop", f"{width}x{height}+{left}+{top}", str(path)]
        answer = subprocess.run(command, capture_output=True, check=False)
        if answer.returncode == 0:
            return answer.stdout
    return encode(image.crop((left, top, left + width, top + height)), format="WEBP", lossless=True, quality=60, method=4)


def scale(image, long_side, kernel):
    factor = max(long_side / max(image.size), PATCH_SIDE / min(image.size))
    if factor >= 0.95:
        return None
    size = [max(PATCH_SIDE, round(extent * factor)) for extent in image.size]
    return image.resize(size, kernel, reducing_gap=REDUCING_GAP)


def cut_scaled(image, is_first, rng):
    """Yields (kind, bytes) of smaller pictures: of the tiers for the first picture of a source, else by chance."""
    low, high = SCALED_SIDES
    wanted = [(tier.name, tier.long_side_max, Image.Resampling.LANCZOS) for tier in TIERS if tier.long_side_max] if is_first else [
        ("scaled", math.exp(rng.uniform(math.log(low), math.log(high))), KERNELS[int(rng.integers(len(KERNELS)))])
        for _ in range(REGIONS_PER_VIEW)
    ]
    for kind, long_side, kernel in wanted:
        smaller = scale(image, long_side, kernel)
        # A picture that is small enough stays as it is in its tier.
        smaller = image if smaller is None and is_first else smaller
        if smaller is not None:
            (left, top, width, height), = choose_regions(smaller, 1, rng)
            part = smaller.crop((left, top, left + width, top + height))
            yield kind, encode(part, format="JPEG", quality=SCALED_QUALITY, subsampling=0)


def cut_picture(task):
    """Returns ([(kind, bytes)], was JPEG) of one file; a crop stays as it is."""
    path, crop, is_first, seed = task
    rng = numpy.random.default_rng(seed)
    try:
        with Image.open(path) as opened:
            is_jpeg = opened.format == "JPEG"
            if crop:
                return [("crop", Path(path).read_bytes())], is_jpeg
            # Not turned upright: a lossless cut has the file's own grid, and learning turns patches anyway.
            image = opened.convert("RGB")
            is_jpeg_colour = is_jpeg and opened.mode in ("RGB", "L")
        if min(image.size) < PATCH_SIDE:
            return [], is_jpeg
        parts = [("native", cut_native(path, image, is_jpeg_colour, box)) for box in choose_regions(image, REGIONS_PER_VIEW, rng)]
        return parts + list(cut_scaled(image, is_first, rng)), is_jpeg
    except (OSError, SyntaxError, ValueError, Image.DecompressionBombError) as error:
        print(f"left out: {path}: {error}", flush=True)
        return [], False


def list_tasks(index):
    """Returns [(rank, row, fold)] in the order in which they travel."""
    with open(index, newline="", encoding="utf-8") as stream:
        rows = list(csv.DictReader(stream, delimiter="\t"))
    sources = {}
    for row, fold in zip(rows, assign_folds(rows)):
        sources.setdefault((row["label"], row["source"], row["owner"], row["crop"]), []).append((row, fold))
    tasks = []
    for files in sources.values():
        first = files[0][0]
        most = CROPS_MAX if first["crop"] else PICTURES_MAX[first["label"]]
        ordered = sorted(files, key=lambda item: zlib.crc32(Path(item[0]["file"]).name.encode()))[:most]
        tasks += [(rank // 2 if first["crop"] else rank, row, fold) for rank, (row, fold) in enumerate(ordered)]
    return sorted(tasks, key=lambda task: (task[0], zlib.crc32(task[1]["file"].encode())))


class Shards:
    """Files of bytes with a table each; the table comes last, so half a shard is made again."""

    def __init__(self, folder):
        self.folder, self.number, self.parts, self.size, self.table = folder, 0, [], 0, []

    def add(self, described, body):
        if self.size + len(body) > SHARD_BYTES_MAX:
            self.close()
        self.table.append({**described, "first": self.size, "bytes": len(body)})
        self.parts.append(body)
        self.size += len(body)

    def close(self):
        if self.parts:
            name = self.folder / f"shard-{self.number:02}"
            name.with_suffix(".bin").write_bytes(b"".join(self.parts))
            name.with_suffix(".json").write_text(json.dumps(self.table), encoding="utf-8")
            print(f"{name.name}: {len(self.table)} regions, {self.size / 1e6:.1f} MB", flush=True)
            self.number, self.parts, self.size, self.table = self.number + 1, [], 0, []


def run(arguments):
    arguments.out.mkdir(parents=True, exist_ok=True)
    tasks, shards = list_tasks(arguments.index), Shards(arguments.out)
    print(f"{len(tasks)} pictures", flush=True)
    asked = [(row["file"], row["crop"], rank == 0 and bool(row["owner"]), zlib.crc32(row["file"].encode())) for rank, row, _ in tasks]
    with ProcessPoolExecutor(arguments.processes) as pool:
        for (rank, row, fold), (parts, was_jpeg) in zip(tasks, pool.map(cut_picture, asked, chunksize=8)):
            for kind, body in parts:
                described = {key: row[key] for key in ("label", "source", "owner", "group", "family")}
                shards.add({**described, "fold": fold, "rank": rank, "kind": kind, "jpeg": was_jpeg, "picture": Path(row["file"]).name}, body)
    shards.close()


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--index", type=Path, required=True, help="table of index.py")
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--processes", type=int, default=2)
    Image.MAX_IMAGE_PIXELS = PIXELS_MAX
    run(parser.parse_args())
