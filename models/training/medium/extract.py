"""Stage 2: what the image-origin network sees of each picture in each tier: the mean of its features over the places that the
appliance looks at, and its own answer. Goes on where it was cut off.

Writes lines of JSON (file, tier, size, logit, places, texture) and a file of float16 rows of 1,536.
"""

import argparse
import csv
import json
import sys
from pathlib import Path

import numpy
import onnx
import onnxruntime
from PIL import Image

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
from placement import PATCH_COUNT_MAX, PATCH_SIDE, choose_patches, cut_patch  # noqa: E402
from texture import measure_texture  # noqa: E402
from tiers import TIERS  # noqa: E402
from whole import leave, open_picture  # noqa: E402

FEATURES = "/transformer/Concat_3_output_0"
"""Of the shipped graph: class token and mean token of both taps, before the regressions standardise them."""
FEATURE_COUNT = 1536
LINES, ROWS = "features.jsonl", "features.f16"
PIXELS_MAX = 60_000_000


def open_network(path):
    model = onnx.load(path)
    model.graph.output.append(onnx.helper.make_tensor_value_info(FEATURES, onnx.TensorProto.FLOAT, ["count", FEATURE_COUNT]))
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1
    session = onnxruntime.InferenceSession(model.SerializeToString(), options, providers=["CPUExecutionProvider"])

    def run(patches):
        return session.run(["logit", FEATURES], {"pixels": patches.transpose(0, 3, 1, 2).astype(numpy.float32) / 255})

    return run


def spread(places, count):
    """Returns so many of the places, evenly over them."""
    kept = min(count, len(places))
    return [places[index * len(places) // kept] for index in range(kept)]


def read_state(image, tier, counts, run):
    """Returns (line, features [FEATURE_COUNT]) of the picture as the tier leaves it."""
    pixels = leave(image, tier)
    looked, kept = counts
    places = spread(choose_patches(pixels, looked), kept)
    patches = numpy.stack([cut_patch(pixels, place) for place in places])
    logits, features = run(patches)
    texture = [round(value, 4) for value in measure_texture(patches)]
    line = {"logit": round(float(logits.mean()), 4), "places": len(places), "texture": texture}
    return line, features.mean(axis=0).astype(numpy.float16)


def extract(arguments):
    run = open_network(arguments.model)
    lines, rows = arguments.out / LINES, arguments.out / ROWS
    known = [json.loads(line) for line in lines.read_text().splitlines()] if lines.exists() else []
    seen = {(one["file"], one["tier"]) for one in known}
    with open(arguments.index, newline="", encoding="utf-8") as stream:
        wanted = list(csv.DictReader(stream, delimiter="\t"))
    arguments.out.mkdir(parents=True, exist_ok=True)
    with open(lines, "a", encoding="utf-8") as said, open(rows, "ab") as kept:
        kept.truncate(len(known) * FEATURE_COUNT * numpy.dtype(numpy.float16).itemsize)
        for row in wanted:
            tiers = [tier for tier in TIERS if tier.name in arguments.tier and (row["file"], tier.name) not in seen]
            if not tiers:
                continue
            try:
                image = open_picture(row["file"])
            except (OSError, ValueError, Image.DecompressionBombError) as error:
                print(f"{row['file']}: {error}", file=sys.stderr)
                continue
            if min(image.size) < PATCH_SIDE:
                continue
            for tier in tiers:
                line, features = read_state(image, tier, (arguments.places, arguments.spread or arguments.places), run)
                kept.write(features.tobytes())
                kept.flush()
                said.write(json.dumps({"file": row["file"], "tier": tier.name, "size": image.size, **line}) + "\n")
                said.flush()


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--index", type=Path, required=True)
    parser.add_argument("--model", type=Path, required=True, help="model.onnx of assay-transformer")
    parser.add_argument("--tier", action="append", choices=[tier.name for tier in TIERS], required=True)
    parser.add_argument("--places", type=int, default=PATCH_COUNT_MAX)
    parser.add_argument("--spread", type=int, help="only so many of these places: enough to learn from")
    parser.add_argument("--out", type=Path, required=True)
    Image.MAX_IMAGE_PIXELS = PIXELS_MAX
    extract(parser.parse_args())
