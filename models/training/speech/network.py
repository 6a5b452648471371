"""Owns the spectrogram network: from samples to one logit, with everything between in the graph.

Loudness, the channel's colour and the recording's level cannot reach the body:
the window is scaled to a root mean square of 1, and each bin's mean over time
is taken off the logarithm.
"""

import math

import numpy
import torch
from torch import nn
from torch.nn import functional

from narrowness import subtract_means, to_narrowness

FRAME_SAMPLES = 512
HOP_SAMPLES = 256
BIN_COUNT = 256
BIN_HZ = [bin * 8_000 / BIN_COUNT for bin in range(1, BIN_COUNT + 1)]
POWER_FLOOR = 1e-5
LOUDNESS_FLOOR = 1e-8
STEM_WIDTH, STEM_SIZE, STEM_STRIDE = 16, (7, 5), (4, 2)
BLOCKS = ((24, (2, 2)), (40, (2, 2)), (64, (2, 2)))
"""Per block: channels and stride in frequency and time."""
EMBEDDING_WIDTH = 64
ATTENTION_WIDTH = 32
DEVIATION_FLOOR = 1e-5


def make_fourier_filters():
    """Returns [2 * BIN_COUNT, 1, FRAME_SAMPLES]: cosines, then sines, of bins 1.., under a Hann window."""
    time = numpy.arange(FRAME_SAMPLES)
    window = 0.5 - 0.5 * numpy.cos(2 * math.pi * time / FRAME_SAMPLES)
    phase = 2 * math.pi * numpy.outer(numpy.arange(1, BIN_COUNT + 1), time) / FRAME_SAMPLES
    filters = numpy.concatenate([numpy.cos(phase), numpy.sin(phase)]) * window
    return torch.from_numpy((filters / math.sqrt((window**2).sum())).astype(numpy.float32)).unsqueeze(1)


def normalise(sound):
    """Scales each window to a root mean square of 1; silence stays silence."""
    return sound * (sound.square().mean(dim=1, keepdim=True) + LOUDNESS_FLOOR).rsqrt()


class Spectrogram(nn.Module):
    """Log power of bins 1..256 over time, each bin's mean taken off, and a channel that tells the frequency."""

    def __init__(self):
        super().__init__()
        self.register_buffer("filters", make_fourier_filters(), persistent=False)
        coordinate = torch.linspace(-1, 1, BIN_COUNT).view(1, 1, BIN_COUNT, 1)
        self.register_buffer("coordinate", coordinate, persistent=False)

    def forward(self, sound):
        return self.measure(sound)[0]

    def measure(self, sound):
        """Returns the spectrogram and how narrow the band is, [N]."""
        parts = functional.conv1d(normalise(sound).unsqueeze(1), self.filters, stride=HOP_SAMPLES)
        power = parts[:, :BIN_COUNT].square() + parts[:, BIN_COUNT:].square()
        level = torch.log(power + POWER_FLOOR)
        average = level.mean(dim=2, keepdim=True)
        narrowness = to_narrowness(subtract_means(average.squeeze(2), BIN_HZ))
        return self.add_coordinate((level - average).unsqueeze(1)), narrowness

    def add_coordinate(self, level):
        return torch.cat([level, self.coordinate + torch.zeros_like(level)], dim=1)


class PreActivationBlock(nn.Module):
    def __init__(self, width_in, width_out, stride):
        super().__init__()
        self.first_norm = nn.BatchNorm2d(width_in)
        self.first = nn.Conv2d(width_in, width_out, 3, stride=stride, padding=1, bias=False)
        self.second_norm = nn.BatchNorm2d(width_out)
        self.second = nn.Conv2d(width_out, width_out, 3, padding=1, bias=False)
        self.short_cut = nn.Conv2d(width_in, width_out, 1, stride=stride, bias=False)

    def forward(self, features):
        active = functional.relu(self.first_norm(features))
        inner = self.second(functional.relu(self.second_norm(self.first(active))))
        return inner + self.short_cut(active)


class AttentivePooling(nn.Module):
    """Mean and deviation over time, weighted by what the network finds telling."""

    def __init__(self, width):
        super().__init__()
        self.score = nn.Sequential(nn.Conv1d(width, ATTENTION_WIDTH, 1), nn.Tanh(), nn.Conv1d(ATTENTION_WIDTH, width, 1))

    def forward(self, features):
        weights = torch.softmax(self.score(features), dim=2)
        mean = (weights * features).sum(dim=2)
        variance = (weights * features.square()).sum(dim=2) - mean.square()
        return torch.cat([mean, (functional.relu(variance) + DEVIATION_FLOOR).sqrt()], dim=1)


class SpeechNetwork(nn.Module):
    """Maps sound float32 [N, samples] to one logit per window; positive means artificial."""

    def __init__(self, spectrogram=None):
        super().__init__()
        self.spectrogram = spectrogram or Spectrogram()
        self.stem = nn.Conv2d(2, STEM_WIDTH, STEM_SIZE, stride=STEM_STRIDE, padding=(3, 2), bias=False)
        blocks, width = [], STEM_WIDTH
        for width_out, stride in BLOCKS:
            blocks.append(PreActivationBlock(width, width_out, stride))
            width = width_out
        self.blocks = nn.Sequential(*blocks, nn.BatchNorm2d(width), nn.ReLU())
        self.pooling = AttentivePooling(2 * width)
        self.embedding = nn.Sequential(nn.Linear(4 * width, EMBEDDING_WIDTH), nn.BatchNorm1d(EMBEDDING_WIDTH), nn.ReLU())
        self.head = nn.Linear(EMBEDDING_WIDTH, 1)

    def embed_spectrogram(self, spectrogram):
        features = self.blocks(self.stem(spectrogram))
        pooled = torch.cat([features.mean(dim=2), features.amax(dim=2)], dim=1)
        return self.embedding(self.pooling(pooled))

    def forward(self, sound):
        return self.measure(sound)[0]

    def measure(self, sound):
        """Returns the logit and how narrow the band is, each [N]."""
        spectrogram, narrowness = self.spectrogram.measure(sound)
        return self.head(self.embed_spectrogram(spectrogram)).squeeze(1), narrowness


class TrainingNetwork(nn.Module):
    """The network with dropout and a second task, naming the source; export drops both."""

    def __init__(self, source_count):
        super().__init__()
        self.network = SpeechNetwork()
        self.dropout = nn.Dropout(0.25)
        self.source_head = nn.Linear(EMBEDDING_WIDTH, source_count)

    def forward(self, levels):
        """Takes levels of Spectrogram, [N, bins, frames], made beforehand."""
        spectrogram = self.network.spectrogram.add_coordinate(levels.unsqueeze(1))
        spectrogram = spectrogram.contiguous(memory_format=torch.channels_last)
        features = self.dropout(self.network.embed_spectrogram(spectrogram))
        return self.network.head(features).squeeze(1), self.source_head(features)


class Ensemble(nn.Module):
    """Several networks over one spectrogram: the mean of their logits."""

    def __init__(self, networks):
        super().__init__()
        self.spectrogram = networks[0].spectrogram
        self.networks = nn.ModuleList(networks)

    def forward(self, sound):
        return self.measure(sound)[0]

    def measure(self, sound):
        spectrogram, narrowness = self.spectrogram.measure(sound)
        logits = [network.head(network.embed_spectrogram(spectrogram)) for network in self.networks]
        return torch.cat(logits, dim=1).mean(dim=1), narrowness
