"""Owns the hand-made statistics of a window, as a graph of plain tensor operations.

Of another nature than the encoder's layers: how evenly bands and cepstra move
and how they move together, how the pitch runs, how steady harmonics are from
frame to frame, how sharp the pulses of the voice are once the envelope is taken
off, what is left of the long-time spectrum. Everything is written with products
and sums that ONNX knows; no transform.
"""

import math

import numpy
import torch
from torch import nn
from torch.nn import functional

FRAME_SAMPLES, HOP_SAMPLES = 512, 256
BIN_COUNT = FRAME_SAMPLES // 2 + 1
POWER_FLOOR = 1e-5
BAND_COUNT = 24
LOW_EDGE_HZ, HIGH_EDGE_HZ = 60, 8_000
CEPSTRUM_COUNT, CEPSTRUM_PAIRS, CEPSTRUM_LAGS = 40, 12, (1, 2, 4)
ENVELOPE_QUEFRENCY = 28
PITCH_QUEFRENCIES, PITCH_SHARPNESS = (40, 200), 4.0
PITCH_LAGS = (1, 2, 4, 8)
MODULATION_BINS = ((1, 2), (2, 4), (4, 7), (7, 12), (12, 20), (20, 32))
PULSE_STRIDE = 2
TINY = 1e-6
LOUDNESS_FLOOR = 1e-8


def normalise(sound):
    """Scales each window to a root mean square of 1; silence stays silence."""
    return sound * (sound.square().mean(dim=1, keepdim=True) + LOUDNESS_FLOOR).rsqrt()


