"""Stage 2: makes the views that are learnt from: each face in several histories, and forged ones of each human face.

Both labels go through the same histories of scaling, colour and re-encoding. A
forged face borrows from faces of its own fold only, so that no test face ever
leaks into a training. Every view depends on the seed and its number alone.
"""

import argparse
import json
import math
import os
import sys
from pathlib import Path

import numpy
from PIL import Image

sys.path.append(str(Path(__file__).parents[1]))

from augment import GREY_RATE, jitter_colours, reencode  # noqa: E402

from faces import FaceCollection  # noqa: E402
from forge import forge  # noqa: E402
from views import SIDE, cut_square  # noqa: E402

VIEWS_FILE = "views.bin"
VIEW_INDEX_FILE = "views.json"
HUMAN_COUNT = 7
"""Views of a human face as it is, and as many forged ones."""
FAKE_COUNT = 16
JITTER_RATE = 0.35
REENCODE_RATE = 0.75
TWICE_RATE = 0.2
RESIZE_RATE = 0.5
SCALE_RANGE = (0.45, 1.2)
SIDE_MIN_PX = 40
MARGINS = (1.05, 1.6)
"""Side of the square in sides of the face: around what the appliance cuts, and as tight as portraits are."""
FORGED_SIDE_MAX_PX = 200
"""Faces are forged no larger than this: the view is smaller, and a large region takes long."""


def limit(image, box):
    """Scales a region down whose face is larger than is worth forging; returns (image, box)."""
    factor = min(1.0, FORGED_SIDE_MAX_PX / max(box[2] - box[0], box[3] - box[1]))
    if factor == 1.0:
        return image, list(box)
    size = [max(1, round(side * factor)) for side in image.size]
    return image.resize(size, Image.Resampling.LANCZOS), [value * factor for value in box]


def age(image, box, rng):
    """Gives a region a history: colours, size, one or two compressions; returns (image, box)."""
    if rng.random() < JITTER_RATE:
        image = jitter_colours(image, rng)
    if rng.random() < GREY_RATE:
        image = image.convert("L").convert("RGB")
    if rng.random() < RESIZE_RATE:
        lowest = max(SCALE_RANGE[0], SIDE_MIN_PX / max(1.0, box[2] - box[0]))
        if lowest < SCALE_RANGE[1]:
            factor = math.exp(rng.uniform(math.log(lowest), math.log(SCALE_RANGE[1])))
            kernel = (Image.Resampling.BILINEAR, Image.Resampling.BICUBIC, Image.Resampling.LANCZOS)[int(rng.integers(3))]
            image = image.resize([max(1, round(side * factor)) for side in image.size], kernel)
            box = [value * factor for value in box]
    if rng.random() < REENCODE_RATE:
        image = reencode(image, rng)
        if rng.random() < TWICE_RATE:
            image = reencode(image, rng)
    return image, box


def cut_view(image, box, rng):
    """Cuts the square with a little shift and a margin of its own; half of them mirrored.

    Portraits that were cut tightly have no room for the full margin. Were it fixed
    for the others, the margin alone would tell the collections apart.
    """
    face_side = max(box[2] - box[0], box[3] - box[1])
    side = min(face_side * rng.uniform(*MARGINS), image.width, image.height)
    left = (box[0] + box[2]) / 2 - side / 2 + rng.uniform(-0.05, 0.05) * face_side
    top = (box[1] + box[3]) / 2 - side / 2 + rng.uniform(-0.05, 0.05) * face_side
    view = numpy.asarray(cut_square(image, left, top, side))
    return view[:, ::-1] if rng.random() < 0.5 else view


def make_view(collection, face, other, rng, forged):
    """Returns (view uint8 [SIDE, SIDE, 3], kind of fake or "")."""
    image, box = limit(Image.fromarray(collection.read(face)), face.box)
    kind = ""
    if forged:
        other_image, other_box = limit(Image.fromarray(collection.read(other)), other.box)
        image, kind = forge(image, box, other_image, other_box, rng)
    image, box = age(image, box, rng)
    return cut_view(image, box, rng), kind


def list_views(faces):
    """Returns (face number, whether it is forged) of every view."""
    listed = []
    for number, face in enumerate(faces):
        if face.is_artificial:
            listed.extend((number, False) for _ in range(FAKE_COUNT))
        else:
            listed.extend((number, index % 2 == 1) for index in range(2 * HUMAN_COUNT))
    return listed


def extract(work, seed):
    collection = FaceCollection(work)
    faces = collection.faces
    partners = {}
    for number, face in enumerate(faces):
        if not face.is_artificial:
            partners.setdefault((face.set, face.fold), []).append(number)
    entries = []
    temporary = work / f"{VIEWS_FILE}.tmp"
    with open(temporary, "wb") as stream:
        for index, (number, forged) in enumerate(list_views(faces)):
            rng = numpy.random.default_rng((seed, index))
            face = faces[number]
            other = face
            if forged:
                choices = partners[face.set, face.fold]
                other = faces[choices[int(rng.integers(len(choices)))]]
            view, kind = make_view(collection, face, other, rng, forged)
            stream.write(numpy.ascontiguousarray(view).tobytes())
            entries.append([number, int(forged or face.is_artificial), kind])
            if index % 2000 == 0:
                print(f"{index} views", flush=True)
    os.replace(temporary, work / VIEWS_FILE)
    body = {"sha256": collection.sha256, "seed": seed, "views": entries}
    (work / VIEW_INDEX_FILE).write_text(json.dumps(body), encoding="utf-8")
    print(f"{len(entries)} views of {len(faces)} faces")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--work", type=Path, required=True)
    parser.add_argument("--seed", type=int, default=1)
    arguments = parser.parse_args()
    extract(arguments.work, arguments.seed)
