"""Owns the hand-made statistics of a patch: residuals, co-occurrences, spectra, block transforms, noise.

Written in operations that ONNX has, so that the appliance computes them in the
same runtime as the network: Fourier and cosine transforms are products with
fixed matrices, histograms are sums of comparisons. Everything is a mean over
places, so a crop smaller than a patch gives the same numbers, only noisier.
"""

import math

import numpy
import torch
from torch import nn
from torch.nn import functional

from network import KV_FILTER

SPECTRUM_SIDE = 32
FREQUENCY_COUNT = SPECTRUM_SIDE // 2 + 1
RING_COUNT = 20
BLOCK = 8
TRUNCATION = 2
NOISE_THRESHOLDS = (-4.0, -2.0, -1.0, 0.0, 1.0, 2.0, 3.0, 5.0)
"""Of the logarithm of a block's residual energy, grey levels squared."""
BRIGHTNESS_CENTRES = (32.0, 96.0, 160.0, 224.0)
ENERGY_FLOOR = 1e-3
"""Added to energies (grey levels squared) before logarithms: flat patches must give finite numbers."""


def make_pair_classes():
    """Returns [9, 9]: from the sums that `count_pairs` takes to the shares of the classes of pairs.

    Rows: one, then per size 1, 2 and their sum: products of sizes, products of signs,
    then how frequent sizes 1 and 2 are. Columns: (0,0), (0,1), (0,2), then same and
    opposite signs of (1,1), (2,2) and (1,2). Pairs turned round or negated are the same.
    """
    one, x11, x22, x33, s11, s22, s33, m1, m2 = torch.eye(9)
    x12, s12 = x33 - x11 - x22, s33 - s11 - s22
    with_one, with_two = 2 * m1 - 2 * x11 - x12, 2 * m2 - 2 * x22 - x12
    signed = [(x11 + s11) / 2, (x11 - s11) / 2, (x22 + s22) / 2, (x22 - s22) / 2, (x12 + s12) / 2, (x12 - s12) / 2]
    zeros = one - with_one - with_two - sum(signed)
    return torch.stack([zeros, with_one, with_two, *signed], dim=1)


def make_fourier():
    """Returns [2 * FREQUENCY_COUNT, SPECTRUM_SIDE]: cosines and sines of the half spectrum."""
    angle = 2 * math.pi * torch.outer(torch.arange(FREQUENCY_COUNT), torch.arange(SPECTRUM_SIDE)) / SPECTRUM_SIDE
    return torch.cat([torch.cos(angle), torch.sin(angle)])


def make_rings():
    """Returns [RING_COUNT, FREQUENCY_COUNT²]: means over rings of equal radius, without the zero frequency."""
    y, x = numpy.indices((FREQUENCY_COUNT, FREQUENCY_COUNT))
    ring = numpy.clip(numpy.rint(numpy.hypot(x, y)).astype(int), 0, RING_COUNT).ravel() - 1
    rows = numpy.stack([(ring == index) / (ring == index).sum() for index in range(RING_COUNT)])
    return torch.from_numpy(rows).float(), torch.from_numpy(numpy.maximum(ring, 0))


def make_peak_places():
    """Returns the flat places, in the half spectrum, of what steps of 2, 4 and 8 pixels leave."""
    steps = (0, 4, 8, 16)
    pairs = [(u, v) for u in steps for v in steps if u <= v and v > 0]
    return torch.tensor([[u * FREQUENCY_COUNT + v, v * FREQUENCY_COUNT + u] for u, v in pairs])


def make_cosine_kernels():
    """Returns [64, 1, 8, 8]: the block transform of JPEG, orthonormal."""
    index = torch.arange(BLOCK).float()
    basis = torch.cos(math.pi * torch.outer(index, 2 * index + 1) / (2 * BLOCK)) * math.sqrt(2 / BLOCK)
    basis[0] = math.sqrt(1 / BLOCK)
    return torch.einsum("uy,vx->uvyx", basis, basis).reshape(BLOCK * BLOCK, 1, BLOCK, BLOCK)


def make_band_means():
    """Returns [15, 64]: means over the antidiagonals of the block transform."""
    y, x = numpy.indices((BLOCK, BLOCK))
    rows = numpy.stack([((x + y) == band).ravel() / ((x + y) == band).sum() for band in range(2 * BLOCK - 1)])
    return torch.from_numpy(rows).float()


def mean_over_places(values):
    return values.mean(dim=(-2, -1))


def second_difference(planes, axis):
    if axis == "x":
        return planes[..., 2:] - 2 * planes[..., 1:-1] + planes[..., :-2]
    return planes[..., 2:, :] - 2 * planes[..., 1:-1, :] + planes[..., :-2, :]


def first_difference(planes, axis):
    if axis == "x":
        return planes[..., 1:] - planes[..., :-1]
    return planes[..., 1:, :] - planes[..., :-1, :]


def laplacian(planes):
    return second_difference(second_difference(planes, "x"), "y")


def correlate(first, second):
    """Correlation of two residuals whose mean is nearly zero."""
    energy = mean_over_places(first * first) * mean_over_places(second * second)
    return mean_over_places(first * second) / torch.sqrt(energy + ENERGY_FLOOR)


