"""Stage 1: keeps what the lower blocks make of patches, so that a training step begins at the upper ones.

The lower blocks are those of the shipped pack, in bytes: the upper ones learn from what they will be given. Each patch
comes out of a whole picture that both labels send through the same chances: cut, scaled, encoded once or twice; then it
is taken where the appliance would look. One cache file a source and a part; what is there already stays. The shipped
logit of each patch is kept beside its tokens: the same patches compare both.
"""

import argparse
import csv
import json
import math
import sys
import zlib
from pathlib import Path

import numpy
from PIL import Image, ImageOps

sys.path.insert(0, str(Path(__file__).resolve().parent))
sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
from augment import (  # noqa: E402
    GREY_RATE, JITTER_RATE, KERNELS, NEVER_JPEG_PRIOR_RATE, SUBSAMPLINGS, encode_jpeg, jitter_colours, make_patch, reencode, turn,
)
from folds import FOLD_COUNT, assign_folds  # noqa: E402
from placement import PATCH_SIDE, choose_patches, cut_patch  # noqa: E402
from places import choose_richest, make_states  # noqa: E402
from texture import is_refused, measure_texture  # noqa: E402
from tiers import CONFOUNDS, TIERS  # noqa: E402
from whole import leave  # noqa: E402

LOWER_COUNT = 6
TOKENS_OUTPUT = f"/transformer/blocks.{LOWER_COUNT - 1}/Add_8_output_0"
BATCH_COUNT = 16
PIXELS_MAX = 120_000_000

LEARNT_PICTURES_MAX = 8
LEARNT_PATCHES_PER_PICTURE = 8
"""Of a source that has so many pictures; of fewer pictures more each."""
VIEWS_PER_PICTURE = (2, 4)
PATCHES_PER_VIEW = 4
VIEWS_PER_CROP = 2
JUDGED_PICTURES = 2
"""The first ones of a source by name: a source with 40 pictures says little more than one with two."""

REGION_SIDE = 1024
"""A larger picture at its own size is cut to a square of this before it is encoded again."""
REGION_GRID_PX = 16
SCALED_SIDES = (400, 1600)
SCALE_RATE = 0.55
REDUCING_GAP = 3.0
"""A photograph is first made smaller by whole pixels down to so many times the size: a fifth of the time, nearly the same picture."""
ENCODE_RATE = 0.85
TWICE_RATE = 0.2


def open_lower(path):
    """Returns a function from uint8 [N, 128, 128, 3] to (tokens float16 [N, T, C], logits float32 [N])."""
    # Only here: what is learnt from is tested where there is no runtime.
    import onnx
    import onnxruntime

    model = onnx.load(path)
    model.graph.output.append(onnx.helper.make_empty_tensor_value_info(TOKENS_OUTPUT))
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1
    session = onnxruntime.InferenceSession(model.SerializeToString(), options)
    name = session.get_inputs()[0].name

    def see(patches):
        parts = []
        for start in range(0, len(patches), BATCH_COUNT):
            planes = patches[start : start + BATCH_COUNT].transpose(0, 3, 1, 2).astype(numpy.float32) / 255
            tokens, logits = session.run([TOKENS_OUTPUT, "logit"], {name: planes})
            parts.append((tokens.astype(numpy.float16), logits.ravel()))
        return tuple(numpy.concatenate(column) for column in zip(*parts))

    return see


def open_upright(path):
    with Image.open(path) as opened:
        return ImageOps.exif_transpose(opened).convert("RGB"), opened.format == "JPEG"


