"""Owns the sounds made by rule that the appliance must score as training does, and how training states what it makes of one."""

import subprocess
import sys
from pathlib import Path

import numpy

sys.path.append(str(Path(__file__).parent.parent))
from metrics import to_probability  # noqa: E402

RATE = 16_000
SAMPLE_COUNT = 60_000
OFFSETS = (0, 5_003, 28_000)
SHORT_RANGE = (12_345, 19_000)
"""Offset and length of a stretch that is shorter than a window: it is repeated."""
SILENCE = (30_000, 34_000)
DIGITS = 6


def make_sound():
    """Returns the sound of the rule in test/models/parity-speech.test.ts, 16 bits as float32: hum, hiss and a silence."""
    time = numpy.arange(SAMPLE_COUNT, dtype=numpy.int64)
    values = (time * time % 1009) * 13 + (time % 97) * 101 - 11_000
    values[SILENCE[0] : SILENCE[1]] = 0
    return (values / 32_768).astype(numpy.float32)


def make_windows(window_samples):
    """Returns ({sampleCount, ranges}, windows [N, window_samples])."""
    sound = make_sound()
    ranges = [(offset, window_samples) for offset in OFFSETS]
    ranges += [(SAMPLE_COUNT - window_samples, window_samples), SHORT_RANGE]
    windows = [numpy.resize(sound[offset : offset + length], window_samples) for offset, length in ranges]
    described = [{"offset": offset, "length": length} for offset, length in ranges]
    return {"sampleCount": SAMPLE_COUNT, "ranges": described}, numpy.stack(windows)


def read_flac(path):
    """Returns the samples as int16, by Debian's ffmpeg: another decoder than the appliance's."""
    decode = ("ffmpeg", "-v", "error", "-i", path, "-ac", "1", "-ar", str(RATE), "-f", "s16le", "-")
    return numpy.frombuffer(subprocess.run(decode, check=True, capture_output=True).stdout, dtype="<i2")


def conclude(log_odds):
    return {"logOdds": round(float(log_odds), DIGITS), "probability": round(float(to_probability(log_odds)), DIGITS)}
