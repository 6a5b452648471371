"""Stage 7: writes what training says of media made by rule, which the appliance must say too (test/models/parity.test.ts).

The golden inputs of a pack are whole patches; here files are read, turned, placed, cut and pooled as well, by this
folder's code on one side and by a running appliance on the other. `test/media/parity-media.ts` makes the files.
"""

import argparse
import hashlib
import json
import subprocess
from pathlib import Path

import numpy
import torch
from PIL import Image

from calibrate import CALIBRATION_FILE
from crops import CropCollection
from export import MODEL_FILE, PACKS_FOLDER, make_detector
from extract import open_transformer
from manifest import MANIFEST_FILE, PACK_ID
from metrics import to_probability
from placement import PATCH_COUNT_MAX, choose_patches, cut_patch
from texture import is_refused, measure_texture
from vision_transformer import to_pixels
from whole import PIXELS_MAX, open_picture

PARITY_FILE = "parity.json"
PICTURES = (".png", ".jpg", ".webp")
FILM = "film.mp4"
FILM_SIZE = (480, 320)
DIGITS = 6
FRAME_PATCHES_MAX = 16
"""As in src/engine/analyses/image-patches.ts."""
LUMA_BLACK, LUMA_STEPS = 16, 219
DECIDING_SHARE, DECIDING_MIN = 1 / 5, 2
"""Of a video's frames: as in src/domain/video-verdict.ts."""


def read_film(path):
    """Yields the frames of a grey film, uint8 [H, W, 3]: ITU-R BT.601 without colour is its brightness, stretched."""
    width, height = FILM_SIZE
    decode = ("ffmpeg", "-v", "error", "-i", path, "-vsync", "passthrough", "-pix_fmt", "yuv420p", "-f", "rawvideo", "-")
    body = subprocess.run(decode, check=True, capture_output=True).stdout
    planes = numpy.frombuffer(body, numpy.uint8).reshape(-1, width * height * 3 // 2)
    for luma in planes[:, : width * height].reshape(-1, height, width).astype(float):
        grey = numpy.clip(numpy.floor((luma - LUMA_BLACK) * 255 / LUMA_STEPS + 0.5), 0, 255).astype(numpy.uint8)
        yield numpy.repeat(grey[:, :, None], 3, axis=2)


@torch.no_grad()
def look(pixels, model, count_max=PATCH_COUNT_MAX):
    """Returns what is seen in uint8 [H, W, 3], to be written, and the mean of the logits."""
    positions = choose_patches(pixels, count_max)
    patches = numpy.stack([cut_patch(pixels, place) for place in positions])
    if is_refused(measure_texture(patches)):
        raise SystemExit("expected a picture that is not refused")
    logits = model(to_pixels(patches)).double().tolist()
    seen = {
        "width": pixels.shape[1], "height": pixels.shape[0], "positions": positions,
        "patchesSha256": hashlib.sha256(patches.tobytes()).hexdigest(),
        "logits": [round(value, DIGITS) for value in logits],
    }
    return seen, sum(logits) / len(logits)


def conclude(logit, line):
    log_odds = line[0] * logit + line[1]
    return {"logOdds": round(log_odds, DIGITS), "probability": round(float(to_probability(log_odds)), DIGITS)}


def judge_picture(path, model, line):
    seen, logit = look(numpy.asarray(open_picture(path)), model)
    return {"file": path.name, "views": [seen], **conclude(logit, line)}


def judge_film(path, model, line):
    views, logits = zip(*(look(pixels, model, FRAME_PATCHES_MAX) for pixels in read_film(path)))
    deciding = max(DECIDING_MIN, round(len(logits) * DECIDING_SHARE))
    return {"file": path.name, "views": views, **conclude(numpy.mean(sorted(logits)[-deciding:]), line)}


def open_work(work_folder):
    """Returns (the network as training has it and its calibration, the same for the frames of videos, the folder of the pack)."""
    model = make_detector(work_folder, open_transformer(work_folder, CropCollection(work_folder)), "all")
    line = json.loads((work_folder / CALIBRATION_FILE).read_text(encoding="utf-8"))["all"]["line"]
    return (model, line), (model, line), work_folder / PACKS_FOLDER / "all" / PACK_ID


def open_pack(pack):
    """Returns the same of a pack whose network stayed: its graph answers in place of training's own network."""
    from places import open_score

    manifest = json.loads((pack / MANIFEST_FILE).read_text(encoding="utf-8"))
    frames = manifest["decision"].get("frames", {}).get("line")

    def read(column, line):
        score = open_score(pack / MODEL_FILE, manifest["output"]["name"], column)
        return lambda pixels: torch.from_numpy(score(pixels.mul(255).round().byte().permute(0, 2, 3, 1).numpy())), (line["slope"], line["intercept"])

    pictures = read(0, manifest["calibration"])
    return pictures, pictures if frames is None else read(-1, frames), pack


def write_parity(opened, media):
    pictures, frames, pack = opened
    paths = sorted(path for path in media.iterdir() if path.suffix in PICTURES)
    media_judged = [*(judge_picture(path, *pictures) for path in paths), judge_film(media / FILM, *frames)]
    (pack / PARITY_FILE).write_text(json.dumps({"media": media_judged}) + "\n", encoding="utf-8")
    for found in media_judged:
        print(found["file"], found["probability"], flush=True)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    source = parser.add_mutually_exclusive_group(required=True)
    source.add_argument("--work", type=Path)
    source.add_argument("--pack", type=Path, help="a pack whose network stayed (recalibrate.py)")
    parser.add_argument("--media", type=Path, required=True, help="what test/media/parity-media.ts wrote")
    arguments = parser.parse_args()
    torch.set_num_threads(1)
    Image.MAX_IMAGE_PIXELS = PIXELS_MAX
    write_parity(open_pack(arguments.pack) if arguments.pack else open_work(arguments.work), arguments.media)
