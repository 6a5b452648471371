"""Makes training windows: what recording, rooms, lines and re-encoding do to speech, alike for both labels.

All linear effects of a batch are one multiplication of its spectrum; codecs
come ready-made from the cache. Band limits, loudness and history would tell the
label otherwise: in the collection they are not equally spread.
"""

import math

import numpy
import torch

from clips import RATE, TELEPHONE, VARIANTS

WINDOW_SAMPLES = 20_480
SPEED_GROUP = 16
CUT_SAMPLES = (19_200, 19_600, 20_000, 20_480, 20_480, 20_736, 21_000, 21_600)
"""Samples that become one window: the speed. All are products of small primes, for a quick transform."""

CODEC_RATE = 0.5
TELEPHONE_SHARE = 0.4
EQUALISER_RATE, EQUALISER_DB, EQUALISER_WAVES = 0.6, 5.0, 4
TILT_DB_PER_OCTAVE = 2.0
LOW_PASS_RATE, LOW_PASS_HZ = 0.35, (2_800, 7_800)
HIGH_PASS_RATE, HIGH_PASS_HZ = 0.25, (50, 400)
ROOM_RATE, ROOM_SECONDS, ROOM_DIRECT_DB = 0.25, (0.05, 0.6), (-2, 14)
NOISE_RATE, NOISE_DB = 0.5, (8, 45)
CLIP_RATE, CLIP_SHARE = 0.08, (0.3, 0.9)
QUANTISE_RATE, QUANTISE_BITS = 0.1, (8, 12)
TELEPHONE_BAND_RATE, TELEPHONE_BAND_HZ = 0.6, (300, 3_400)
STOP_DB = (40, 90)
PEAK_MIN = 1e-3
"""A silent window has no peak to divide by."""
LOUDNESS_MIN_SHARE = 0.35
OFFSET_TRIES = 6


def draw_variant(rng):
    if rng.random() >= CODEC_RATE:
        return "clean"
    if rng.random() < TELEPHONE_SHARE:
        return TELEPHONE[rng.integers(len(TELEPHONE))]
    return VARIANTS[rng.integers(len(VARIANTS) - len(TELEPHONE))]


def cut(samples, count, rng):
    """Returns `count` samples from a random place that is not much quieter than the clip; short ones are repeated."""
    if len(samples) <= count:
        repeated = numpy.tile(samples, math.ceil(count / len(samples)) + 1)
        start = rng.integers(len(samples))
        return repeated[start : start + count].astype(numpy.float32)
    loudness = numpy.sqrt(numpy.mean(samples.astype(numpy.float32) ** 2))
    for _ in range(OFFSET_TRIES):
        start = rng.integers(len(samples) - count + 1)
        piece = samples[start : start + count].astype(numpy.float32)
        if numpy.sqrt(numpy.mean(piece**2)) >= LOUDNESS_MIN_SHARE * loudness:
            break
    return piece


def draw_between(rng, count, low, high):
    return rng.uniform(low, high, (count, 1)).astype(numpy.float32)


