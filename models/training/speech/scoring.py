"""Owns windows of whole clips, the tiers in which they are measured, and their scores."""

import math
from dataclasses import dataclass

import numpy
import torch

from clips import RATE

WINDOW_SAMPLES = 20_480
HOP_SAMPLES = 10_240
QUIET_SHARE = 0.15
"""A window quieter than this share of the clip's loudest is no speech: the appliance finds speech first."""
BATCH_SIZE = 32


@dataclass(frozen=True)
class Tier:
    name: str
    variant: str
    band_hz: tuple
    description: str
    decibels: float = 0.0


TIERS = (
    Tier("clean", "clean", (), "as found, 16 kHz"),
    Tier("mp3-64", "mp3-64", (), "MP3 at 64 kb/s"),
    Tier("telephone", "telephone-mulaw", (300, 3_400), "8 kHz, 300 to 3,400 Hz, µ-law"),
)
CONFOUND_TIERS = (
    Tier("one-band", "clean", (60, 7_000), "every clip limited to 60 to 7,000 Hz"),
    Tier("one-loudness", "clean", (), "every clip 20 dB down, then 16 bits", -20.0),
)


def limit_band(sound, band):
    """Removes what lies outside the band, with edges of 60 Hz, for float32 samples."""
    spectrum = numpy.fft.rfft(sound)
    hertz = numpy.linspace(0, RATE / 2, len(spectrum))
    gain = 1 / (1 + numpy.exp(numpy.clip((band[0] - hertz) / 15, -40, 40)))
    gain /= 1 + numpy.exp(numpy.clip((hertz - band[1]) / 15, -40, 40))
    return numpy.fft.irfft(spectrum * gain, len(sound))


def read_tier(collection, index, tier):
    """Returns a clip as it would arrive in a tier, float32 in -1..1."""
    sound = collection.read(index, tier.variant).astype(numpy.float64)
    if tier.band_hz:
        sound = limit_band(sound, tier.band_hz)
    if tier.decibels:
        sound = sound * 10 ** (tier.decibels / 20)
    return (numpy.round(sound) / 32_768).astype(numpy.float32)


def cut_windows(sound):
    """Returns overlapping windows [N, WINDOW_SAMPLES] that are not quiet; the last one ends with the clip."""
    if len(sound) < WINDOW_SAMPLES:
        sound = numpy.tile(sound, math.ceil(WINDOW_SAMPLES / len(sound)))
    starts = list(range(0, len(sound) - WINDOW_SAMPLES + 1, HOP_SAMPLES))
    if len(sound) - WINDOW_SAMPLES - starts[-1] > HOP_SAMPLES // 4:
        starts.append(len(sound) - WINDOW_SAMPLES)
    windows = numpy.stack([sound[start : start + WINDOW_SAMPLES] for start in starts])
    loudness = numpy.sqrt((windows.astype(numpy.float64) ** 2).mean(axis=1))
    return windows[loudness >= QUIET_SHARE * loudness.max()]


@torch.no_grad()
def score_clips(network, collection, indices, tier):
    """Returns one row of three per clip, see average_windows."""
    windows, owners = [], []
    for position, index in enumerate(indices):
        cut = cut_windows(read_tier(collection, index, tier))
        windows.append(cut)
        owners.extend([position] * len(cut))
    windows = numpy.concatenate(windows)
    parts = [
        torch.stack(network.measure(torch.from_numpy(windows[start : start + BATCH_SIZE]))).numpy()
        for start in range(0, len(windows), BATCH_SIZE)
    ]
    logits, narrowness = numpy.concatenate(parts, axis=1)
    return average_windows(logits, narrowness, numpy.array(owners), len(indices))


def average_windows(logits, narrowness, owners, count):
    """Returns [count, 3]: means over a clip's windows of the logit, of logit times narrowness, of narrowness.

    Calibration is linear in these three, so that the mean of calibrated windows is the calibrated mean.
    """
    sizes = numpy.bincount(owners, minlength=count)
    columns = [numpy.bincount(owners, part, count) / sizes for part in (logits, logits * narrowness, narrowness)]
    return numpy.stack(columns, axis=1)


def weigh(sources, is_artificial):
    """Each clip weighs 1/sqrt(size of its source); both labels weigh the same in all."""
    _, inverse, sizes = numpy.unique(sources, return_inverse=True, return_counts=True)
    weights = 1 / numpy.sqrt(sizes[inverse])
    for label in (False, True):
        weights[is_artificial == label] *= 0.5 / weights[is_artificial == label].sum()
    return weights