def to_moments(residual):
    """Returns level, peakedness and tail weight of residuals [N, P, H, W], as [N, 3P]."""
    squared = residual * residual
    energy = mean_over_places(squared) + ENERGY_FLOOR
    absolute = mean_over_places(residual.abs())
    tail = mean_over_places(squared * squared) / (energy * energy)
    return torch.cat([0.5 * torch.log(energy), absolute / torch.sqrt(energy), torch.log(tail + 0.1)], dim=1)


class PatchStatistics(nn.Module):
    """Maps pixels float32 [N, 3, H, W] in 0..1 (RGB), sides at least 64, to [N, F] statistics."""

    def __init__(self):
        super().__init__()
        rings, ring_of_place = make_rings()
        self.register_buffer("kv", torch.tensor(KV_FILTER, dtype=torch.float32).view(1, 1, 5, 5) / 12)
        self.register_buffer("pair_classes", make_pair_classes())
        self.register_buffer("fourier", make_fourier())
        window = torch.hann_window(SPECTRUM_SIDE, periodic=True)
        self.register_buffer("window", torch.outer(window, window))
        self.register_buffer("rings", rings)
        self.register_buffer("ring_of_place", ring_of_place)
        self.register_buffer("peak_places", make_peak_places())
        self.register_buffer("cosine_kernels", make_cosine_kernels())
        self.register_buffer("band_means", make_band_means())
        self.register_buffer("noise_thresholds", torch.tensor(NOISE_THRESHOLDS).view(1, -1, 1, 1))
        self.register_buffer("brightness_centres", torch.tensor(BRIGHTNESS_CENTRES).view(1, -1, 1, 1))
        self.count = self(torch.zeros(1, 3, 64, 64)).shape[1]

    def forward(self, pixels):
        rgb = pixels * 255
        red, green, blue = rgb[:, 0:1], rgb[:, 1:2], rgb[:, 2:3]
        luma = 0.299 * red + 0.587 * green + 0.114 * blue
        chroma = torch.cat([0.5 * blue - 0.169 * red - 0.331 * green, 0.5 * red - 0.419 * green - 0.081 * blue], dim=1)
        planes = torch.cat([luma, chroma], dim=1)
        differences = torch.cat([red - green, blue - green], dim=1)
        kv = torch.cat([self.filter_kv(planes[:, index : index + 1]) for index in range(3)], dim=1)
        lap = laplacian(torch.cat([planes, rgb], dim=1)) / 4
        return torch.cat([
            self.to_residual_features(luma, kv, lap),
            self.to_pair_features(luma, laplacian(differences)),
            self.to_spectrum_features(luma, level=True),
            self.to_spectrum_features(differences[:, :1], level=True),
            self.to_spectrum_features(lap[:, 4:5].abs(), level=False),
            self.to_block_features(luma), self.to_block_features(chroma[:, :1]),
            self.to_noise_features(luma, kv[:, :1]),
        ], dim=1)

    def filter_kv(self, plane):
        return functional.conv2d(plane, self.kv)

    def to_residual_features(self, luma, kv, lap):
        """Moments, correlations between the colour planes, and how energy falls over three scales."""
        half = functional.avg_pool2d(luma, 2)
        quarter = functional.avg_pool2d(half, 2)
        scales = [to_moments(laplacian(plane)) for plane in (half, quarter)]
        pairs = [(0, 1), (0, 2), (1, 2)]
        correlations = [correlate(kv[:, a : a + 1], kv[:, b : b + 1]) for a, b in pairs]
        correlations += [correlate(lap[:, 3 + a : 4 + a], lap[:, 3 + b : 4 + b]) for a, b in pairs]
        neighbours = [correlate(kv[..., :-1], kv[..., 1:]), correlate(kv[..., :-1, :], kv[..., 1:, :])]
        first = to_moments(lap[:, :1])
        return torch.cat([
            to_moments(kv), to_moments(lap), *scales, first - scales[0], scales[0] - scales[1],
            *correlations, neighbours[0] + neighbours[1], (neighbours[0] - neighbours[1]).abs(),
        ], dim=1)

    def to_pair_features(self, luma, colour_lap):
        """Neighbouring pairs of residuals: along and across luma's differences, both ways in colour differences."""
        second = (second_difference(luma, "x"), second_difference(luma, "y"))
        first = (first_difference(luma, "x"), first_difference(luma, "y"))
        features = []
        for (along_x, along_y), step in ((second, 1.0), (first, 2.0)):
            across, down = self.count_pairs(along_x / step), self.count_pairs(along_y / step)
            features += [across[0] + down[1], across[1] + down[0]]
        features += [sum(self.count_pairs(plane)) for plane in (colour_lap[:, :1], colour_lap[:, 1:])]
        return torch.sqrt(torch.clamp(torch.cat(features, dim=1) / 2, min=0) + 1e-4)

    def count_pairs(self, residual):
        """Returns the shares of the nine classes of neighbouring pairs: beside each other, below each other.

        Rows are laid end to end, so that a row's last place also counts as beside the
        next row's first: less than one pair in a hundred, for half of the time.
        """
        width = residual.shape[-1]
        truncated = torch.clamp(torch.round(residual), -TRUNCATION, TRUNCATION).flatten(2)
        sign_two = truncated - torch.clamp(truncated, -1, 1)
        sign_one = truncated - 2 * sign_two
        size_one, size_two = sign_one.abs(), sign_two.abs()
        planes = torch.cat([
            size_one, size_two, size_one + size_two, sign_one, sign_two, sign_one + sign_two,
        ], dim=1)
        sizes = torch.cat([torch.ones_like(size_one[..., 0]), planes[:, :2].mean(dim=2)], dim=1)
        return self.share(planes, 1, sizes), self.share(planes, width, sizes)

    def share(self, planes, distance, sizes):
        sums = (planes[..., :-distance] * planes[..., distance:]).mean(dim=2)
        return torch.cat([sizes[:, :1], sums, sizes[:, 1:]], dim=1) @ self.pair_classes

    def to_spectrum_features(self, plane, level):
        """Rings of the mean spectrum of overlapping blocks, peaks above their ring, and its lack of symmetry."""
        blocks = torch.cat([self.cut_blocks(plane, 0), self.cut_blocks(plane, SPECTRUM_SIDE // 2)], dim=1)
        blocks = (blocks - blocks.mean(dim=(2, 3), keepdim=True)) * self.window
        product = self.fourier @ blocks @ self.fourier.t()
        cc, cs = product[:, :, :FREQUENCY_COUNT, :FREQUENCY_COUNT], product[:, :, :FREQUENCY_COUNT, FREQUENCY_COUNT:]
        sc, ss = product[:, :, FREQUENCY_COUNT:, :FREQUENCY_COUNT], product[:, :, FREQUENCY_COUNT:, FREQUENCY_COUNT:]
        # The sum of the powers at (u, v) and (-u, v).
        power = 2 * (cc * cc + ss * ss + sc * sc + cs * cs).mean(dim=1)
        logs = torch.log(power + 1.0)
        rings = logs.flatten(1) @ self.rings.t()
        deviation = logs.flatten(1) - rings[:, self.ring_of_place]
        turned = (logs - logs.transpose(1, 2)).flatten(1).abs()
        mean = rings.mean(dim=1, keepdim=True)
        features = [
            rings - mean, deviation[:, self.peak_places].mean(dim=2),
            turned @ self.rings.t()[:, 3::4], (deviation.abs() @ self.rings.t())[:, 3::4],
            deviation.max(dim=1, keepdim=True).values,
        ]
        return torch.cat([*features, mean] if level else features, dim=1)

    def cut_blocks(self, plane, start):
        """Returns [N, B, side, side]: whole blocks beginning at (start, start)."""
        side = SPECTRUM_SIDE
        rows, columns = (plane.shape[2] - start) // side, (plane.shape[3] - start) // side
        part = plane[:, 0, start : start + rows * side, start : start + columns * side]
        return part.reshape(-1, rows, side, columns, side).permute(0, 1, 3, 2, 4).flatten(1, 2)

    def to_block_features(self, plane):
        """The block transform on the JPEG grid and half a block off it: levels, share of zeros, peakedness."""
        on_grid, off_grid = self.measure_blocks(plane), self.measure_blocks(plane[..., 4:-4, 4:-4])
        return torch.cat([on_grid, on_grid - off_grid], dim=1)

    def measure_blocks(self, plane):
        coefficients = functional.conv2d(plane, self.cosine_kernels, stride=BLOCK)
        absolute = mean_over_places(coefficients.abs())
        root = torch.sqrt(mean_over_places(coefficients * coefficients) + ENERGY_FLOOR)
        zeros = mean_over_places((coefficients.abs() < 0.5).to(plane.dtype))
        bands = self.band_means.t()
        return torch.cat([torch.log(absolute + 0.05) @ bands, (absolute / root) @ bands, zeros @ bands], dim=1)[:, 1:]

    def to_noise_features(self, luma, kv):
        """How noisy the blocks are, as a distribution and against their brightness."""
        energy = functional.avg_pool2d(kv * kv, BLOCK)
        logs = torch.log(energy + 0.01)
        height, width = energy.shape[2] * BLOCK, energy.shape[3] * BLOCK
        brightness = functional.avg_pool2d(luma[..., 2 : 2 + height, 2 : 2 + width], BLOCK)
        shares = torch.sigmoid(2 * (self.noise_thresholds - logs)).mean(dim=(2, 3))
        nearness = torch.exp(-(((brightness - self.brightness_centres) / 40) ** 2) / 2)
        smooth = nearness / (1 + energy)
        weight = smooth.sum(dim=(2, 3)) + 0.5
        middle = logs.mean(dim=(2, 3))
        by_brightness = ((smooth * logs).sum(dim=(2, 3)) + 0.5 * middle) / weight
        spread = torch.sqrt(((logs - middle.view(-1, 1, 1, 1)) ** 2).mean(dim=(2, 3)) + ENERGY_FLOOR)
        return torch.cat([shares, by_brightness - middle, middle, spread], dim=1)
