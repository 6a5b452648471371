"""Stage 8: edits whole pictures by program and saves them as files: what the picture's score is fitted and measured on.

Writes WORK/edits: the files, masks/ and an index files.tsv that `npm run evaluate -- --task tampering` reads. Every edit
has a twin without it: the same picture with the same history. Sources keep the folds that their crops have.
"""

import argparse
import csv
import math
import sys
from dataclasses import dataclass
from pathlib import Path

import numpy
from PIL import Image, ImageDraw

sys.path.append(str(Path(__file__).resolve().parent.parent))

from crops import CropCollection
from histories import KERNELS, SUBSAMPLINGS, change_colours, filter_pixels, scale_by
from manipulations import MANIPULATIONS, is_visible
from masks import INSIDE, SHAPE_RATES, SHAPES, to_box, to_radii
from samples import choose_kind
from whole import list_rows, open_picture

EDITS_FOLDER = "edits"
INDEX_FILE = "files.tsv"
COLUMNS = ("label", "source", "kind", "file", "fold", "edit", "tier", "quality", "side", "share", "width", "height")
SHORT_SIDE_MIN = 256
"""Of a host: what is scaled down afterwards still has to hold a tile."""
PIXELS_MAX = 4_200_000
"""Of a host; larger ones are cut at a whole block."""
EDIT_SIDE_MIN = 60
AREA_SHARE_MAX = 1 / 3
ATTEMPT_COUNT_MAX = 12
TIERS = ("clean", "recompressed", "resized")
CLEAN_QUALITIES = (88, 98)
RECOMPRESSED_QUALITIES = (50, 87)
RESIZED_QUALITIES = (70, 95)
RESIZED_SCALES = (0.5, 1.25)
LOSSLESS_RATE = 0.4
WHOLE_FILTER_RATE = 0.12
WHOLE_COLOUR_RATE = 0.2


@dataclass(frozen=True)
class Ending:
    """What happens to a whole picture after the edit; the same for its twin. Quality 100 is lossless."""

    tier: str
    scale: float
    kernel: object
    quality: int
    subsampling: int
    seed: int

    def apply(self, pixels):
        rng = numpy.random.default_rng(self.seed)
        if rng.random() < WHOLE_FILTER_RATE:
            pixels = filter_pixels(pixels, rng)
        if rng.random() < WHOLE_COLOUR_RATE:
            pixels = change_colours(pixels, rng)
        return pixels if self.scale == 1 else scale_by(pixels, self.scale, self.kernel)

    def apply_to_mask(self, mask, shape):
        image = Image.fromarray(mask.astype(numpy.uint8) * INSIDE)
        return image if self.scale == 1 else image.resize(shape[1::-1], Image.Resampling.NEAREST)

    def save(self, pixels, path):
        """Returns the file that was written."""
        image = Image.fromarray(numpy.ascontiguousarray(pixels))
        if self.quality == 100:
            file = path.with_suffix(".png")
            image.save(file, compress_level=1)
        else:
            file = path.with_suffix(".jpg")
            image.save(file, quality=self.quality, subsampling=self.subsampling)
        return file


def draw_ending(tier, shape, rng):
    scale, kernel = 1.0, None
    if tier == "resized":
        least = max(RESIZED_SCALES[0], (SHORT_SIDE_MIN - 64) / min(shape[:2]))
        scale = math.exp(rng.uniform(math.log(least), math.log(RESIZED_SCALES[1])))
        kernel = KERNELS[int(rng.integers(len(KERNELS)))]
    low, high = {"clean": CLEAN_QUALITIES, "recompressed": RECOMPRESSED_QUALITIES, "resized": RESIZED_QUALITIES}[tier]
    quality = int(rng.integers(low, high + 1))
    if tier != "recompressed" and rng.random() < LOSSLESS_RATE:
        quality = 100
    return Ending(tier, scale, kernel, quality, int(rng.choice(SUBSAMPLINGS)), int(rng.integers(2**31)))


def draw_region(shape, rng):
    """Returns a region of a picture, bool [H, W], EDIT_SIDE_MIN across to AREA_SHARE_MAX of its area."""
    height, width = shape[:2]
    while True:
        most = math.sqrt(AREA_SHARE_MAX * height * width)
        side = math.exp(rng.uniform(math.log(EDIT_SIDE_MIN), math.log(max(most, EDIT_SIDE_MIN + 1))))
        kind = SHAPES[rng.choice(len(SHAPES), p=SHAPE_RATES)]
        if kind == "rectangle":
            corners = numpy.array([[-1, -1], [1, -1], [1, 1], [-1, 1]]) * side / 2
        else:
            angles, radii = to_radii(kind, rng)
            reach = side / math.sqrt(math.pi) * radii
            corners = numpy.stack([reach * numpy.cos(angles), reach * numpy.sin(angles)], axis=1)
        aspect = math.exp(rng.normal(0, 0.3))
        corners = corners * [aspect, 1 / aspect]
        corners += rng.uniform((0, 0), (width, height))
        image = Image.new("L", (width, height))
        ImageDraw.Draw(image).polygon([tuple(corner) for corner in corners], fill=INSIDE)
        mask = numpy.asarray(image) > 0
        if (EDIT_SIDE_MIN / 2) ** 2 <= mask.sum() <= AREA_SHARE_MAX * mask.size:
            return mask