def cut_region(image, rng):
    """Cuts a square where it lands by chance, on the grid that JPEG uses."""
    side = [min(extent, REGION_SIDE) for extent in image.size]
    left, top = (
        int(rng.integers(0, (extent - part) // REGION_GRID_PX + 1)) * REGION_GRID_PX for extent, part in zip(image.size, side)
    )
    return image.crop((left, top, left + side[0], top + side[1]))


def draw_size(size, rng):
    """Returns the smaller size that a picture of this size is scaled to, or None where it stays as it is."""
    low, high = SCALED_SIDES
    wanted = math.exp(rng.uniform(math.log(low), math.log(high)))
    factor = max(wanted / max(size), PATCH_SIDE / min(size))
    return None if factor >= 0.95 else [max(PATCH_SIDE, round(extent * factor)) for extent in size]


def scale_down(image, rng):
    size = draw_size(image.size, rng)
    if size is None:
        return None
    return image.resize(size, KERNELS[int(rng.integers(len(KERNELS)))], reducing_gap=REDUCING_GAP)


def make_history(image, was_jpeg, rng):
    """Returns the picture after one chain of chances that does not know its label."""
    smaller = scale_down(image, rng) if rng.random() < SCALE_RATE else None
    image = smaller if smaller is not None else cut_region(image, rng)
    if smaller is None and not was_jpeg and rng.random() < NEVER_JPEG_PRIOR_RATE:
        image = encode_jpeg(image, int(rng.integers(75, 99)), int(rng.choice(SUBSAMPLINGS)))
    if rng.random() < JITTER_RATE:
        image = jitter_colours(image, rng)
    if rng.random() < GREY_RATE:
        image = image.convert("L").convert("RGB")
    if rng.random() < ENCODE_RATE:
        image = reencode(image, rng)
        if rng.random() < TWICE_RATE:
            left, top = (int(rng.integers(0, min(4, extent - PATCH_SIDE + 1))) for extent in image.size)
            image = reencode(image.crop((left, top, *image.size)), rng)
    return image


def draw_patches(image, rng):
    """Returns some of the patches that the appliance would look at, each turned by chance."""
    pixels = numpy.asarray(image)
    places = choose_patches(pixels)
    chosen = rng.permutation(len(places))[:PATCHES_PER_VIEW]
    return [turn(cut_patch(pixels, places[index]), rng) for index in chosen]


def learn_picture(row, picture_count, rng, pictures_max=LEARNT_PICTURES_MAX):
    """Yields (patch, what it is) of one file for learning."""
    image, was_jpeg = open_upright(row["file"])
    if row["crop"]:
        for _ in range(VIEWS_PER_CROP):
            yield make_patch(numpy.asarray(image), was_jpeg, PATCH_SIDE, rng), "learnt"
        return
    if min(image.size) < PATCH_SIDE:
        return
    low, high = VIEWS_PER_PICTURE
    wanted = pictures_max * LEARNT_PATCHES_PER_PICTURE // (picture_count * PATCHES_PER_VIEW)
    for _ in range(min(max(wanted, low), high)):
        for patch in draw_patches(make_history(image, was_jpeg, rng), rng):
            yield patch, "learnt"


def judge_picture(row, with_confounds):
    """Yields (patch, tier) where the appliance looks, in every tier and made alike; a refused picture gives none."""
    image, _ = open_upright(row["file"])
    asked = (*TIERS, *(CONFOUNDS if with_confounds else ()))
    for tier in asked if min(image.size) >= PATCH_SIDE else ():
        pixels = leave(image, tier)
        patches = numpy.stack([cut_patch(pixels, place) for place in choose_patches(pixels)])
        if not is_refused(measure_texture(patches)):
            yield from ((patch, tier.name) for patch in patches)


def move_picture(row):
    """Yields (patch, state, detail) of the most detailed places of one file and of moved, cut and mirrored copies of it."""
    image, _ = open_upright(row["file"])
    rng = numpy.random.default_rng(zlib.crc32(row["source"].encode()))
    for state, pixels in make_states(image, rng) if min(image.size) >= PATCH_SIDE else ():
        chosen, patches = choose_richest(pixels)
        if not is_refused(measure_texture(patches)):
            yield from ((patch, state, detail) for patch, (detail, _) in zip(patches, chosen))


def choose_files(rows, part, count_max):
    if part != "learnt":
        return sorted(rows, key=lambda row: row["file"])[:count_max]
    return sorted(rows, key=lambda row: zlib.crc32(Path(row["file"]).name.encode()))[:count_max]


PARTS = ("learnt", "judged", "moved")


def see_picture(row, picture_count, rng, arguments):
    """Yields (patch, what it is, …) of one file for a part."""
    if arguments.part == "learnt":
        return learn_picture(row, picture_count, rng, arguments.learnt)
    return move_picture(row) if arguments.part == "moved" else judge_picture(row, not arguments.without_confounds)


def write_source(files, target, see, arguments):
    """Writes TARGET.npy, then TARGET.json: half a source is made again."""
    rng = numpy.random.default_rng(zlib.crc32(target.name.encode()))
    patches, described = [], []
    for row in files:
        try:
            made = list(see_picture(row, len(files), rng, arguments))
        except (OSError, SyntaxError, ValueError, Image.DecompressionBombError) as error:
            print(f"left out: {row['file']}: {error}", flush=True)
            continue
        patches += [patch for patch, *_ in made]
        described += [(Path(row["file"]).name, *rest) for _, *rest in made]
    if patches:
        tokens, logits = see(numpy.stack(patches))
        numpy.save(target.with_suffix(".npy"), tokens)
    else:
        logits = numpy.zeros(0)
    text = {key: files[0][key] for key in ("label", "source", "owner", "group", "family")}
    text["patches"] = [[*row, round(float(logit), 5)] for row, logit in zip(described, logits)]
    target.with_suffix(".json").write_text(json.dumps(text), encoding="utf-8")
    return len(files), len(patches)


def read_rows(index, part, fold):
    """Returns the rows that a part is made of: what is learnt leaves the fold out, what is judged has owners and is in it."""
    with open(index, newline="", encoding="utf-8") as stream:
        rows = list(csv.DictReader(stream, delimiter="\t"))
    folds = assign_folds(rows)
    if part == "learnt":
        return [row for row, own in zip(rows, folds) if fold is None or own != fold]
    return [row for row, own in zip(rows, folds) if own is not None and fold in (None, own)]


def write_part(arguments, see):
    sources, part = {}, arguments.part
    for row in read_rows(arguments.index, part, arguments.fold):
        sources.setdefault((row["label"], row["source"], row["owner"], row["crop"]), []).append(row)
    folder = arguments.work / part
    folder.mkdir(parents=True, exist_ok=True)
    # By a hash, so that half of a cache is a fair half.
    for key in sorted(sources, key=lambda key: zlib.crc32("/".join(key).encode())):
        label, source, owner, crop = key
        target = folder / f"{label}--{source}--{crop or ('whole' if owner else 'older')}".replace(".", "_")
        if not target.with_suffix(".json").exists():
            files = choose_files(sources[key], part, arguments.learnt if part == "learnt" else arguments.judged)
            pictures, patches = write_source(files, target, see, arguments)
            print(f"{part} {label}/{source}: {pictures} pictures, {patches} patches", flush=True)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--index", type=Path, required=True)
    parser.add_argument("--model", type=Path, required=True, help="model.onnx of the shipped pack")
    parser.add_argument("--work", type=Path, required=True)
    parser.add_argument("--part", choices=PARTS, required=True)
    parser.add_argument("--fold", type=int, choices=range(FOLD_COUNT), help="made for one fold of owners; without it, for all")
    parser.add_argument("--judged", type=int, default=JUDGED_PICTURES, help="pictures of a source that are judged or moved")
    parser.add_argument("--learnt", type=int, default=LEARNT_PICTURES_MAX, help="pictures of a source that are learnt from; half of them, half of the time")
    parser.add_argument("--without-confounds", action="store_true", help="only the tiers are judged: two thirds of the time")
    arguments = parser.parse_args()
    Image.MAX_IMAGE_PIXELS = PIXELS_MAX
    write_part(arguments, open_lower(arguments.model))
