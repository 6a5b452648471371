"""Owns the media made by rule that the appliance must score as training does, and what training's own code says of them.

The golden inputs of a pack are whole patches; here a picture is placed, cut and
laid out as well, by this folder's code on one side and by the appliance's on the other.
"""

import json

import numpy
import torch

from placement import place_patches
from scoring import cut_views
from train import to_tensor

PARITY_FILE = "parity.json"
SIZES = ((300, 200), (128, 160), (1000, 700))
DIGITS = 6


def make_picture(width, height):
    """Returns the picture of the rule in test/models/parity.test.ts, uint8 [height, width, 3]."""
    y, x, channel = numpy.indices((height, width, 3))
    return ((x * x * 3 + y * 7 + (x * y) % 37 * 5 + channel * 41) % 256).astype(numpy.uint8)


@torch.no_grad()
def write_parity(pack, model, count_max):
    """Writes positions and logits of every patch of the pictures."""
    pictures = []
    for width, height in SIZES:
        logits = model(to_tensor(numpy.stack(cut_views(make_picture(width, height), count_max))))
        pictures.append({
            "width": width, "height": height, "positions": place_patches(width, height, count_max=count_max),
            "logits": [round(value, DIGITS) for value in logits.tolist()],
        })
    (pack / PARITY_FILE).write_text(json.dumps({"pictures": pictures}) + "\n", encoding="utf-8")