def make_fourier(frame):
    """Returns [2 * bins, 1, frame]: cosines, then sines, of bins 0.. under a Hann window of power 1."""
    time = numpy.arange(frame)
    window = 0.5 - 0.5 * numpy.cos(2 * math.pi * time / frame)
    phase = 2 * math.pi * numpy.outer(numpy.arange(frame // 2 + 1), time - frame // 2) / frame
    filters = numpy.concatenate([numpy.cos(phase), -numpy.sin(phase)]) * window
    return torch.from_numpy((filters / math.sqrt((window**2).sum())).astype(numpy.float32)).unsqueeze(1)


def to_warped(hertz):
    """A scale between linear and mel, so that the upper octaves keep enough bands."""
    return numpy.sqrt(hertz + 200)


def make_bands(count, frame, low=LOW_EDGE_HZ, high=HIGH_EDGE_HZ):
    """Returns [count, bins] of overlapping triangles that each sum to 1."""
    edges = numpy.linspace(to_warped(low), to_warped(high), count + 2)
    position = to_warped(numpy.linspace(0, 8_000, frame // 2 + 1))
    rise = (position - edges[:-2, None]) / (edges[1:-1] - edges[:-2])[:, None]
    fall = (edges[2:, None] - position) / (edges[2:] - edges[1:-1])[:, None]
    weights = numpy.maximum(0, numpy.minimum(rise, fall))
    return torch.from_numpy((weights / weights.sum(axis=1, keepdims=True)).astype(numpy.float32))


BAND_HZ = [
    float((row * torch.linspace(0, 8_000, BIN_COUNT)).sum()) for row in make_bands(BAND_COUNT, FRAME_SAMPLES)
]


def make_cosine_transform(count):
    """Returns [count, count], the orthonormal cosine transform."""
    index = numpy.arange(count)
    table = numpy.cos(math.pi * numpy.outer(index, index + 0.5) / count) * math.sqrt(2 / count)
    table[0] /= math.sqrt(2)
    return torch.from_numpy(table.astype(numpy.float32))


def make_modulation(frame_count):
    """Returns [2 * bins, frames] of the Hann-windowed transform over time."""
    time = numpy.arange(frame_count)
    window = 0.5 - 0.5 * numpy.cos(2 * math.pi * (time + 0.5) / frame_count)
    phase = 2 * math.pi * numpy.outer(numpy.arange(frame_count // 2 + 1), time) / frame_count
    return torch.from_numpy((numpy.concatenate([numpy.cos(phase), numpy.sin(phase)]) * window).astype(numpy.float32))


def make_upper_pairs(count):
    rows, columns = numpy.triu_indices(count, 1)
    return torch.from_numpy(rows * count + columns)


def to_moments(values, dim):
    """Returns deviation (log), skewness and kurtosis along a dimension."""
    centred = values - values.mean(dim=dim, keepdim=True)
    variance = centred.square().mean(dim=dim) + TINY
    skewness = (centred * centred.square()).mean(dim=dim) / (variance * variance.sqrt())
    kurtosis = centred.square().square().mean(dim=dim) / variance.square()
    return [0.5 * torch.log(variance), skewness, torch.log(kurtosis + TINY)]


def to_correlations(values, pairs):
    """Returns the correlations of rows over time, [N, pairs], from values [N, rows, time]."""
    centred = values - values.mean(dim=2, keepdim=True)
    unit = centred * (centred.square().sum(dim=2, keepdim=True) + TINY).rsqrt()
    return torch.matmul(unit, unit.transpose(1, 2)).flatten(1).index_select(1, pairs)


def to_lagged(values, lag):
    """Returns the correlation of each row with itself some frames later, [N, rows]."""
    centred = values - values.mean(dim=2, keepdim=True)
    return (centred[:, :, lag:] * centred[:, :, :-lag]).mean(dim=2) / (centred.square().mean(dim=2) + TINY)


class Statistics(nn.Module):
    """Maps sound [N, samples] to statistics [N, count]."""

    def __init__(self, window_samples):
        super().__init__()
        frame_count = (window_samples - FRAME_SAMPLES) // HOP_SAMPLES + 1
        for name, table in {
            "fourier": make_fourier(FRAME_SAMPLES), "bands": make_bands(BAND_COUNT, FRAME_SAMPLES),
            "cosines": make_cosine_transform(BIN_COUNT), "modulation": make_modulation(frame_count),
            "band_pairs": make_upper_pairs(BAND_COUNT), "cepstrum_pairs": make_upper_pairs(CEPSTRUM_PAIRS),
            "quefrencies": torch.log(torch.arange(*PITCH_QUEFRENCIES).float()).view(1, -1, 1),
        }.items():
            self.register_buffer(name, table, persistent=False)
        smooth = self.cosines[:ENVELOPE_QUEFRENCY].t() @ self.cosines[:ENVELOPE_QUEFRENCY]
        self.register_buffer("envelope", smooth, persistent=False)
        back = make_fourier(FRAME_SAMPLES).squeeze(1)
        window = torch.hann_window(FRAME_SAMPLES).clamp(min=0.05)
        weights = torch.full((BIN_COUNT, 1), 2.0)
        weights[0] = weights[-1] = 1.0
        weights = torch.cat([weights, weights])
        self.register_buffer("inverse", (back / window * weights).t().contiguous(), persistent=False)

    def forward(self, sound):
        sound = normalise(sound)
        parts = functional.conv1d(sound.unsqueeze(1), self.fourier, stride=HOP_SAMPLES)
        real, imaginary = parts[:, :BIN_COUNT], parts[:, BIN_COUNT:]
        power = real.square() + imaginary.square() + POWER_FLOOR
        level = torch.log(power)
        return torch.cat([
            *self.describe_bands(power, level), *self.describe_cepstrum(level),
            *self.describe_pulses(real, imaginary, level),
        ], dim=1)

    def describe_bands(self, power, level):
        bands = torch.log(torch.matmul(self.bands, power))
        average = bands.mean(dim=2)
        change = bands[:, :, 1:] - bands[:, :, :-1]
        bend = change[:, :, 1:] - change[:, :, :-1]
        lower = torch.log(torch.matmul(self.bands, 1 / power).mean(dim=2))
        upper = torch.log(torch.matmul(self.bands, power).mean(dim=2))
        middle = torch.matmul(self.bands, level).mean(dim=2)
        parts = torch.matmul(bands - average.unsqueeze(2), self.modulation.t())
        half = self.modulation.shape[0] // 2
        energy = parts[:, :, :half].square() + parts[:, :, half:].square()
        total = energy[:, :, 1:].sum(dim=2) + TINY
        modulation = [torch.log(energy[:, :, low:high].sum(dim=2) / total + TINY) for low, high in MODULATION_BINS]
        long_time = level.mean(dim=2)
        ripple = long_time - torch.matmul(long_time, self.envelope)
        return [
            average - average.mean(dim=1, keepdim=True), *to_moments(bands, 2), *to_moments(change, 2)[::2],
            to_moments(bend, 2)[0], upper - middle, middle + lower, *modulation,
            to_correlations(bands, self.band_pairs), torch.log(torch.matmul(ripple.square(), self.bands.t()) + TINY),
        ]

    def describe_cepstrum(self, level):
        cepstrum = torch.matmul(self.cosines, level)
        low = cepstrum[:, 1 : CEPSTRUM_COUNT + 1]
        change = low[:, :, 1:] - low[:, :, :-1]
        bend = change[:, :, 1:] - change[:, :, :-1]
        return [
            to_moments(low, 2)[0], *to_moments(change, 2)[::2], to_moments(bend, 2)[0],
            *(to_lagged(low, lag) for lag in CEPSTRUM_LAGS),
            to_correlations(low[:, :CEPSTRUM_PAIRS], self.cepstrum_pairs),
            to_correlations(change[:, :CEPSTRUM_PAIRS], self.cepstrum_pairs),
            *self.describe_pitch(cepstrum[:, PITCH_QUEFRENCIES[0] : PITCH_QUEFRENCIES[1]]),
            *self.describe_fine_structure(level),
        ]

    def describe_pitch(self, pitch):
        """The strongest quefrency of each frame: how clear it is, where it lies and how it runs while it is clear."""
        scale = (pitch.square().mean(dim=1, keepdim=True) + TINY).rsqrt()
        peak = (pitch * scale).amax(dim=1)
        place = (torch.softmax(pitch * scale * PITCH_SHARPNESS, dim=1) * self.quefrencies).sum(dim=1)
        clear = torch.sigmoid(peak - 5)
        both = clear[:, 1:] * clear[:, :-1]
        step = (place[:, 1:] - place[:, :-1]).abs()
        share = both.sum(dim=1) + TINY
        average = (clear * place).sum(dim=1) / (clear.sum(dim=1) + TINY)
        spread = (clear * (place - average.unsqueeze(1)).square()).sum(dim=1) / (clear.sum(dim=1) + TINY)
        contours = torch.stack([peak, place], dim=1)
        return [
            torch.stack([
                peak.mean(dim=1), clear.mean(dim=1), both.mean(dim=1), torch.log(spread + 1e-4),
                (both * step).sum(dim=1) / share, torch.log((both * step.square()).sum(dim=1) / share + 1e-4),
                (both * torch.exp(-step * 30)).sum(dim=1) / share,
            ], dim=1),
            *(part for part in to_moments(contours, 2)), *to_moments(contours[:, :, 1:] - contours[:, :, :-1], 2)[::2],
            *(to_lagged(contours, lag) for lag in PITCH_LAGS),
        ]

    def describe_fine_structure(self, level):
        """What the envelope leaves, by band: its spread and skewness, and how alike it is in the next frame."""
        fine = level - torch.matmul(self.envelope, level)
        energy = torch.matmul(self.bands, fine.square())
        cube = torch.matmul(self.bands, fine * fine.square())
        follow = torch.matmul(self.bands, fine[:, :, 1:] * fine[:, :, :-1])
        alike = follow * (energy[:, :, 1:] * energy[:, :, :-1] + TINY).rsqrt()
        spread = torch.log(energy + TINY)
        return [
            spread.mean(dim=2), to_moments(spread, 2)[0], cube.mean(dim=2) / (energy.mean(dim=2) + TINY).pow(1.5),
            alike.mean(dim=2), to_moments(alike, 2)[0],
        ]

    def describe_pulses(self, real, imaginary, level):
        """The frame with its envelope taken off is a train of pulses: how sharp they are."""
        flat = torch.exp(-0.5 * torch.matmul(self.envelope, level[:, :, ::PULSE_STRIDE]))
        sharp = torch.cat([real[:, :, ::PULSE_STRIDE] * flat, imaginary[:, :, ::PULSE_STRIDE] * flat], dim=1)
        residual = torch.matmul(self.inverse, sharp)
        inner = residual[:, FRAME_SAMPLES // 8 : -FRAME_SAMPLES // 8]
        variance = inner.square().mean(dim=1) + TINY
        kurtosis = torch.log(inner.square().square().mean(dim=1) / variance.square() + TINY)
        crest = torch.log(inner.abs().amax(dim=1) / variance.sqrt() + TINY)
        skewness = ((inner * inner.square()).mean(dim=1) / (variance * variance.sqrt())).abs()
        return [
            torch.stack([part.mean(dim=1), *to_moments(part, 1)], dim=1) for part in (kurtosis, crest, skewness)
        ]
