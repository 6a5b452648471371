"""Owns the drawing of patches for learning from shards: both labels go through the same random chains.

A shard is decoded once, into a file that all drawing processes share. Sources weigh alike within a label and a harvest;
half of what is drawn is of the fetched corpus.
"""

import io
import json
import sys
import time
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

import numpy
import torch
from PIL import Image, ImageFilter

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
from augment import GRID_PX, KERNELS, OFF_GRID_RATE, cut, encode_jpeg, make_past, make_patch, reencode, turn  # noqa: E402
from placement import PATCH_SIDE  # noqa: E402
from tiers import JPEG_420, TIERS  # noqa: E402

CORPUS_SHARE = 0.5
SCALED_SHARE = 0.55
ENCODE_RATE, TWICE_RATE = 0.85, 0.2
RESIZE_RATE, RESIZE_RANGE = 0.2, (0.62, 1.2)
SOFTEN_RATE, NOISE_RATE, NOISE_MAX = 0.1, 0.07, 4.0
TIER_OF_KIND = dict(zip(("native", "web", "hard"), TIERS))
"""By what a region is judged: as it was found, or scaled as that tier does."""
RESCAN_INTERVAL_S = 5
NO_FOLD = -1


def decode(body):
    return numpy.asarray(Image.open(io.BytesIO(body)).convert("RGB"))


def decode_shard(table, folder, processes):
    """Writes the pixels of a shard into one file, its table with their places beside it."""
    records = json.loads(table.read_text(encoding="utf-8"))
    body = table.with_suffix(".bin").read_bytes()
    parts = [body[one["first"] : one["first"] + one["bytes"]] for one in records]
    first, target = 0, folder / table.stem
    with ProcessPoolExecutor(processes) as pool, open(target.with_suffix(".pixels"), "wb") as stream:
        for one, pixels in zip(records, pool.map(decode, parts, chunksize=32)):
            stream.write(pixels.tobytes())
            one["at"], one["height"], one["width"] = first, *pixels.shape[:2]
            first += pixels.nbytes
    temporary = target.with_suffix(".part")
    temporary.write_text(json.dumps(records), encoding="utf-8")
    temporary.rename(target.with_suffix(".json"))
    return len(records)


class Regions:
    """Everything that was decoded so far; it takes in what comes later."""

    def __init__(self, folder):
        self.folder, self.records, self.seen, self.looked = Path(folder), [], set(), 0.0
        self.rescan()

    def rescan(self):
        self.looked = time.monotonic()
        for table in sorted(self.folder.glob("*.json")):
            if table not in self.seen:
                self.seen.add(table)
                pixels = numpy.memmap(table.with_suffix(".pixels"), dtype=numpy.uint8, mode="r")
                self.records += [(one, pixels) for one in json.loads(table.read_text(encoding="utf-8"))]
        sources = {(part, label): {} for part in ("corpus", "older") for label in ("human", "artificial")}
        for number, (one, _) in enumerate(self.records):
            pool = sources["corpus" if one["owner"] else "older", one["label"]]
            pictures = pool.setdefault((one["source"], one["kind"] == "crop"), {})
            pictures.setdefault(one["picture"], []).append(number)
        self.pools = {key: [list(pictures.values()) for pictures in pool.values()] for key, pool in sources.items()}

    def pixels(self, number):
        one, pixels = self.records[number]
        count = one["height"] * one["width"] * 3
        return numpy.array(pixels[one["at"] : one["at"] + count]).reshape(one["height"], one["width"], 3)

    def draw(self, rng):
        """Returns (patch uint8 [128, 128, 3], is artificial, the fold that the source is in)."""
        if time.monotonic() - self.looked > RESCAN_INTERVAL_S:
            self.rescan()
        label = "artificial" if rng.random() < 0.5 else "human"
        pool = self.pools["corpus" if rng.random() < CORPUS_SHARE else "older", label]
        pictures = pool[rng.integers(len(pool))]
        numbers = pictures[rng.integers(len(pictures))]
        scaled = [number for number in numbers if self.records[number][0]["kind"] not in ("native", "crop")]
        native = [number for number in numbers if number not in scaled]
        chosen = scaled if scaled and (not native or rng.random() < SCALED_SHARE) else native
        number = chosen[rng.integers(len(chosen))]
        one = self.records[number][0]
        fold = NO_FOLD if one["fold"] is None else one["fold"]
        pixels = self.pixels(number)
        if one["kind"] == "crop":
            return make_patch(pixels, one["jpeg"], PATCH_SIDE, rng), label == "artificial", fold
        return make_history(Image.fromarray(pixels), one["jpeg"] or one["kind"] != "native", rng), label == "artificial", fold

    def list_judged(self):
        """Returns {(fold, tier): [(record, patches)]} of the first picture of each source with an owner."""
        found = {}
        for number, (one, _) in enumerate(self.records):
            tier = TIER_OF_KIND.get(one["kind"])
            if one["owner"] and one["rank"] == 0 and tier is not None:
                found.setdefault((one["fold"], tier.name), []).append((one, cut_corners(self.pixels(number), tier.jpeg_quality)))
        return found


