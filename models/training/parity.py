"""Owns the media made by rule that the appliance must score as training does, and what training's own code says of them.

The golden inputs of a pack are whole patches; here a picture is placed, cut and
laid out as well, by this folder's code on one side and by the appliance's on the other.
"""

import json

import numpy
import torch

from placement import choose_patches, cut_patch
from vision_transformer import to_pixels

PARITY_FILE = "parity.json"
SIZES = ((300, 200), (128, 160), (1000, 700), (512, 512))
DIGITS = 6


def make_picture(width, height):
    """Returns the picture of the rule in test/models/parity.test.ts, uint8 [height, width, 3].

    The last rows of a large one fade, so that its detail lies at the top.
    """
    y, x, channel = numpy.indices((height, width, 3))
    value = (x * x * 3 + y * 7 + (x * y) % 37 * 5 + channel * 41) % 256
    return (value * (height - y) // height).astype(numpy.uint8)


@torch.no_grad()
def write_parity(path, model):
    """Writes positions and logits of every patch that is looked at."""
    pictures = []
    for width, height in SIZES:
        pixels = make_picture(width, height)
        positions = choose_patches(pixels)
        logits = model(to_pixels(numpy.stack([cut_patch(pixels, place) for place in positions])))
        pictures.append({
            "width": width, "height": height, "positions": positions,
            "logits": [round(value, DIGITS) for value in logits.tolist()],
        })
    path.write_text(json.dumps({"pictures": pictures}) + "\n", encoding="utf-8")
