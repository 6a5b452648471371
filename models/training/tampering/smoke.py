"""Optional stage: runs whole pictures through the shipped graph by the appliance's rule. Writes WORK/smoke.json.

The folder holds `tampered/` and `authentic/`. With a handful of pictures this shows that something works on
what people really did; it measures nothing.
"""

import argparse
import json
import sys
from pathlib import Path

import numpy
import torch
from PIL import Image, ImageOps

sys.path.append(str(Path(__file__).resolve().parent.parent))

from card import SMOKE_FILE, TILES_MAX
from export import load_shipped
from metrics import to_auc, to_probability
from placement import place_patches
from shipped import TILE_PX, fill_up
from traces import CELL_PX

LABELS = ("authentic", "tampered")
SUFFIXES = (".jpg", ".jpeg", ".png", ".webp", ".tif", ".tiff")


def cut_tiles(pixels):
    """Yields the tiles that the appliance would cut, uint8 [TILE, TILE, 3]."""
    filled = fill_up(pixels)
    for left, top in place_patches(filled.shape[1], filled.shape[0], TILE_PX, CELL_PX, TILES_MAX):
        yield filled[top : top + TILE_PX, left : left + TILE_PX]


def score_picture(shipped, path):
    """Returns the picture's log-odds: the mean of its tiles'."""
    with Image.open(path) as image:
        pixels = numpy.asarray(ImageOps.exif_transpose(image).convert("RGB"))
    log_odds = []
    with torch.no_grad():
        for tile in cut_tiles(pixels):
            values = torch.from_numpy(tile.copy()).permute(2, 0, 1).float().div_(255)
            log_odds.append(float(shipped(values.unsqueeze(0))[0, 0]))
    return float(numpy.mean(log_odds))


def run(work, data):
    shipped = load_shipped(work)
    scored = [
        (label, path.name, score_picture(shipped, path))
        for label in LABELS for path in sorted((data / label).iterdir()) if path.suffix.lower() in SUFFIXES
    ]
    is_tampered = numpy.array([label == "tampered" for label, _, _ in scored])
    log_odds = numpy.array([value for _, _, value in scored])
    called = log_odds >= 0
    result = {
        "tampered": int(is_tampered.sum()), "authentic": int((~is_tampered).sum()),
        "auc": to_auc(log_odds, is_tampered, numpy.ones(len(scored))),
        "found": int((called & is_tampered).sum()), "accused": int((called & ~is_tampered).sum()),
    }
    (work / SMOKE_FILE).write_text(json.dumps(result), encoding="utf-8")
    for label, name, value in scored:
        print(f"{label:10} {to_probability(value):.2f} {name}")
    print(result)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--work", type=Path, required=True)
    parser.add_argument("--data", type=Path, required=True, help="folder with tampered/ and authentic/")
    parser.add_argument("--threads", type=int, default=1)
    arguments = parser.parse_args()
    torch.set_num_threads(arguments.threads)
    run(arguments.work, arguments.data)
