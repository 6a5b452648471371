"""Owns the sound made by rule that the appliance must score as training does, and what training's own code says of it."""

import json

import numpy
import torch

from scoring import WINDOW_SAMPLES

PARITY_FILE = "parity.json"
SAMPLE_COUNT = 60_000
OFFSETS = (0, 5_003, 28_000, SAMPLE_COUNT - WINDOW_SAMPLES)
SILENCE = (30_000, 34_000)
DIGITS = 6


def make_sound():
    """Returns the sound of the rule in test/models/parity.test.ts, 16 bits as float32: hum, hiss and a silence."""
    time = numpy.arange(SAMPLE_COUNT, dtype=numpy.int64)
    values = (time * time % 1009) * 13 + (time % 97) * 101 - 11_000
    values[SILENCE[0] : SILENCE[1]] = 0
    return (values / 32_768).astype(numpy.float32)


@torch.no_grad()
def write_parity(folder, model):
    """Writes the logit of the window at each offset."""
    sound = make_sound()
    windows = numpy.stack([sound[offset : offset + WINDOW_SAMPLES] for offset in OFFSETS])
    logits = [round(value, DIGITS) for value in model(torch.from_numpy(windows)).tolist()]
    content = {"sound": {"sampleCount": SAMPLE_COUNT, "offsets": OFFSETS, "logits": logits}}
    (folder / PARITY_FILE).write_text(json.dumps(content) + "\n", encoding="utf-8")