def cut_corners(pixels, quality):
    """Returns up to four patches of a region as a tier of that quality leaves it; 0 encodes nothing."""
    if quality:
        pixels = numpy.asarray(encode_jpeg(Image.fromarray(pixels), quality, JPEG_420))
    axes = [sorted({0, (side - PATCH_SIDE) // GRID_PX * GRID_PX}) for side in pixels.shape[:2]]
    return numpy.stack([pixels[top : top + PATCH_SIDE, left : left + PATCH_SIDE] for top in axes[0] for left in axes[1]])


def make_history(image, was_encoded, rng):
    """Returns one patch of a region after one chain of chances that does not know its label."""
    image = make_past(image, was_encoded, rng)
    if rng.random() < RESIZE_RATE:
        factor = max(rng.uniform(*RESIZE_RANGE), (PATCH_SIDE + 3) / min(image.size))
        image = image.resize([max(PATCH_SIDE, round(side * factor)) for side in image.size], KERNELS[int(rng.integers(len(KERNELS)))])
    if rng.random() < SOFTEN_RATE:
        image = image.filter(ImageFilter.GaussianBlur(rng.uniform(0.2, 0.9)) if rng.random() < 0.6 else ImageFilter.UnsharpMask(1, int(rng.integers(30, 120)), 0))
    if rng.random() < NOISE_RATE:
        pixels = numpy.asarray(image).astype(numpy.float32)
        image = Image.fromarray(numpy.clip(pixels + rng.normal(0, rng.uniform(0.5, NOISE_MAX), pixels.shape), 0, 255).astype(numpy.uint8))
    if rng.random() < ENCODE_RATE:
        image = reencode(image, rng)
        if rng.random() < TWICE_RATE:
            left, top = (int(rng.integers(0, min(4, extent - PATCH_SIDE + 1))) for extent in image.size)
            image = reencode(image.crop((left, top, *image.size)), rng)
    return turn(numpy.asarray(cut(image, PATCH_SIDE, rng, rng.random() >= OFF_GRID_RATE)), rng)


class Draws(torch.utils.data.IterableDataset):
    """Endless batches (patches uint8, labels, folds); each process draws by a seed of its own."""

    def __init__(self, folder, count, seed):
        self.folder, self.count, self.seed = folder, count, seed

    def __iter__(self):
        worker = torch.utils.data.get_worker_info()
        rng = numpy.random.default_rng((self.seed, worker.id if worker else 0))
        regions = Regions(self.folder)
        while True:
            patches, labels, folds = zip(*(regions.draw(rng) for _ in range(self.count)))
            yield torch.from_numpy(numpy.stack(patches)), torch.tensor(labels), torch.tensor(folds)
