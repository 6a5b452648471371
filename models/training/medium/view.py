"""Stage 2: what the first layers of the shipped content model (`models/nsfw`, a MobileNet v2) say of the whole picture, stretched to
224 × 224 as the appliance does: 1,280 averages over the picture. In all tiers asked for; goes on where it was cut off.
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
from tiers import TIERS  # noqa: E402
from whole import leave, open_picture  # noqa: E402

SIDE = 224
FEATURE_COUNT = 1280
LINES, ROWS = "view.jsonl", "view.f16"
PIXELS_MAX = 60_000_000


def find_features(model):
    """Returns the name of what the first dense layer reads: the averages of the last maps."""
    return next(node.input[0] for node in model.graph.node if node.op_type in ("MatMul", "Gemm"))


def open_body(path):
    model = onnx.load(path)
    name = find_features(model)
    model.graph.output.append(onnx.helper.make_tensor_value_info(name, onnx.TensorProto.FLOAT, ["batch", FEATURE_COUNT]))
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1
    session = onnxruntime.InferenceSession(model.SerializeToString(), options, providers=["CPUExecutionProvider"])
    return lambda view: session.run([name], {"pixels": view.transpose(2, 0, 1)[None].astype(numpy.float32) / 255})[0][0]


def stretch(pixels):
    """Returns uint8 [224, 224, 3]: bilinear with the corners on the corner pixels, nothing averaged (kernel `align-corners`)."""
    for axis in (0, 1):
        places = numpy.arange(SIDE) * ((pixels.shape[axis] - 1) / (SIDE - 1))
        low = numpy.minimum(places.astype(int), pixels.shape[axis] - 1)
        high = numpy.minimum(low + 1, pixels.shape[axis] - 1)
        share = (places - low).reshape([-1 if one == axis else 1 for one in range(3)])
        pixels = numpy.take(pixels, low, axis).astype(numpy.float32) * (1 - share) + numpy.take(pixels, high, axis) * share
    return numpy.rint(pixels).astype(numpy.uint8)


def extract(arguments):
    run = open_body(arguments.model)
    arguments.out.mkdir(parents=True, exist_ok=True)
    lines, rows = arguments.out / LINES, arguments.out / ROWS
    known = [json.loads(line) for line in lines.read_text(encoding="utf-8").splitlines()] if lines.exists() else []
    seen = {(one["file"], one["tier"]) for one in known}
    with open(arguments.index, newline="", encoding="utf-8") as stream:
        wanted = list(csv.DictReader(stream, delimiter="\t"))
    with open(lines, "a", encoding="utf-8") as said, open(rows, "ab") as kept:
        kept.truncate(len(known) * FEATURE_COUNT * 2)
        for row in wanted:
            tiers = [tier for tier in TIERS if tier.name in arguments.tier and (row["file"], tier.name) not in seen]
            try:
                image = open_picture(row["file"]) if tiers else None
            except (OSError, ValueError, Image.DecompressionBombError) as error:
                print(f"{row['file']}: {error}", file=sys.stderr)
                continue
            for tier in tiers:
                kept.write(run(stretch(leave(image, tier))).astype(numpy.float16).tobytes())
                kept.flush()
                said.write(json.dumps({"file": row["file"], "tier": tier.name, "size": image.size}) + "\n")
                said.flush()


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--index", type=Path, required=True)
    parser.add_argument("--model", type=Path, required=True, help="model.onnx of nsfw")
    parser.add_argument("--tier", action="append", choices=[tier.name for tier in TIERS], required=True)
    parser.add_argument("--out", type=Path, required=True)
    Image.MAX_IMAGE_PIXELS = PIXELS_MAX
    extract(parser.parse_args())
