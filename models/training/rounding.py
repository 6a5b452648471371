"""Says how far answers move with the order of the sums: what another kind of processor, or another runtime, would answer.

Roundings to bytes turn a difference of the last digit into one of a whole step. Runs every so many whole pictures
through a pack of the folds twice, with and without the runtime's own rearrangements. Needs onnxruntime from PyPI.
"""

import argparse
import json
from pathlib import Path

import numpy
import onnxruntime

from calibrate import CALIBRATION_FILE
from export import MODEL_FILE, PACKS_FOLDER
from heads import to_owners
from manifest import PACK_ID
from metrics import to_probability
from quantise import ROUNDING_FILE
from whole import open_patches, read_pictures

PICTURE_EVERY = 12


def open_session(path, level):
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1
    options.graph_optimization_level = level
    return onnxruntime.InferenceSession(str(path), options, providers=["CPUExecutionProvider"])


def to_pixels(patches):
    return numpy.ascontiguousarray(patches.transpose(0, 3, 1, 2).astype(numpy.float32) / 255)


def measure(work_folder):
    pictures, patches = read_pictures(work_folder, "whole"), open_patches(work_folder, "whole")
    slope, intercept = json.loads((work_folder / CALIBRATION_FILE).read_text(encoding="utf-8"))["all"]["line"]
    path = work_folder / PACKS_FOLDER / "all" / PACK_ID / MODEL_FILE
    levels = onnxruntime.GraphOptimizationLevel
    sessions = [open_session(path, level) for level in (levels.ORT_ENABLE_ALL, levels.ORT_DISABLE_ALL)]
    owners = to_owners(pictures)
    logits = numpy.array([
        [session.run(None, {"pixels": to_pixels(patches[owners == index])})[0].mean() for session in sessions]
        for index in range(0, len(pictures), PICTURE_EVERY)
    ])
    moved = numpy.abs(logits[:, 0] - logits[:, 1])
    probabilities = to_probability(slope * logits + intercept)
    apart = numpy.abs(probabilities[:, 0] - probabilities[:, 1])
    sentence = (
        f"of {len(logits)} pictures the score moved by {moved.mean():.3f} on average and {moved.max():.3f} at most, "
        f"the probability by {apart.mean():.3f} on average and {apart.max():.3f} at most"
    )
    (work_folder / ROUNDING_FILE).write_text(sentence, encoding="utf-8")
    print(sentence)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--work", type=Path, required=True)
    measure(parser.parse_args().work)
