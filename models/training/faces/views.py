"""Owns the square that a model sees of a face; the appliance follows the same rule."""

import io
import math

import numpy
from PIL import Image

SIDE = 224
MARGIN = 1.3
"""Side of the cut square in sides of the face box."""
TIERS = {"clean": None, "web": (768, 60), "hard": (512, 40)}
"""Name: (the picture's longest side in pixels, JPEG quality), as for the image models."""
CONFOUNDS = ("one-format", "one-size", "grey")
"""Every picture made a JPEG of quality 90; every face scaled to the same side; every picture made grey."""
VARIANTS = ("mirrored", "wide")
"""Learnt from besides the tiers: the face turned about, and with more around it."""
WIDE_MARGIN = 1.5
ONE_FORMAT_QUALITY = 90
ONE_SIZE_PX = 64
SUBSAMPLING_420 = 2


def place_axis(low, high, side, extent):
    """Returns where the square begins: centred on the face, moved inside where it reaches beyond."""
    return max(0, min(math.floor((low + high) / 2 - side / 2 + 0.5), extent - side))


def place_square(face, margin=MARGIN):
    """Returns (left, top, side) in pixels of the region; a face that fills its picture has a smaller margin."""
    left, top, right, bottom = face.box
    wanted = math.floor(max(right - left, bottom - top) * margin + 0.5)
    side = max(1, min(wanted, face.width, face.height))
    return place_axis(left, right, side, face.width), place_axis(top, bottom, side, face.height), side


def cut_square(image, left, top, side, out_side=SIDE):
    """Cuts and scales a square inside the image."""
    left, top = max(0.0, min(left, image.width - side)), max(0.0, min(top, image.height - side))
    box = (left, top, min(left + side, image.width), min(top + side, image.height))
    return image.resize((out_side, out_side), Image.Resampling.BILINEAR, box=box)


def to_jpeg(image, quality):
    buffer = io.BytesIO()
    image.save(buffer, "JPEG", quality=quality, subsampling=SUBSAMPLING_420)
    return Image.open(buffer).convert("RGB")


def scale(image, factor):
    return image.resize([max(1, round(side * factor)) for side in image.size], Image.Resampling.LANCZOS)


def degrade(image, face, tier):
    """Returns (image, factor): the region as it looks after the whole picture went through a tier or confound."""
    if tier == "one-format":
        return to_jpeg(image, ONE_FORMAT_QUALITY), 1.0
    if tier == "grey":
        return image.convert("L").convert("RGB"), 1.0
    if tier == "one-size":
        factor = ONE_SIZE_PX / face.side
        return scale(image, factor), factor
    if TIERS.get(tier) is None:
        return image, 1.0
    long_side, quality = TIERS[tier]
    factor = min(1.0, long_side / max(face.picture))
    return to_jpeg(scale(image, factor) if factor < 1 else image, quality), factor


def make_view(pixels, face, name="clean"):
    """Returns the view of a face in a tier, confound or variant, uint8 [SIDE, SIDE, 3]."""
    image, factor = degrade(Image.fromarray(pixels), face, name)
    left, top, side = place_square(face, WIDE_MARGIN if name == "wide" else MARGIN)
    view = numpy.asarray(cut_square(image, left * factor, top * factor, side * factor))
    return view[:, ::-1] if name == "mirrored" else view