def fit_donor(donor, mask, rng):
    """Returns a window of the donor a little larger than the region, grown where the donor is too small."""
    top, bottom, left, right = to_box(mask)
    wanted = [math.ceil(1.6 * length) for length in (bottom - top, right - left)]
    short = max(length / extent for length, extent in zip(wanted, donor.shape))
    if short > 1:
        donor = scale_by(donor, short * 1.02, KERNELS[int(rng.integers(len(KERNELS)))])
    y, x = (int(rng.integers(0, extent - length + 1)) for extent, length in zip(donor.shape, wanted))
    return donor[y : y + wanted[0], x : x + wanted[1]]


def edit_picture(pixels, donor, kind, rng):
    """Returns (edited pixels, mask of what really differs)."""
    for _ in range(ATTEMPT_COUNT_MAX):
        mask = draw_region(pixels.shape, rng)
        part = fit_donor(donor, mask, rng) if kind == "splice" else donor
        edited = MANIPULATIONS[kind](pixels, mask, part, rng)
        if edited.shape == pixels.shape and is_visible(pixels, edited, mask):
            return edited, mask
    return None


class Hosts:
    def __init__(self, data, folds):
        self.data, self.rows_by_fold = data, {}
        for row in list_rows(data, folds):
            if min(int(row["width"]), int(row["height"])) < SHORT_SIDE_MIN:
                continue
            self.rows_by_fold.setdefault(folds[row["label"], row["source"]], []).append(row)

    def read(self, row):
        pixels = numpy.asarray(open_picture(self.data / row["file"]))
        height, width = pixels.shape[:2]
        if height * width > PIXELS_MAX:
            # Scaling would wipe out what an untouched picture shows of its making.
            share = math.sqrt(PIXELS_MAX / (height * width))
            rows, columns = (int(extent * share) // 8 * 8 for extent in (height, width))
            top, left = ((extent - kept) // 16 * 8 for extent, kept in ((height, rows), (width, columns)))
            pixels = pixels[top : top + rows, left : left + columns]
        return pixels

    def draw_donor(self, fold, source, rng):
        rows = [row for row in self.rows_by_fold[fold] if row["source"] != source]
        return self.read(rows[rng.integers(len(rows))])


def make_pair(hosts, row, fold, index, folder, rng):
    """Yields rows of the index: the edited picture and its twin."""
    pixels = hosts.read(row)
    kind, tier = choose_kind(rng), TIERS[index % len(TIERS)]
    made = edit_picture(pixels, hosts.draw_donor(fold, row["source"], rng) if kind == "splice" else pixels, kind, rng)
    if made is None:
        return
    edited, mask = made
    ending = draw_ending(tier, pixels.shape, rng)
    stem = f"{row['label']}-{Path(row['file']).stem}-{index}"
    for label, picture in (("human", pixels), ("edited", edited)):
        left = ending.apply(picture)
        file = ending.save(left, folder / label / stem)
        if label == "edited":
            ending.apply_to_mask(mask, left.shape).save(folder / "masks" / f"{stem}.png")
        yield {
            "label": label, "source": row["source"], "kind": row["label"], "file": str(file.relative_to(folder)), "fold": fold,
            "edit": kind if label == "edited" else "authentic", "tier": tier, "quality": ending.quality,
            "side": round(math.sqrt(mask.sum()) * ending.scale), "share": round(float(mask.mean()), 4),
            "width": left.shape[1], "height": left.shape[0],
        }


def run(work, data, count_by_label, seed):
    folder = work / EDITS_FOLDER
    for name in ("human", "edited", "masks"):
        (folder / name).mkdir(parents=True, exist_ok=True)
    folds = {(crop.label, crop.source): crop.fold for crop in CropCollection(work).crops}
    hosts = Hosts(data, folds)
    with open(folder / (INDEX_FILE + ".tmp"), "w", newline="", encoding="utf-8") as stream:
        writer = csv.DictWriter(stream, COLUMNS, delimiter="\t", lineterminator="\n")
        writer.writeheader()
        for fold, rows in sorted(hosts.rows_by_fold.items()):
            for row_index, row in enumerate(rows):
                for index in range(count_by_label[row["label"]]):
                    rng = numpy.random.default_rng((seed, fold, row_index, index))
                    writer.writerows(make_pair(hosts, row, fold, row_index + index, folder, rng))
                stream.flush()
            print(f"fold {fold}: {len(rows)} hosts", flush=True)
    (folder / (INDEX_FILE + ".tmp")).rename(folder / INDEX_FILE)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--work", type=Path, required=True)
    parser.add_argument("--data", type=Path, required=True, help="folder of whole pictures with files.tsv")
    parser.add_argument("--human", type=int, default=6, help="edits of each human picture")
    parser.add_argument("--artificial", type=int, default=3, help="edits of each artificial picture")
    parser.add_argument("--seed", type=int, default=1)
    arguments = parser.parse_args()
    Image.MAX_IMAGE_PIXELS = 100_000_000
    run(arguments.work, arguments.data, {"human": arguments.human, "artificial": arguments.artificial}, arguments.seed)
