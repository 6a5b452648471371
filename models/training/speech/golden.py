"""Owns the windows by rule whose logits model.json holds, and how a graph is run as the appliance runs it."""

import json
import subprocess
from pathlib import Path

import numpy

GOLDEN_COUNT = 4
DIGITS = 6
SCRIPT = Path(__file__).parent / "run-graph.ts"


def make_golden_windows(window_samples):
    """Returns the windows of the rule in model.json, float32 [4, samples]: a tone and a noise that integers make."""
    time = numpy.arange(window_samples, dtype=numpy.float64)
    windows = []
    for index in range(GOLDEN_COUNT):
        noise = ((time * 1_103_515_245 + 12_345 * (index + 1)) % 2**31) / 2**30 - 1
        windows.append(0.1 * numpy.sin(0.05 * (index + 1) * time) + 0.05 * noise)
    return numpy.stack(windows).astype(numpy.float32)


def run_graph(node, path, windows):
    """Returns the logits that the appliance's runtime gives; the encoder runs in no other."""
    samples = path.with_suffix(".f32")
    windows.tofile(samples)
    found = subprocess.run([node, SCRIPT, path, samples, str(windows.shape[1])], check=True, capture_output=True, text=True)
    samples.unlink()
    return json.loads(found.stdout)


def to_rounded(values):
    return [round(float(value), DIGITS) for value in values]
