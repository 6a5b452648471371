"""Owns how training reads the FLAC files made by rule, and how it states what it makes of one."""

import subprocess
import sys
from pathlib import Path

import numpy

from clips import RATE

sys.path.append(str(Path(__file__).parent.parent))
from metrics import to_probability  # noqa: E402

DIGITS = 6


def read_flac(path):
    """Returns the samples as int16, by Debian's ffmpeg."""
    decode = ("ffmpeg", "-v", "error", "-i", path, "-ac", "1", "-ar", str(RATE), "-f", "s16le", "-")
    return numpy.frombuffer(subprocess.run(decode, check=True, capture_output=True).stdout, dtype="<i2")


def conclude(log_odds):
    return {"logOdds": round(float(log_odds), DIGITS), "probability": round(float(to_probability(log_odds)), DIGITS)}