def make_response(is_telephone, rng):
    """Returns the magnitude of a random equaliser and band limits, [count, bins]."""
    count = len(is_telephone)
    hertz = numpy.linspace(0, RATE / 2, WINDOW_SAMPLES // 2 + 1, dtype=numpy.float32)
    octaves = numpy.log2(numpy.maximum(hertz, 60) / 1_000)
    decibels = numpy.zeros((count, len(hertz)), dtype=numpy.float32)
    for row in numpy.nonzero(rng.random(count) < EQUALISER_RATE)[0]:
        curve = rng.normal(0, TILT_DB_PER_OCTAVE) * octaves
        for _ in range(EQUALISER_WAVES):
            curve = curve + rng.normal(0, EQUALISER_DB / 2) * numpy.cos(rng.uniform(0.3, 2.5) * octaves + rng.uniform(0, 6.3))
        decibels[row] += curve
    for row in numpy.nonzero(rng.random(count) < LOW_PASS_RATE)[0]:
        edge, width = math.exp(rng.uniform(*numpy.log(LOW_PASS_HZ))), rng.uniform(40, 500)
        decibels[row] -= rng.uniform(*STOP_DB) / (1 + numpy.exp(numpy.clip((edge - hertz) / width * 4, -30, 30)))
    for row in numpy.nonzero(rng.random(count) < HIGH_PASS_RATE)[0]:
        edge = rng.uniform(*HIGH_PASS_HZ)
        decibels[row] -= rng.uniform(20, 60) / (1 + numpy.exp(numpy.clip((hertz - edge) / edge * 8, -30, 30)))
    for row in numpy.nonzero(is_telephone & (rng.random(count) < TELEPHONE_BAND_RATE))[0]:
        decibels[row] -= STOP_DB[0] / (1 + numpy.exp(numpy.clip((hertz - TELEPHONE_BAND_HZ[0]) / 15, -30, 30)))
        decibels[row] -= STOP_DB[0] / (1 + numpy.exp(numpy.clip((TELEPHONE_BAND_HZ[1] - hertz) / 15, -30, 30)))
    return torch.from_numpy(numpy.power(10, decibels / 20, dtype=numpy.float32))


def make_rooms(count, rng):
    """Returns the spectra of random rooms, [count, bins]; where none was drawn, one."""
    spectra = torch.ones(count, WINDOW_SAMPLES // 2 + 1, dtype=torch.complex64)
    rows = numpy.nonzero(rng.random(count) < ROOM_RATE)[0]
    if len(rows) == 0:
        return spectra
    seconds = numpy.arange(WINDOW_SAMPLES, dtype=numpy.float32) / RATE
    decay = numpy.exp(-6.9 * seconds / draw_between(rng, len(rows), *ROOM_SECONDS))
    tail = rng.standard_normal((len(rows), WINDOW_SAMPLES), dtype=numpy.float32) * decay
    tail[:, : RATE // 500] = 0
    tail /= numpy.sqrt((tail**2).sum(axis=1, keepdims=True))
    tail *= 10 ** (-draw_between(rng, len(rows), *ROOM_DIRECT_DB) / 20)
    tail[:, 0] = 1
    spectra[torch.from_numpy(rows)] = torch.fft.rfft(torch.from_numpy(tail))
    return spectra


def make_noise(count, rng):
    """Returns spectra of coloured noise of loudness 1 in the time domain, [count, bins]."""
    bins = WINDOW_SAMPLES // 2 + 1
    pair = rng.standard_normal((count, bins, 2), dtype=numpy.float32)
    slope = draw_between(rng, count, -0.3, 1.6)
    colour = numpy.maximum(numpy.arange(bins, dtype=numpy.float32), 40) ** -(slope / 2)
    spectrum = torch.view_as_complex(torch.from_numpy(pair)) * torch.from_numpy(colour.astype(numpy.float32))
    return spectrum / to_loudness(spectrum)


def to_loudness(spectrum):
    """Root mean square in the time domain, by Parseval."""
    energy = torch.view_as_real(spectrum).flatten(1).square().sum(dim=1, keepdim=True)
    return (2 * energy).sqrt() / WINDOW_SAMPLES + 1e-12


def to_spectrum(pieces):
    """Spectra of one window's length: cutting or padding bins changes speed and pitch."""
    spectrum = torch.fft.rfft(torch.from_numpy(numpy.stack(pieces)))
    bins = WINDOW_SAMPLES // 2 + 1
    if spectrum.shape[1] < bins:
        return torch.nn.functional.pad(spectrum, (0, bins - spectrum.shape[1]))
    return spectrum[:, :bins].contiguous()


def degrade(sound, rng):
    """Clipping and coarse quantisation, in place; sound has loudness 1."""
    peaks = sound.abs().amax(dim=1)
    for row in numpy.nonzero(rng.random(len(sound)) < CLIP_RATE)[0]:
        limit = float(peaks[row]) * rng.uniform(*CLIP_SHARE)
        sound[row].clamp_(-limit, limit)
    for row in numpy.nonzero(rng.random(len(sound)) < QUANTISE_RATE)[0]:
        step = max(float(peaks[row]), PEAK_MIN) / 2 ** (rng.integers(QUANTISE_BITS[0], QUANTISE_BITS[1] + 1) - 1)
        sound[row].div_(step).round_().mul_(step)
    return sound


def make_windows(collection, indices, rng):
    """Returns augmented windows of the clips, float32 [N, WINDOW_SAMPLES]."""
    spectra, variants = [], [draw_variant(rng) for _ in indices]
    for start in range(0, len(indices), SPEED_GROUP):
        count, group = CUT_SAMPLES[rng.integers(len(CUT_SAMPLES))], slice(start, start + SPEED_GROUP)
        spectra.append(to_spectrum([
            cut(collection.read(index, variant), count, rng)
            for index, variant in zip(indices[group], variants[group])
        ]))
    spectrum = torch.cat(spectra)
    count = len(spectrum)
    spectrum = spectrum / to_loudness(spectrum) * make_rooms(count, rng)
    level = 10 ** (-draw_between(rng, count, *NOISE_DB) / 20) * (rng.random((count, 1)) < NOISE_RATE)
    noise = make_noise(count, rng) * to_loudness(spectrum) * torch.from_numpy(level.astype(numpy.float32))
    is_telephone = numpy.array([variant in TELEPHONE for variant in variants])
    response, is_noise_recorded = make_response(is_telephone, rng), torch.from_numpy(rng.random((count, 1)) < 0.5)
    spectrum = (spectrum + noise * is_noise_recorded) * response
    spectrum = spectrum + noise * ~is_noise_recorded
    sound = torch.fft.irfft(spectrum / to_loudness(spectrum), n=WINDOW_SAMPLES)
    return degrade(sound, rng) * torch.from_numpy(rng.choice([-1.0, 1.0], (count, 1)).astype(numpy.float32))
